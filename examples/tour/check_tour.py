#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_tour.py TOUR [--variants]: how the tour speaks: options, files that cannot be read, lost output, any width.

With --variants the whole tour is run once, on a terminal of 40 columns; without, the text alone.
"""
import errno
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOUR = sys.argv[1]
failed = 0


def expect(holds, what):
    global failed
    print("right" if holds else "WRONG", what)
    failed += not holds


def run(*arguments, wide=80, **more):
    return subprocess.run([TOUR, *map(str, arguments)], capture_output=True, text=True, check=False,
                          env={**os.environ, "COLUMNS": str(wide)}, **more)


def too_wide(text, wide):
    return [line for line in text.splitlines() if len(line) > wide]


def on_terminal(wide, *arguments):
    """Standard output, and what a terminal of so many columns got as standard error."""
    us, them = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    subprocess.run(["stty", "cols", str(wide)], stdin=them, check=True)
    ran = subprocess.Popen([TOUR, *map(str, arguments)], stdout=them, stderr=them, env=environment)
    os.close(them)
    seen = b""
    while True:
        try:
            got = os.read(us, 65536)
        except OSError as error:  # how a terminal ends
            if error.errno != errno.EIO:
                raise
            break
        if not got:
            break
        seen += got
    return ran.wait(), seen.decode().replace("\r\n", "\n")


def options():
    for word in ("--help", "-h"):
        ran = run(word)
        expect(ran.returncode == 0 and "--text-only" in ran.stdout and "Exit status" in ran.stdout and not ran.stderr,
               word)
        expect(not too_wide(run(word, wide=40).stdout, 40), f"{word} in 40 columns")
    ran = run("--textonly")
    expect(ran.returncode == 2 and "--textonly" in ran.stderr and not ran.stdout, "an unknown option")


def files(folder):
    good = folder / "good"
    good.write_text("three words here\n")
    (folder / "-x").write_text("one\n")
    (folder / "leads_nowhere").symlink_to(folder / "nothing")
    ran = run("--text-only", folder)
    expect(ran.returncode == 1 and "wc 2 4 21" in ran.stdout and "leads_nowhere" in ran.stderr
           and ran.stderr.count("\n") == 1, "a folder with a file that cannot be read: the others are")
    ran = run("--text-only", folder / "nothing", good, "/proc/self/mem")
    expect(ran.returncode == 1 and "wc 1 3 17" in ran.stdout and "nothing: No such file" in ran.stderr
           and "/proc/self/mem: " in ran.stderr, "files that are not there, or fail as they are read, are named")
    ran = run("--text-only", folder / "nothing")
    expect(ran.returncode == 1 and "nothing to read" in ran.stderr, "nothing that could be read")
    expect(run("--text-only", good).returncode == 0, "all could be read")
    ran = run("--text-only", "--", "-x", cwd=folder)
    expect(ran.returncode == 0 and "wc 1 1 4" in ran.stdout, "a file whose name begins like an option")


def lost_output(folder):
    for arguments in (["--text-only", folder / "good"], ["--help"]):
        with open("/dev/full", "w") as full:
            ran = subprocess.run([TOUR, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, text=True,
                                 check=False)
        expect(ran.returncode == 1, f"output that is lost: {arguments[0]}")


def widths(folder):
    text = folder / "good"
    text.write_text("".join("x" * (i % 130) + " y\n" for i in range(4000)))
    bars = []
    for wide in (40, 41, 59, 80, 133, 200):
        ran = run("--text-only", text, wide=wide)
        bars.append(max(line.count("#") for line in ran.stdout.splitlines()))
        expect(ran.returncode == 0 and not too_wide(ran.stdout, wide), f"{wide} columns")
    expect(bars == sorted(bars) and bars[0] < bars[3] < bars[-1], "wider terminals have longer bars")


def percentage(folder):
    text = folder / "long"
    text.write_text("some words /* and more */ in a line\n" * 400000)
    status, seen = on_terminal(40, "--text-only", text)
    steps = re.findall(r"\.\.\. ([^\r\n]*?) (\d+) %", seen)
    for what in ("reading files", "in plain loops", "on the host"):
        at = [int(number) for step, number in steps if step == what]
        expect(len(at) > 2 and at == sorted(at), f"percentages {what}: {at[:3]} ... {at[-1:]}")
    shown = [part for line in seen.split("\n") for part in re.split(r"\r\x1b\[K", line)]
    expect(status == 0 and not too_wide("\n".join(shown), 40), "on a terminal of 40 columns no line is wider")
    quiet = run("--text-only", text)
    expect(quiet.returncode == 0 and not quiet.stderr, "no percentages where there is no terminal")


def variants():
    status, seen = on_terminal(40, HERE / "main.cpp")
    print(seen.replace("\r\x1b[K", "\n"))
    shown = [part for line in seen.split("\n") for part in re.split(r"\r\x1b\[K", line)]
    expect(status == 0 and not too_wide("\n".join(shown), 40), "the whole tour, on 40 columns")
    expect(seen.count(" right") >= 8, "every variant is right")


with tempfile.TemporaryDirectory() as name:
    if "--variants" in sys.argv:
        variants()
    else:
        place = pathlib.Path(name)
        options()
        files(place)
        lost_output(place)
        (place / "leads_nowhere").unlink()
        widths(place)
        percentage(place)
sys.exit(1 if failed else 0)
