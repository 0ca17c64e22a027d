#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_files.py PROGRAM: what the shallow water program reads and writes.

Good files of every format must be read alike; broken ones must be refused with the file, the line and the reason; and
the pictures it writes are taken apart here, chunk by chunk: sizes, checksums, pixels, the animation's frames.
"""
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

program = pathlib.Path(sys.argv[1]).resolve()
failures = 0


def expect(good, what):
    global failures
    if not good:
        print(f"does not hold: {what}")
        failures += 1


def run(*arguments, folder):
    # One thread: other tests run beside this one.
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=folder,
                          errors="replace", env={"OMP_NUM_THREADS": "1", "COLUMNS": "80"})


# ---- PNG by hand ------------------------------------------------------------------------------------------
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width, height, depth, colour, rows, palette=None):
    """A PNG file of rows of bytes."""
    packed = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)) +
            (chunk(b"PLTE", palette) if palette else b"") + chunk(b"IDAT", packed) + chunk(b"IEND", b""))


def chunks(data, file):
    expect(data[:8] == SIGNATURE, f"{file} begins as a PNG file")
    at = 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        said = struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        expect(said == zlib.crc32(name + content), f"{file}: the checksum of {name.decode()}")
        yield name, content
        at += 12 + length


def pixels(packed, width, height):
    """The pixels, three bytes each, of what a PNG file holds compressed (PNG specification, section 9)."""
    raw = zlib.decompress(packed)
    stride = 3 * width
    expect(len(raw) == height * (stride + 1), "the pixels fill the picture")
    before = bytearray(stride)
    rows = []
    for y in range(height):
        method = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left = row[i - 3] if i >= 3 else 0
            above = before[i]
            corner = before[i - 3] if i >= 3 else 0
            if method == 1:
                guess = left
            elif method == 2:
                guess = above
            elif method == 3:
                guess = (left + above) // 2
            elif method == 4:
                p = left + above - corner
                guess = min((abs(p - left), 0, left), (abs(p - above), 1, above), (abs(p - corner), 2, corner))[2]
            else:
                guess = 0
            row[i] = (row[i] + guess) & 255
        rows.append(row)
        before = row
    return rows


def read_picture(path):
    """(width, height, rows) of each frame of a PNG file, or of a PPM file's only one."""
    data = path.read_bytes()
    if data[:2] == b"P6":
        width, height = map(int, data.split(b"\n")[1].split())
        body = data[-3 * width * height:]
        return [(width, height, [body[3 * width * y:3 * width * (y + 1)] for y in range(height)])]
    frames, packed, order, declared = [], b"", [], None
    width = height = 0
    for name, content in chunks(data, path.name):
        if name == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", content[:10])
            expect((depth, colour) == (8, 2), f"{path.name}: 8 bits of each of three colours")
        elif name == b"acTL":
            declared = struct.unpack(">II", content)[0]
        elif name == b"fcTL":
            order.append(struct.unpack(">I", content[:4])[0])
            expect(struct.unpack(">IIII", content[4:20]) == (width, height, 0, 0), f"{path.name}: whole frames")
            if packed:
                frames.append(packed)
            packed = b""
        elif name == b"IDAT":
            packed += content
        elif name == b"fdAT":
            order.append(struct.unpack(">I", content[:4])[0])
            packed += content[4:]
    frames.append(packed)
    expect(order == list(range(len(order))), f"{path.name}: the order of its frames")
    expect(declared is None or declared == len(frames), f"{path.name}: as many frames as it says")
    return [(width, height, pixels(frame, width, height)) for frame in frames]


