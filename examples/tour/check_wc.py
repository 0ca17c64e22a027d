#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_wc.py TOUR: what the tour counts is what `wc -l -w -c` counts, on files of every awkward form."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile


def files():
    yield "empty", b""
    yield "one_newline", b"\n"
    yield "no_newline_at_the_end", b"a word"
    yield "begins_within_the_last_ones_word", b"word\n"
    yield "every_white_space", b" \t\n\v\f\r  a\tb\vc\fd\re \n\n\n"
    yield "carriage_returns", b"one two\r\nthree\r\n\r\n"
    yield "one_long_line", b"x" * 70000 + b" y\n"
    yield "comments", b'a /* b c */ "d // e" // f \\\n g\n\'"\' h /**/ i /* j\n'
    chance = random.Random(20)
    yield "random", bytes(chance.choices(b"aZ09/*'\"\\ \t\n", k=200000))


def counts(text):
    """The line that `wc` prints too: lines, words, bytes."""
    line = next(line for line in text.splitlines() if line.startswith("wc "))
    return [int(word) for word in line.split()[1:]]


def wc(paths):
    out = subprocess.run(["wc", "-l", "-w", "-c", *paths], env={**os.environ, "LC_ALL": "C"}, check=True,
                         capture_output=True, text=True).stdout
    return [int(word) for word in out.splitlines()[-1].split()[:3]]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, content in files():
            paths.append(pathlib.Path(folder, name))
            paths[-1].write_bytes(content)
        for chosen in [[path] for path in paths] + [paths]:
            ran = subprocess.run([sys.argv[1], "--text-only", *chosen], capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                sys.exit(f"{chosen}: the tour exited with {ran.returncode}\n{ran.stdout}{ran.stderr}")
            ours, theirs = counts(ran.stdout), wc(chosen)
            print("same " if ours == theirs else "OTHER", ours, theirs, " ".join(path.name for path in chosen))
            failed += ours != theirs
    return failed


sys.exit(1 if main() else 0)
