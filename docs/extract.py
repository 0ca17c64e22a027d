#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""extract.py PAGE FOLDER: write the page's programs to the folder and print their names.

A block marked cpp becomes PAGE_LINE.cpp, one marked cuda PAGE_LINE.cu, where LINE is the line of its first fence. If
the next block is marked text, it becomes PAGE_LINE.expected. `#line` makes the compiler speak of the page.
"""
import pathlib
import re
import sys

EXTENSIONS = {"cpp": ".cpp", "c++": ".cpp", "cuda": ".cu", "cu": ".cu"}
OUTPUT = {"text", "output"}


def blocks(text: str):
    """Yield (language, line of the opening fence, content)."""
    fence = None
    for number, line in enumerate(text.splitlines(), start=1):
        if fence is None:
            opening = re.match(r"(`{3,}|~{3,})\s*([\w+-]*)", line)
            if opening:
                fence, language, start, content = opening[1], opening[2], number, []
        elif re.fullmatch(re.escape(fence) + r"\s*", line):
            yield language, start, "".join(content)
            fence = None
        else:
            content.append(line + "\n")
    if fence is not None:
        raise SystemExit(f"the block that begins on line {start} does not end")


def write(path: pathlib.Path, text: str) -> None:
    """Leave the file's time alone where nothing changed, so that nothing is compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main() -> None:
    page, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    stem = re.sub(r"\W", "_", page.stem).lower()
    wanted = {}
    program = None
    for language, line, content in blocks(page.read_text()):
        if language in EXTENSIONS:
            program = f"{stem}_{line}"
            wanted[program + EXTENSIONS[language]] = f'#line {line + 1} "{page}"\n{content}'
        else:
            if language in OUTPUT and program:
                wanted[program + ".expected"] = content
            program = None
    for stale in folder.glob(f"{stem}_*"):
        if re.fullmatch(rf"{stem}_\d+\.\w+", stale.name) and stale.name not in wanted:
            stale.unlink()
    for name, content in wanted.items():
        write(folder / name, content)
    print("\n".join(name for name in wanted if not name.endswith(".expected")))


main()
