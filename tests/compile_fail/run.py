#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must not compile, and what the compiler must say of it.

  run.py alone SOURCE COMPILER...                     one case by itself
  run.py together UNIT SOURCE... -- COMPILER...       many cases as one unit, each in a namespace of its own
  run.py fixed UNIT SOURCE... -- COMPILER...          the same with -DSWEEP_TEST_FIXED, which must compile

Among its first four lines a source has `// expect: regex`, which one line of the compiler's output must match, the only
one that begins with `sweep: `, or `// says: regex` for what the compiler says in words of its own, and then it is one by
itself; a line must name a place in the source, and all that is said of a case must be short. With -DSWEEP_TEST_FIXED
the same source compiles: so what the macro takes out is what the compiler objects to. `// options: ...` are given to
the broken compilation alone, and make a source one for itself.
"""
import pathlib
import re
import subprocess
import sys

MOST_LINES = 24  # that speak, and show no source, as those do that begin with blanks (but for what nvcc instantiated)
ERROR = re.compile(r"\berror\b")
INTRODUCTION = re.compile(r"In file included from |\S+: In ")


class Case:
    def __init__(self, source: str) -> None:
        self.source = source
        self.text = pathlib.Path(source).read_text()
        of_key = lambda key: re.findall(rf"^// {key}: (.+)$", "\n".join(self.text.splitlines()[:4]), re.MULTILINE)
        self.by_sweep = len(of_key("expect")) == 1
        if len(of_key("expect")) + len(of_key("says")) != 1:
            sys.exit(f"{source}: one of the first four lines must be `// expect: regex` or `// says: regex`")
        self.expected = (of_key("expect") + of_key("says"))[0]
        self.options = " ".join(of_key("options")).split()

    def complaint(self, said: list[str]) -> str:
        """What is wrong with what the compiler says; empty if nothing."""
        ours = re.compile(r"error\b.*sweep: " if self.by_sweep else r"error\b.*:")
        lines = [line for line in said if ours.search(line) and not re.match(r" *\d+ \||#", line)]
        everything = "\n".join(said)
        if len(lines) != 1 or not re.search(self.expected, lines[0]):
            return f"{self.source}: the compiler says not once\n  {self.expected}\nbut\n{everything}"
        if not any(self.source in line for line in said):
            return f"{self.source}: the compiler names no place in it\n{everything}"
        spoken = [line for line in said if not line.startswith(" ") or "instantiation of" in line]
        if len(spoken) > MOST_LINES:
            return f"{self.source}: {len(spoken)} lines, of which {MOST_LINES} would do\n{everything}"
        print(f"{pathlib.Path(self.source).name}: {len(spoken)} lines: {lines[0]}")
        return ""


def compiled(command: list[str], source: str, options: list[str]) -> tuple[bool, list[str]]:
    ran = subprocess.run([*command, *options, source], capture_output=True, text=True, check=False, errors="replace")
    return ran.returncode == 0, (ran.stdout + ran.stderr).splitlines()


def alone(case: Case, command: list[str]) -> str:
    options = case.options
    if pathlib.Path(command[0]).name == "nvcc":  # which hands the host compiler's own on
        options = [f"-Xcompiler={option}" if option.startswith("-f") else option for option in options]
    replaced = tuple(option.split("=")[0] + "=" for option in options if "=" in option)  # an option takes its like's place
    compiles, said = compiled([one for one in command if not (replaced and one.startswith(replaced))], case.source, options)
    return f"{case.source} compiles" if compiles else case.complaint(said)


def write_unit(unit: str, cases: list[Case]) -> None:
    """Everybody's headers first, so that those within a namespace are there already."""
    found = {name for case in cases for name in re.findall(r"^#include (<.+>)", case.text, re.MULTILINE)}
    headers = [f"#if __has_include({name})\n#include {name}\n#endif" for name in sorted(found)]
    bodies = [f'namespace case_{number} {{\n#include "{case.source}"\n}}' for number, case in enumerate(cases)]
    pathlib.Path(unit).write_text("\n".join([*headers, *bodies, ""]))


def blocks_of(said: list[str]) -> list[list[str]]:
    """Each error with the lines that say where it comes from: g++ has some before it."""
    blocks: list[list[str]] = []
    introduced = False
    for line in said:
        introduces = bool(INTRODUCTION.match(line))
        if (introduces or ERROR.search(line)) and not line.startswith(" ") and not introduced:
            blocks.append([])
        introduced = introduces or introduced and (line.startswith(" ") or "required from" in line)
        if blocks:
            blocks[-1].append(line)
    return blocks


def together(unit: str, cases: list[Case], command: list[str]) -> str:
    while cases:
        write_unit(unit, cases)
        compiles, said = compiled(command, unit, [])
        if compiles:
            return f"{unit} compiles"
        blocks = blocks_of(said)
        # What another case has said already, of the same types, is not said again, and nothing after an #error.
        own = [[line for block in blocks if any(case.source in line for line in block) for line in block] for case in cases]
        unsaid = [case for case, lines in zip(cases, own) if case.complaint(lines)]
        if len(unsaid) == len(cases):
            break
        cases = unsaid
    return "\n".join(filter(None, (alone(case, command) for case in cases)))


def fixed(unit: str, cases: list[Case], command: list[str]) -> str:
    write_unit(unit, cases)
    compiles, said = compiled(command, unit, ["-DSWEEP_TEST_FIXED"])
    return "" if compiles else "not even with -DSWEEP_TEST_FIXED\n" + "\n".join(said)


def main() -> int:
    mode, *arguments = sys.argv[1:]
    if mode == "alone":
        wrong = alone(Case(arguments[0]), arguments[1:])
    else:
        unit, *sources = arguments[: arguments.index("--")]
        work = {"together": together, "fixed": fixed}[mode]
        wrong = work(unit, [Case(source) for source in sources], arguments[arguments.index("--") + 1 :])
    if wrong:
        print(wrong)
    return 1 if wrong else 0


sys.exit(main())
