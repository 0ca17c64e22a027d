#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run.py SOURCE COMPILER [OPTIONS...]: the source must not compile, and must say why.

Among its first three lines the source has `// expect: regex`, which the compiler's output must match. With
-DSWEEP_TEST_FIXED the same source must compile: what the macro takes out is what the compiler objects to.
"""
import pathlib
import re
import subprocess
import sys


def main() -> int:
    source, *command = sys.argv[1:]
    head = pathlib.Path(source).read_text().splitlines()[:3]
    expected = [match[1] for match in (re.fullmatch(r"// expect: (.+)", line) for line in head) if match]
    if len(expected) != 1:
        print(f"{source}: one of the first three lines must be `// expect: regex`")
        return 1

    broken = subprocess.run([*command, source], capture_output=True, text=True, check=False, errors="replace")
    said = broken.stdout + broken.stderr
    if broken.returncode == 0:
        print(f"{source} compiles")
        return 1
    if not re.search(expected[0], said):
        print(f"{source} does not compile, as it should, but the compiler says nothing like\n  {expected[0]}\nbut\n{said}")
        return 1
    fixed = subprocess.run([*command, "-DSWEEP_TEST_FIXED", source], capture_output=True, text=True, check=False,
                           errors="replace")
    if fixed.returncode != 0:
        print(f"{source} does not even compile with -DSWEEP_TEST_FIXED\n{fixed.stdout}{fixed.stderr}")
        return 1
    for line in said.splitlines():
        if re.search(expected[0], line):
            print(line)
    return 0


sys.exit(main())
