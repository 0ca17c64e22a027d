#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run a program: it must exit with 0, and print what the expected file holds if one is given.

With --gpu, a helper is asked first whether there is a GPU. Without one the program must say that something is missing
and exit with a status of failure, not crash; then it is skipped (exit status 77).
"""
import argparse
import difflib
import pathlib
import subprocess
import sys


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", metavar="PROGRAM", help="exits with 77 where there is no GPU")
    parser.add_argument("--expected", type=pathlib.Path, help="what standard output must hold")
    parser.add_argument("program")
    options = parser.parse_args()

    if options.gpu:
        asked = subprocess.run([options.gpu], capture_output=True, text=True, check=False)
        if asked.returncode != 0:
            print(asked.stdout + asked.stderr)
        if asked.returncode == 77:
            ran = subprocess.run([options.program], capture_output=True, text=True, check=False, errors="replace")
            print(ran.stdout + ran.stderr)
            if ran.returncode <= 0 or not (ran.stdout + ran.stderr).strip():
                print(f"without a GPU {options.program} exited with {ran.returncode}, instead of saying what is missing")
                return 1
            print("skipped")
        if asked.returncode != 0:
            return asked.returncode
    ran = subprocess.run([options.program], capture_output=True, text=True, check=False, errors="replace")
    sys.stdout.write(ran.stdout)
    sys.stderr.write(ran.stderr)
    if ran.returncode != 0:
        print(f"{options.program} exited with {ran.returncode}")
        return ran.returncode if ran.returncode == 77 else 1
    if options.expected:
        expected = options.expected.read_text()
        lines = [[line.rstrip() for line in text.rstrip().splitlines()] for text in (expected, ran.stdout)]
        if lines[0] != lines[1]:
            print("\n".join(difflib.unified_diff(*lines, "expected", "printed", lineterm="")))
            return 1
    return 0


sys.exit(main())
