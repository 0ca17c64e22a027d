#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_wc.py TOUR: what the tour counts is what `wc -l -w -c` counts, on files of every awkward form.

On text beyond ASCII `wc` asks the locale, and versions differ; there, words are what stands between white space of
ASCII, as bytes.split() has it.
"""
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


def beyond_ascii():
    yield "no_break_spaces", "un mot\u00a0\u00bbautre\u00ab, \u2003 deux\n".encode()
    yield "no_characters", b"\xff \xfe\n\x80\x81 \x00 \x01\n"
    yield "any_bytes", bytes(random.Random(21).choices(range(256), k=200000))


def counts(text):
    """The line that `wc` prints too: lines, words, bytes."""
    line = next(line for line in text.splitlines() if line.startswith("wc "))
    return [int(word) for word in line.split()[1:]]


def wc(paths):
    out = subprocess.run(["wc", "-l", "-w", "-c", *paths], env={**os.environ, "LC_ALL": "C"}, check=True,
                         capture_output=True, text=True).stdout
    return [int(word) for word in out.splitlines()[-1].split()[:3]]


def expected(chosen):
    whole = [path.read_bytes() for path in chosen]
    return [sum(text.count(b"\n") for text in whole), sum(len(text.split()) for text in whole), sum(map(len, whole))]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        def write(form):
            paths = []
            for name, content in form:
                paths.append(pathlib.Path(folder, name))
                paths[-1].write_bytes(content)
            return paths

        ascii_only, others = write(files()), write(beyond_ascii())
        for chosen in [[path] for path in ascii_only + others] + [ascii_only, ascii_only + others]:
            ran = subprocess.run([sys.argv[1], "--text-only", *chosen], capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                sys.exit(f"{chosen}: the tour exited with {ran.returncode}\n{ran.stdout}{ran.stderr}")
            ours, theirs = counts(ran.stdout), expected(chosen)
            same = ours == theirs and (not set(chosen) <= set(ascii_only) or ours == wc(chosen))
            print("same " if same else "OTHER", ours, theirs, " ".join(path.name for path in chosen))
            failed += not same
    return failed


sys.exit(1 if main() else 0)
