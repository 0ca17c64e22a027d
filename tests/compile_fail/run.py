#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run.py [--broken-only] SOURCE COMPILER [OPTIONS...]: the source must not compile, and must say why.

Among its first four lines the source has `// expect: regex`, which one line of the compiler's output must match, the
only one that begins with `sweep: `; all it says must fit on 30 lines. With -DSWEEP_TEST_FIXED the same source must
compile: what the macro takes out is what the compiler objects to; --broken-only leaves that to another compiler.
`// options: ...` are given to the broken compilation alone.
"""
import pathlib
import re
import subprocess
import sys

MOST_LINES = 30


def compiled(command, source, options):
    return subprocess.run([*command, *options, source], capture_output=True, text=True, check=False, errors="replace")


def main() -> int:
    arguments = sys.argv[1:]
    broken_only = arguments[0] == "--broken-only"
    source, *command = arguments[broken_only:]
    head = pathlib.Path(source).read_text().splitlines()[:4]
    of_key = lambda key: [match[1] for match in (re.fullmatch(rf"// {key}: (.+)", line) for line in head) if match]
    expected, options = of_key("expect"), " ".join(of_key("options")).split()
    if len(expected) != 1:
        print(f"{source}: one of the first four lines must be `// expect: regex`")
        return 1

    if pathlib.Path(command[0]).name == "nvcc":  # which hands the host compiler's own on
        options = [f"-Xcompiler={option}" if option.startswith("-f") else option for option in options]
    # An option takes the place of the same one.
    replaced = tuple(option.split("=")[0] + "=" for option in options if "=" in option)
    broken = compiled([one for one in command if not (replaced and one.startswith(replaced))], source, options)
    said = (broken.stdout + broken.stderr).splitlines()
    everything = "\n".join(said)
    if broken.returncode == 0:
        print(f"{source} compiles")
        return 1
    lines = [line for line in said if re.search(r"error\b.*sweep: ", line) and not re.match(r" *\d+ \|", line)]
    if len(lines) != 1 or not re.search(expected[0], lines[0]):
        print(f"{source} does not compile, as it should, but the compiler says not once\n  {expected[0]}\nbut\n{everything}")
        return 1
    if len(said) > MOST_LINES:
        print(f"{source}: {len(said)} lines, of which {MOST_LINES} would do\n{everything}")
        return 1
    print(f"{len(said)} lines: {lines[0]}")
    if not broken_only:
        fixed = compiled(command, source, ["-DSWEEP_TEST_FIXED"])
        if fixed.returncode != 0:
            print(f"{source} does not even compile with -DSWEEP_TEST_FIXED\n{fixed.stdout}{fixed.stderr}")
            return 1
    return 0


sys.exit(main())