# ---- Good files, read alike ---------------------------------------------------------------------------------
def reads(folder, has_png):
    width, height, most = 24, 17, 255
    grey = [[(7 * x * x + 31 * y) % 256 for x in range(width)] for y in range(height)]
    grey[3][4], grey[0][0] = 0, 255
    as_bytes = [bytes(row) for row in grey]
    wide = [b"".join(struct.pack(">H", 257 * v) for v in row) for row in grey]
    files = {
        "a.asc": "NCOLS 24\nnrows 17\r\nxllcorner 0\nyllcorner -1e3\ncellsize +30\nNODATA_value -9999\n" +
                 "\n".join(" ".join(repr(v / most) for v in row) for row in grey) + "\n",
        "a.pgm": b"P5\n# a comment\n24 17\n255\n" + b"".join(as_bytes),
        "wide.pgm": b"P5 24 17 65535\n" + b"".join(wide),
        "text.pgm": "P2\n24 17 # of these\n255\n" + "\n".join(" ".join(map(str, row)) for row in grey),
    }
    if has_png:
        files["a.png"] = png(width, height, 8, 0, as_bytes)
        files["wide.png"] = png(width, height, 16, 0, wide)
        files["colour.png"] = png(width, height, 8, 2, [b"".join(bytes([v] * 3) for v in row) for row in grey])
        files["palette.png"] = png(width, height, 8, 3, as_bytes, b"".join(bytes([v] * 3) for v in range(256)))
        files["alpha.png"] = png(width, height, 8, 4, [b"".join(bytes([v, 77]) for v in row) for row in grey])
    said = {}
    for name, content in files.items():
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        ran = run("--ground", name, "--scene", "dam", "--steps", 30, folder=folder)
        expect(ran.returncode == 0 and "24 x 17 cells" in ran.stdout, f"{name} is read: {ran.stdout}{ran.stderr}")
        said[name] = [line for line in ran.stdout.splitlines() if "second" not in line and "changed" not in line]
        said[name] += [line.split(",")[0] for line in ran.stdout.splitlines() if "changed" in line]
    for name, lines in said.items():
        expect(lines == said["a.asc"], f"{name} holds what a.asc holds: {lines}, {said['a.asc']}")
    # -9999 is no height where a grid does not say what is none.
    rows = "\n".join(" ".join("-9999" if (x + y) % 5 == 0 else str((3 * x + y) % 7) for x in range(9)) for y in range(8))
    told = []
    for name, word in (("silent.asc", ""), ("says.asc", "nodata_value -9999\n")):
        (folder / name).write_text("ncols 9\nnrows 8\n" + word + rows + "\n")
        ran = run("--ground", name, "--steps", 5, folder=folder)
        expect(ran.returncode == 0 and "level -9999" not in ran.stdout, f"{name} is read: {ran.stdout}{ran.stderr}")
        told.append([line for line in ran.stdout.splitlines() if "second" not in line])
    expect(told[0] == told[1], f"cells without a height: {told}")
    ran = run("--ground", "a.pgm", "--size", 70, 64, "--steps", 5, folder=folder)
    expect(ran.returncode == 0 and "70 x 64 cells" in ran.stdout, "a ground is made larger")


# ---- Broken files, refused -----------------------------------------------------------------------------------
def refusals(folder, has_png):
    begin = "ncols 3\nnrows 2\n"
    good = png(3, 2, 8, 0, [b"\1\2\3", b"\4\5\6"])
    broken = {
        "empty.asc": ("", "is empty"),
        "words.asc": (begin + "colour 3\n1 2 3\n4 5 6\n", "line 3: 'colour' is no word"),
        "no_rows.asc": ("ncols 3\n1 2 3\n4 5 6\n", "line 2: the heights begin before nrows"),
        "half.asc": ("ncols 3.5\n", "line 1: ncols is 3.5"),
        "negative.asc": ("ncols 3\nnrows -2\n", "line 2: nrows is -2"),
        "huge.asc": ("ncols 3\nnrows 99999999999999999999\n", "line 2: nrows is"),
        "short.asc": (begin + "1 2 3\n4 5\n", "line 5: the file ends after 5 of 6 heights"),
        "large.asc": ("ncols 16384\nnrows 16384\n1 2 3\n", "the file ends after 3 of 268435456 heights"),
        "long.asc": (begin + "1 2 3\n4 5 6\n7\n", "line 5: there are more than the 6 heights"),
        "letters.asc": (begin + "1 2 3\n4 5x 6\n", "line 4: height: '5x' is no number"),
        "infinite.asc": (begin + "1 2 3\n4 inf 6\n", "line 4: height: 'inf' is no number"),
        "nowhere.asc": (begin + "nodata_value 1\n1 1 1\n1 1 1\n", "no cell has a height"),
        "bytes.asc": (b"\x00\x01\x02", "line 1: begins neither as"),
        "no_white.pgm": ("P2\n3 2\n", "line 3: the file ends before the value of white"),
        "white.pgm": ("P5\n3 2\n70000\n", "line 3: the value of white is 70000"),
        "none.pgm": ("P2\n# nothing\n0 2\n255\n", "line 3: the width is 0"),
        "short.pgm": (b"P5\n3 2\n255\n\1\2\3", "line 3: behind it are 3 of 6 bytes"),
        "above.pgm": ("P2\n3 2\n9\n1 2 3\n4 10 6\n", "line 5: pixel 4 is 10, white 9"),
        "few.pgm": ("P2\n3 2\n9\n1 2 3\n4 5\n", "line 6: the file ends after 5 of 6 pixels"),
    }
    if has_png:
        broken["short.png"] = (good[:-30], "short.png: is no good PNG picture: ")
        broken["huge.png"] = (SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", 1 << 30, 9, 8, 0, 0, 0, 0)) + good[33:],
                              "huge.png: is no good PNG picture: ")
        broken["begun.png"] = (good[:20], "begun.png: is no good PNG picture: the file ends too early")
        broken["checksum.png"] = (good[:-17] + b"\0" + good[-16:], "checksum.png: is no good PNG picture: ")
    else:
        broken["a.png"] = (good, "was built without libpng")
    for name, (content, reason) in broken.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        ran = run("--ground", name, "--steps", 1, folder=folder)
        expect(ran.returncode == 1 and ran.stderr.startswith((name + ": ", name + ", line ")) and reason in ran.stderr,
               f"{name} is refused for '{reason}': {ran.returncode}, {ran.stdout}{ran.stderr}")
    for arguments, reason in ((["--ground", "no such file"], "cannot open no such file"),
                              (["--ground", "."], ".: is a folder"),
                              (["--steps", "many"], "--steps many: a whole number from"),
                              (["--size", "12"], "--size: a value is missing"), (["--size", "0", "5"], "--size 0"),
                              (["--stride", "nan"], "--stride nan: a number from"),
                              (["--scene", "storm"], "there are dam, rain, waves and still"),
                              (["--out", "no/such/folder", "--steps", "1"], "cannot write no/such/folder"),
                              (["--colour"], "--colour: no such option")):
        ran = run(*arguments, folder=folder)
        expect(ran.returncode == 1 and reason in ran.stderr,
               f"{arguments} is refused for '{reason}': {ran.returncode}, {ran.stdout}{ran.stderr}")
    ran = run("--help", folder=folder)
    expect(ran.returncode == 0 and "--ground FILE" in ran.stdout, "--help says what there is")


