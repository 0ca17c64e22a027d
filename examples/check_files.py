#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_files.py NAME PROGRAM: an example on files that are written here: good ones, whose results are worked out here
too, and broken ones, of which it must say what is wrong with them.
"""
import csv
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import wave
import zlib

chance = random.Random(14)


def ran(*arguments, fails=None):
    """What the program prints. If it is to fail: with status 1, one line, and these words in it."""
    done = subprocess.run([sys.argv[2], *map(str, arguments)], capture_output=True, text=True, check=False)
    said = done.stderr.strip()
    if fails is None:
        if done.returncode != 0:
            sys.exit(f"{arguments}: exited with {done.returncode}\n{done.stdout}{said}")
    elif done.returncode != 1 or "\n" in said or not re.search(fails, said):
        sys.exit(f"{arguments}: exited with {done.returncode} and said\n{said}\ninstead of {fails}")
    else:
        print(f"refused: {said}")
    return done.stdout


def expect(good, what):
    if not good:
        sys.exit(f"not as expected: {what}")
    print(f"as expected: {what}")


def compare_strings(folder):
    text = bytes(chance.randrange(256) for _ in range(20000))
    other = text[:12345] + bytes([text[12345] ^ 128]) + text[12346:]
    for name, a, b in [("same", text, text), ("other", text, other), ("begin", text, text[:99]), ("empty", b"", text)]:
        (folder / "a").write_bytes(a)
        (folder / "b").write_bytes(b)
        relation = "comes before" if a < b else "comes after" if a > b else "is the same as"
        agree = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        said = f"the first {relation} the second: they agree in {agree} bytes\n"
        expect(ran(folder / "a", folder / "b") == said, name)
    ran(folder / "a", folder / "none", fails="cannot open .*none")
    ran(folder / "a", fails="two files")


def polynomial(folder):
    file = folder / "coefficients"
    coefficients = [chance.randrange(-99, 99) for _ in range(200)]
    file.write_text("\n".join(map(str, coefficients)) + "\n")
    lines = ran(file, 0.5, -0.75, 1).splitlines()
    for x, line in zip((0.5, -0.75, 1), lines, strict=True):
        value = sum(c * x**i for i, c in enumerate(coefficients))
        slope = sum(i * c * x ** (i - 1) for i, c in enumerate(coefficients) if i)
        found = [float(word) for word in re.findall(r"(?:value|derivative) (\S+?)(?:,|$)", line)]
        expect(all(abs(a - b) < 1e-6 * (1 + abs(b)) for a, b in zip(found, (value, slope), strict=True)), line)
    file.write_text("1\n2\nthree\n")
    ran(file, 1, fails="line 3: 'three' is no coefficient")
    ran(file, fails="at which X")
    file.write_text("1\n2\n")
    ran(file, "x", fails="'x' is no number")
    file.write_text("\n")
    ran(file, 1, fails="has no coefficients")


def long_addition(folder):
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    a, b = folder / "a", folder / "b"
    nines = 10**20000 - 1
    for x, y in [(0, 0), (nines, 1), (10**18 - 1, 1), (chance.randrange(nines), chance.randrange(10**9999))]:
        a.write_text(str(x))
        b.write_text(f"000{y}\n")
        expect(ran(a, b) == f"{x + y}\n", f"a sum of {len(str(x + y))} digits")
    b.write_text("12x4")
    ran(a, b, fails="character 3 is no digit")
    b.write_text("")
    ran(a, b, fails="has no digits")


def tree(folder):
    file = folder / "parents"
    parents = [-1] + [chance.randrange(max(0, k - 20), k) for k in range(1, 700)]
    names = list(range(700))
    chance.shuffle(names)
    renamed = [0] * 700
    for k, parent in enumerate(parents):
        renamed[names[k]] = names[parent] if parent >= 0 else -1
    depth, nodes = [0] * 700, [1] * 700
    for k in range(1, 700):
        depth[k] = depth[parents[k]] + 1
    for k in range(699, 0, -1):
        nodes[parents[k]] += nodes[k]
    file.write_text("".join(f"{parent}\n" for parent in renamed))
    found = [tuple(map(int, line.split())) for line in ran(file).splitlines()[1:]]
    expect(found == sorted((names[k], renamed[names[k]], depth[k], nodes[k]) for k in range(700)), "a tree")
    file.write_text("-1\n")
    expect(ran(file).split()[-4:] == ["0", "-1", "0", "1"], "a root alone")
    for text, reason in [("-1\n0\n-1\n", "line 3: a second root"), ("1\n0\n", "no root"), ("-1\n\n9\n", "line 3: .*no node 9"),
                         ("-1\n2\n1\n", "cycle"), ("-1\n1\n", "cycle"), ("-1\nx\n", "line 2: 'x'"), ("", "no root")]:
        file.write_text(text)
        ran(file, fails=reason)


def sound_filter(folder):
    source, result = folder / "in.wav", folder / "out.wav"
    length = 3000

    def write(width, samples):
        with wave.open(str(source), "wb") as out:
            out.setparams((2, width, 8000, 0, "NONE", ""))
            out.writeframes(b"".join((value + 128 * (width == 1)).to_bytes(width, "little", signed=width > 1)
                                     for value in samples))

    for width in (1, 2, 3, 4):
        top = 2 ** (8 * width - 1)
        samples = [chance.randrange(-top // 3, top // 3) for _ in range(2 * length)]
        write(width, samples)
        ran(source, result, "average", 25)
        with wave.open(str(result)) as back:
            expect(back.getparams()[:4] == (2, 2, 8000, length), f"{8 * width} bits read")
            found = struct.unpack(f"<{2 * length}h", back.readframes(length))
        worst = 0
        for i in range(2 * length):
            window = samples[i % 2:i + 1:2][-25:]
            worst = max(worst, abs(found[i] - 32768 * sum(window) / len(window) / top))
        expect(worst < 0.51, "averages")
    values = [chance.uniform(-1, 1) for _ in range(2 * length)]
    source.write_bytes(b"RIFF\0\0\0\0WAVEfmt " + struct.pack("<IHHIIHH", 16, 3, 2, 8000, 64000, 8, 32) + b"LIST\3\0\0\0abc\0" +
                       b"data" + struct.pack(f"<I{2 * length}f", 8 * length, *values))
    ran(source, result, "average", 1)
    with wave.open(str(result)) as back:
        found = struct.unpack(f"<{2 * length}h", back.readframes(length))
    expect(max(abs(a - 32768 * b) for a, b in zip(found, values, strict=True)) < 1.01, "floats read")
    # A constant goes through the one filter, and not through the other.
    write(2, [8000, -8000] * length)
    for kind, left in (("low", 8000), ("high", 0)):
        ran(source, result, kind, 200)
        with wave.open(str(result)) as back:
            found = struct.unpack(f"<{2 * length}h", back.readframes(length))
        expect(abs(found[-2] - left) <= 1 and abs(found[-1] + left) <= 1, f"a constant through {kind}")
    good = source.read_bytes()
    for broken, reason in [(good[:1000], "ends within the chunk at byte 36"), (good[:30], "ends within the chunk at byte 12"), (b"RIFX" + good[4:], "is no WAV file"),
                           (good[:20] + b"\x02" + good[21:], "format 2 and 16 bits"), (good[:36], "no samples"), (b"", "is no WAV"),
                           (good[:22] + b"\0\0" + good[24:], "no channels"), (good[:12] + good[36:], "before it says")]:
        source.write_bytes(broken)
        ran(source, result, "low", 200, fails=reason)
    for value in (1e30, math.nan):
        source.write_bytes(good[:20] + struct.pack("<HHIIHH", 3, 1, 8000, 32000, 4, 32) + b"data" + struct.pack("<If", 4, value))
        ran(source, result, "low", 200, fails="has a sample of")
    source.write_bytes(good)
    ran(source, result, "low", 9000, fails="between 0 and half")
    ran(source, result, "loud", 1, fails="no filter 'loud'")
    ran(source, result, "average", 0, fails="at least one sample")
    ran(source, folder / "none" / "out.wav", "low", 200, fails="cannot write")
    source.write_bytes(good[:40] + bytes(4))
    ran(source, result, "low", 200)


def write_table(file, rows):
    with open(file, "w", newline="") as out:
        csv.writer(out).writerows(rows)


def drawdown(folder):
    file = folder / "prices.csv"
    rows = [(f"2020-{k}", chance.uniform(50, 100), chance.uniform(1, 200)) for k in range(333)]
    write_table(file, [("day", "a", "b"), *rows])
    for line in ran(file).splitlines()[1:]:
        row, *found = [float(word) for word in line.replace("%", "").split()]
        for column, share in zip((1, 2), found, strict=True):
            seen = [entry[column] for entry in rows[:int(row)]]
            worst = max(100 * (1 - low / max(seen[:k + 1])) for k, low in enumerate(seen))
            expect(abs(worst - share) < 0.001, f"row {row:.0f}: {worst}")
    file.write_text("a,b\n1,2\n3\n")
    ran(file, fails="line 3: 1 values, but there are 2 names")
    file.write_text("a,b\n1,2\n3,much\n")
    ran(file, fails="line 3: 'much' under 'b' is no number")
    file.write_text("a,b\n1,2\n3,-4\n")
    ran(file, fails="row 2 under 'b' is -4")
    file.write_text("a,b\nx,y\n")
    ran(file, fails="no columns of numbers")
    ran(folder / "none", fails="cannot open")


def smoothing(folder):
    file = folder / "signals.csv"
    rows = [(k, chance.uniform(-1, 1), chance.gauss(0, 9)) for k in range(210)]
    write_table(file, [("t", "u", "v"), *rows])
    back = list(csv.reader(ran(file, 0.75).splitlines()))
    expect(back[0] == ["t", "u", "v"] and len(back) == 211, "a table of 210 rows")
    for column in range(3):
        y = [row[column] for row in rows]
        for _ in range(2):
            state = 0
            for k, value in enumerate(y):
                y[k] = state = 0.75 * state + 0.25 * value
            y.reverse()
        worst = max(abs(float(row[column]) - value) for row, value in zip(back[1:], y, strict=True))
        expect(worst < 1e-6, f"column {column}")
    ran(file, 1, fails="KEEP is 1")
    file.write_text("a\nb\n")
    ran(file, fails="no columns of numbers")


def state_space(folder):
    file = folder / "series.csv"
    write_table(file, [("t", "u", "v"), *((k, chance.uniform(-1, 1), chance.gauss(0, 3)) for k in range(150))])
    expect("derivative by x          450 numbers" in ran(file), "three columns of 150 steps")
    file.write_text("a\n1\nnan\n")
    ran(file, fails="line 3: 'nan' under 'a'")


def line_of_sight(folder):
    file = folder / "terrain"
    width, height, eye = 61, 17, 3
    heights = [[chance.randrange(40) + x // 2 for x in range(width)] for _ in range(height)]
    expected = ""
    for row in heights:
        steepest = -math.inf
        for x, top in enumerate(row):
            slope = (top - row[0] - eye) / x if x else -math.inf
            expected += "#" if x == 0 or slope > steepest else "."
            steepest = max(steepest, slope)
        expected += "\n"
    expected += f"{expected.count('#')} of {width * height} points are seen\n"
    numbers = "\n".join(" ".join(map(str, row)) for row in heights)
    file.write_text(f"ncols {width}\nnrows {height}\nxllcorner 0\nyllcorner 0\ncellsize 30\n{numbers}\n")
    expect(ran(file, eye) == expected, "an ESRI ASCII grid")
    file.write_text(f"P2\n{width} {height}\n128\n{numbers}\n")
    expect(ran(file, eye / 128) == expected, "a picture")
    file.write_text(f"ncols {width}\nnrows {height}\n1 2 3\n")
    ran(file, fails="ends after 3 of 1037 heights")
    file.write_text("ncols 2\nnrows 1\n1 high\n")
    ran(file, fails="'high' is no number")
    ran(folder / "none", fails="none")
    ran(file, "up", fails="no number")


def blur(pixels, width, height, r):
    out = bytearray()
    for y in range(height):
        for x in range(width):
            ys, xs = range(max(0, y - r), min(height, y + r + 1)), range(max(0, x - r), min(width, x + r + 1))
            for colour in range(3):
                out.append(sum(pixels[3 * (v * width + u) + colour] for v in ys for u in xs) // (len(ys) * len(xs)))
    return bytes(out)


def box_blur(folder):
    width, height, r = 37, 23, 4
    pixels = bytes(chance.randrange(256) for _ in range(3 * width * height))
    ppm, png, out, back = folder / "in.ppm", folder / "in.png", folder / "out.ppm", folder / "out.png"
    header = f"P6\n# a comment\n{width} {height}\n255\n".encode()
    expected = f"P6\n{width} {height}\n255\n".encode() + blur(pixels, width, height, r)
    ppm.write_bytes(header + pixels)
    ran(ppm, out, r)
    expect(out.read_bytes() == expected, "a PPM")
    (folder / "in.pgm").write_bytes(f"P5 {width} {height} 255\n".encode() + pixels[::3])
    ran(folder / "in.pgm", out, 0)
    expect(out.read_bytes()[-3 * width * height::3] == pixels[::3], "a PGM")
    ppm.write_bytes(header + pixels[:-1])
    ran(ppm, out, r, fails=f"has {len(pixels) - 1} of {len(pixels)} bytes")
    ppm.write_bytes(b"P6 12 huge 255\n")
    ran(ppm, out, r, fails="the height is 'huge'")
    ppm.write_bytes(b"P6 1048576 1048576 255\n")
    ran(ppm, out, r, fails="the height is '1048576'")
    ppm.write_bytes(b"GIF89a")
    ran(ppm, out, r, fails="begins neither as")

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + pixels[3 * width * y:3 * width * (y + 1)] for y in range(height))
    good = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    png.write_bytes(good)
    asked = subprocess.run([sys.argv[2], png, out, str(r)], capture_output=True, text=True, check=False)
    if "without libpng" in asked.stderr:
        print("without libpng: no PNG pictures")
        return
    ran(png, back, r)
    ran(back, out, 0)  # no blur: what was written, read back
    expect(out.read_bytes() == expected, "a PNG in and out")
    for broken in (good[:len(good) // 2], good[:40], good[:100] + b"\xff" * 9 + good[109:]):
        png.write_bytes(broken)
        ran(png, out, r, fails="no good PNG picture")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        globals()[sys.argv[1]](pathlib.Path(name))
    expect(ran("--help").startswith(sys.argv[1] + " ["), "--help says what files are")