# ---- Pictures, read back ---------------------------------------------------------------------------------------
def pictures(folder, has_png):
    width, height = 40, 24
    (folder / "step.asc").write_text(f"ncols {width}\nnrows {height}\n" + "\n".join(
        " ".join("1" if x >= 30 else "0" for x in range(width)) for _ in range(height)))
    ran = run("--ground", "step.asc", "--level", 0.5, "--scene", "still", "--steps", 9, "--frames", 5, "--pixels", 80,
              "--sheet", 3, 1, "--out", "out", folder=folder)
    expect(ran.returncode == 0 and "changed by 0.0e+00" in ran.stdout, f"pictures are made: {ran.stdout}{ran.stderr}")
    ending = ".png" if has_png else ".ppm"
    shown = [read_picture(folder / f"out-{k:04}{ending}")[0] for k in range(1, 6)]
    for wide, high, rows in shown:
        expect((wide, high) == (80, 48), f"a picture of 80 x 48 pixels, not {wide} x {high}")
        water, land = rows[20][3 * 20:3 * 20 + 3], rows[20][3 * 75:3 * 75 + 3]
        expect(water[2] > water[0] + 30, f"water is blue: {list(water)}")
        expect(land[0] > land[2], f"ground is not: {list(land)}")
    expect(all(one == shown[0] for one in shown), "pictures of still water are the same")
    sheet = read_picture(folder / f"out-sheet{ending}")[0]
    expect(sheet[:2] == (3 * 80 + 2 * 4, 48), f"three pictures side by side: {sheet[:2]}")
    expect(sheet[2][20][:3 * 80] == shown[0][2][20] and sheet[2][20][3 * 84:3 * 164] == shown[2][2][20],
           "the sheet shows the pictures")
    if has_png:
        film = read_picture(folder / "out.png")
        expect(film == shown, "the animation shows the pictures")
    else:
        expect("built without libpng" in ran.stdout, "that there is no animation is said")
    ran = run("--scene", "dam", "--size", 200, 50, "--steps", 40, "--frames", 2, "--pixels", 100, "--out", "dam",
              folder=folder)
    first, second = (read_picture(folder / f"dam-{k:04}{ending}")[0] for k in (1, 2))
    expect(ran.returncode == 0 and first[:2] == (100, 25) and first != second, "water that moves looks otherwise")


with tempfile.TemporaryDirectory() as name:
    asked = pathlib.Path(name)
    run("--size", 4, 4, "--steps", 0, "--frames", 1, "--out", "try", folder=asked)
    with_png = (asked / "try-0001.png").exists()
    print("with libpng" if with_png else "without libpng")
    reads(asked, with_png)
    refusals(asked, with_png)
    pictures(asked, with_png)
sys.exit(1 if failures else 0)
