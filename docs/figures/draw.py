#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""draw.py [--check]: the pictures of docs/what-a-scan-can-do.md, from what they show, that of the table of growth in
docs/tridiagonal.md, and the matrices of docs/sparse.md: writes can-*.svg, growth.svg and matrices.svg beside this file,
or fails if one of them is not as it would be written.
"""
import math
import pathlib
import re
import sys
from itertools import accumulate

HERE = pathlib.Path(__file__).resolve().parent
STYLE = """<style>
  .paper { fill: #ffffff } text { fill: #1f2328; font: 13px system-ui, -apple-system, "Segoe UI", sans-serif }
  .title { font-weight: 600; font-size: 14px } .mono { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace }
  .small { font-size: 11px } .cell { fill: #eaeef2; stroke: #8c959f } .blue { fill: #cfe3f7; stroke: #5b86b0 }
  .green { fill: #d5efd0; stroke: #5f9a58 } .warm { fill: #fbe0b8; stroke: #b8894a } .red { fill: #f7d0d0; stroke: #b05b5b }
  .line { fill: none; stroke: #8c959f; stroke-width: 1.5 } .strong { fill: none; stroke: #1a7f64; stroke-width: 2.5 }
  .faint { fill: none; stroke: #b8c0c8; stroke-width: 1 } .hot { fill: none; stroke: #c0532f; stroke-width: 2 }
  .land { fill: #e3dac9; stroke: #8d7a5a; stroke-width: 1.5 } .seen { fill: #1a7f64 } .unseen { fill: #b8c0c8 }
  .area { fill: #c0532f; fill-opacity: 0.25; stroke: none } .range { fill: #1a7f64; fill-opacity: 0.15; stroke: none }
  .tip { fill: #8c959f }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } text { fill: #e6edf3 } .cell { fill: #21262d; stroke: #6e7681 } .blue { fill: #1c3a57; stroke: #5b86b0 }
    .green { fill: #1d3d1a; stroke: #5f9a58 } .warm { fill: #4a3614; stroke: #b8894a } .red { fill: #4f1f1f; stroke: #b05b5b }
    .line { stroke: #6e7681 } .strong { stroke: #3fb98f } .faint { stroke: #444c56 } .hot { stroke: #e8815f }
    .land { fill: #3a3222; stroke: #8d7a5a } .seen { fill: #3fb98f } .unseen { fill: #444c56 } .tip { fill: #6e7681 }
    .area { fill: #e8815f } .range { fill: #3fb98f }
  }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
<path class="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>"""


class Picture:
    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []
        self.text(16, 26, title, "title", "start")

    def text(self, x, y, words, kind="", anchor="middle"):
        words = str(words).replace("&", "&amp;").replace("<", "&lt;").replace("-", "\u2212" if "mono" in kind else "-")
        kind = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text{kind} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{words}</text>')

    def box(self, x, y, width, height, kind):
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3"/>')

    def cell(self, x, y, width, words, kind="cell", height=28):
        self.box(x, y, width, height, kind)
        self.text(x + width / 2, y + height / 2 + 5, words, "mono")

    def path(self, points, kind, more=""):
        where = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path class="{kind}" d="M{where}{more}"/>')

    def arrow(self, x1, y1, x2, y2):
        self.parts.append(f'<path class="line" marker-end="url(#tip)" d="M{x1:g} {y1:g} L{x2:g} {y2:g}"/>')

    def dot(self, x, y, kind, radius=3.5):
        self.parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>')

    def done(self):
        width, height = self.size
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                f'role="img" aria-label="{self.title}">\n<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->\n'
                f'{STYLE}\n<rect class="paper" width="100%" height="100%" rx="6"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def fold_up(p, left, top, width, pairs, join, kind, shown=str):
    """Pairs in a row, and below them what they are together, two by two."""
    step = width
    while True:
        for k, pair in enumerate(pairs):
            x = left + (k + 0.5) * step
            p.cell(x - 34, top, 68, shown(pair), kind(pair))
            if len(pairs) > 1:
                side = 1 if k % 2 == 0 else -1
                p.arrow(x, top + 28, x + side * (step / 2 - 12), top + 54)
        if len(pairs) == 1:
            return
        pairs = [join(a, b) for a, b in zip(pairs[::2], pairs[1::2], strict=True)]
        top, step = top + 56, 2 * step


def strings():
    a, b = "prefixes", "prefaces"
    p = Picture(720, 326, "Which string comes first: (equal items, order behind them)")
    for name, word, y in (("first", a, 44), ("second", b, 76)):
        p.text(62, y + 19, name, "", "end")
        for k, letter in enumerate(word):
            p.cell(93 + 76 * k, y, 38, letter, "cell" if a[k] == b[k] else "warm")
    pairs = [(int(x == y), (x > y) - (x < y)) for x, y in zip(a, b, strict=True)]
    fold_up(p, 74, 112, 76, pairs, lambda x, y: x if x[1] else (x[0] + y[0], y[1]), lambda x: "warm" if x[1] else "blue",
            lambda x: f"{x[0]}, {'=><'[x[1]]}")
    return p


def polynomial():
    p = Picture(720, 246, "3 + 2x + 0x\u00b2 + x\u00b3 at x = 2: (power, value)")
    coefficients, x = [3, 2, 0, 1], 2
    for k, c in enumerate(coefficients):
        p.cell(190 + 100 * k, 44, 40, c)
    fold_up(p, 160, 82, 100, [(x, c) for c in coefficients], lambda a, b: (a[0] * b[0], a[1] + a[0] * b[1]), lambda _: "blue",
            lambda pair: f"{pair[0]}, {pair[1]}")
    p.text(490, 216, "the value is 15", "", "start")
    return p


def carries():
    a, b = "0472856", "0127153"
    p = Picture(720, 240, "472856 + 127153: every carry at once")
    sums = [int(x) + int(y) for x, y in zip(a, b, strict=True)]
    kinds = ["begins" if s > 9 else "passes" if s == 9 else "stops" for s in sums]
    below, into = "stops", []
    for kind in reversed(kinds):
        into.insert(0, below)
        below = below if kind == "passes" else kind
    colour = {"begins": "warm", "passes": "blue", "stops": "cell"}
    rows = [("first", a), ("second", b), ("what a place does", kinds), ("scan, from the right", into),
            ("sum", [(s + (c == "begins")) % 10 for s, c in zip(sums, into, strict=True)])]
    for r, (name, row) in enumerate(rows):
        y = 42 + 38 * r
        p.text(160, y + 19, name, "", "end")
        for k, item in enumerate(row):
            p.cell(176 + 74 * k, y, 68, item, colour.get(item, "green" if r == 4 else "cell"))
    return p


def tree():
    parent = [-1, 0, 1, 1, 0, 4, 5, 4]
    where = [(170, 60), (95, 110), (55, 160), (135, 160), (245, 110), (205, 160), (205, 210), (285, 160)]
    children = {k: [c for c, q in enumerate(parent) if q == k] for k in range(8)}
    p = Picture(720, 246, "A walk around a tree: +1 down, \u22121 up; the scan is the depth")
    for k, above in enumerate(parent):
        if above >= 0:
            p.path([where[above], where[k]], "line")
    for k, (x, y) in enumerate(where):
        p.parts.append(f'<circle class="{"warm" if k in (4, 5, 6, 7) else "blue"}" cx="{x}" cy="{y}" r="14"/>')
        p.text(x, y + 5, "abcdefgh"[k], "mono")
    steps = []

    def walk(k):
        for c in children[k]:
            steps.append((1, c))
            walk(c)
            steps.append((-1, c))

    walk(0)
    depth = list(accumulate((s for s, _ in steps), initial=0))
    left, wide, low = 350, 24, 180
    begin, end = steps.index((1, 4)), steps.index((-1, 4))
    p.box(left + begin * wide, 50, (end - begin + 1) * wide, low - 30, "range")
    p.text(left + (begin + end + 1) / 2 * wide, 66, "subtree of e", "small")
    p.path([(left + i * wide, low - 32 * d) for i, d in enumerate(depth)], "strong")
    for i, (s, c) in enumerate(steps):
        p.text(left + (i + 0.5) * wide, low + 18, f"{s:+d}", "mono small")
        p.text(left + (i + 0.5) * wide, low + 36, "abcdefgh"[c], "mono small")
    for d in range(1, 4):
        p.text(left - 8, low - 32 * d + 4, d, "small", "end")
    return p


def sight():
    p = Picture(720, 226, "Seen from the left edge: steeper than all before")
    heights = [0.011 * x * x + (4 + 0.1 * x) * math.sin(0.37 * x + 2.5) + 0.2 * x for x in range(85)]
    eye = heights[0] + 9
    at = [(24 + 8 * x, 186 - h) for x, h in enumerate(heights)]
    p.path([(24, 210), *at, (at[-1][0], 210)], "land", " Z")
    steepest = -math.inf
    for x in range(1, len(heights)):
        slope = (heights[x] - eye) / x
        if slope > steepest:
            steepest = slope
            last = at[x]
            p.dot(*at[x], "seen")
        else:
            p.dot(*at[x], "unseen", 2.2)
    p.dot(24, 186 - eye, "seen", 5)
    p.path([(24, 186 - eye), last], "hot")
    p.text(36, 174 - eye, "eye", "small", "start")
    p.text(704, 26, "green: seen. The line: the steepest so far, at the end", "small", "end")
    return p


def boxes():
    p = Picture(720, 286, "The sum of any box is four items of the summed-area table")
    image = [[1, 0, 2, 1, 3, 0], [2, 1, 0, 4, 1, 1], [0, 3, 1, 2, 0, 2], [1, 1, 5, 0, 2, 1], [3, 0, 1, 1, 0, 2]]
    table = [[sum(image[v][u] for v in range(y + 1) for u in range(x + 1)) for x in range(6)] for y in range(5)]
    signs = {(3, 4): ("+", "green"), (0, 4): ("\u2212", "red"), (3, 1): ("\u2212", "red"), (0, 1): ("+", "green")}
    for name, left, items in (("picture", 40, image), ("table", 390, table)):
        p.text(left, 52, name, "", "start")
        for y, row in enumerate(items):
            for x, item in enumerate(row):
                inside = 1 <= y <= 3 and 2 <= x <= 4
                kind = ("warm" if inside else "cell") if name == "picture" else signs.get((y, x), ("", "cell"))[1]
                p.cell(left + 46 * x, 60 + 38 * y, 44, item, kind, 36)
    whole = sum(image[y][x] for y in range(1, 4) for x in range(2, 5))
    corners = [table[y][x] for y, x in ((3, 4), (0, 4), (3, 1), (0, 1))]
    assert whole == corners[0] - corners[1] - corners[2] + corners[3]
    p.text(178, 274, f"the box holds {whole}")
    p.text(528, 274, f"{corners[0]} - {corners[1]} - {corners[2]} + {corners[3]} = {whole}", "mono")
    p.arrow(330, 155, 376, 155)
    return p


def noise():
    value = 1
    while True:
        value = (value * 1664525 + 1013904223) % 2**32
        yield value / 2**32 - 0.5


def sound():
    p = Picture(720, 216, "A sound, its average over 25 samples, and what a low pass leaves of it")
    source = noise()
    x = [math.sin(0.025 * i) + 0.9 * next(source) for i in range(680)]
    sums = list(accumulate(x, initial=0))
    average = [(sums[i + 1] - sums[max(0, i - 24)]) / min(i + 1, 25) for i in range(680)]
    w = 0.12
    alpha = math.sin(w) / math.sqrt(2)
    b, a1, a2 = (1 - math.cos(w)) / 2, -2 * math.cos(w), 1 - alpha
    low = [0.0, 0.0]
    for i in range(680):
        u = [x[i - k] if i >= k else 0 for k in range(3)]
        low.append((b * (u[0] + 2 * u[1] + u[2]) - a1 * low[-1] - a2 * low[-2]) / (1 + alpha))
    for items, kind in ((x, "faint"), (average, "strong"), (low[2:], "hot")):
        p.path([(20 + i, 122 - 58 * v) for i, v in enumerate(items)], kind)
    return p


def states():
    p = Picture(720, 252, "A state that the input tells when to remember")
    source = noise()
    steps = 170
    x = [0.8 * next(source) for _ in range(steps)]
    # Some items are marked: only they are let in, and they put out what was there before.
    marked = {20: 0.9, 70: -0.6, 120: 0.35}
    dt = [3.0 if t in marked else 0.004 for t in range(steps)]
    x = [marked.get(t, v) for t, v in enumerate(x)]
    h, state = [], 0
    for t in range(steps):
        fade = math.exp(-dt[t])
        state = fade * state + (1 - fade) * x[t]
        h.append(state)
    for t, v in enumerate(x):
        p.path([(96 + 3.6 * t, 80), (96 + 3.6 * t, 80 - 34 * v)], "hot" if t in marked else "line")
    for t, v in enumerate(dt):
        p.path([(96 + 3.6 * t, 146), (96 + 3.6 * t, 146 - max(1.5, 9 * v))], "hot" if t in marked else "line")
    p.path([(96 + 3.6 * t, 206 - 34 * v) for t, v in enumerate(h)], "strong")
    for name, y in (("input x", 84), ("step dt", 142), ("state h", 210)):
        p.text(84, y, name, "", "end")
    p.text(706, 240, "forward: h fades by exp(\u2212dt), from left to right. Its derivative: the same from right to left.", "small", "end")
    return p


def drawdown():
    p = Picture(720, 246, "The worst fall so far")
    source = noise()
    price = [100.0]
    for i in range(680):
        price.append(price[-1] * (1.0008 + 0.05 * next(source) - (0.012 if 240 < i < 290 else 0)))
    high = list(accumulate(price, max))
    worst = list(accumulate((1 - v / h for v, h in zip(price, high, strict=True)), max))

    def y(v):
        return 164 - 120 * (v - min(price)) / (max(high) - min(price))

    p.path([(20 + i, y(v)) for i, v in enumerate(high)] + [(20 + i, y(v)) for i, v in reversed(list(enumerate(price)))], "area", " Z")
    p.path([(20 + i, y(v)) for i, v in enumerate(high)], "line")
    p.path([(20 + i, y(v)) for i, v in enumerate(price)], "strong")
    p.path([(20 + i, 180 + 120 * v) for i, v in enumerate(worst)], "hot")
    p.path([(20, 180), (700, 180)], "faint")
    p.text(700, 26, f"price, its highest so far; below: the worst fall so far, {100 * worst[-1]:.0f} % at the end", "small", "end")
    return p


def growth():
    """The table of growth in docs/tridiagonal.md."""
    page = (HERE.parent / "tridiagonal.md").read_text()
    table = re.search(r"\| matrix \| growth.*\n\|.*\n((?:\|.*\n)+)", page).group(1)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    p = Picture(720, 92 + 26 * len(rows), "Backward errors in units of rounding, the largest of up to 2\u00b2\u2070 rows")
    low, high, left, width = -2, 6, 150, 540

    def x(value):
        power = high if value == "not finite" else math.log10(float(value))
        return left + width * (min(max(power, low), high) - low) / (high - low)

    bottom = 60 + 26 * len(rows)
    for power in range(low, high + 1, 2):
        at = x(10.0 ** power)
        p.path([(at, 52), (at, bottom)], "faint")
        p.text(at, bottom + 18, f"1e{power}", "mono small")
    for k, (name, _, _, ours, without, lapack) in enumerate(rows):
        y = 70 + 26 * k
        p.text(left - 14, y + 4, name, "", "end")
        p.path([(left, y), (left + width, y)], "faint")
        p.box(x(without) - 3.5, y - 3.5, 7, 7, "warm")
        p.dot(x(lapack), y, "unseen", 6)
        p.dot(x(ours), y, "seen")
    p.text(704, 44, "green: Sweep; grey: LAPACK; squares: without pivoting, at the right where not finite", "small", "end")
    return p


def small_matrices():
    """The kinds of bench/matrices.hpp, each with some sixty rows: where their entries stand."""
    state = 1

    def draw():  # splitmix64, as there
        nonlocal state
        mask = (1 << 64) - 1
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return ((z ^ z >> 31) >> 11) * 2.0 ** -53

    side, n = 8, 64
    grid = [[i * side + j, i * side + j - side * (i > 0), i * side + j - (j > 0), i * side + j + (j + 1 < side),
             i * side + j + side * (i + 1 < side)] for i in range(side) for j in range(side)]
    weights = [min(30, 1 / math.sqrt(1 - draw())) for _ in range(n)]
    power = [[min(n - 1, int(math.exp(draw() * math.log(n)))) for _ in range(round(w * 5 * n / sum(weights)))] for w in weights]
    dense = [list(range(n)) if r == n // 3 else [max(0, r - 1), r, min(n - 1, r + 1)] for r in range(n)]
    band = [list(range(max(0, r - 6), min(n, r + 7))) for r in range(n)]
    empty = [[int(draw() * n) for _ in range(8)] if draw() < 0.1 else [] for r in range(n)]
    uniform = [[int(draw() * n) for _ in range(6)] for r in range(n)]
    return [("5-point Poisson", grid), ("power law", power), ("rows of 3, one dense", dense), ("band", band),
            ("nine of ten empty", empty), ("anywhere", uniform)]


def matrices():
    p = Picture(720, 500, "Where the entries of the measured matrices stand, and below how long their rows are")
    for k, (name, rows) in enumerate(small_matrices()):
        left, top, dot = 30 + 232 * (k % 3), 62 + 222 * (k // 3), 2.5
        width = dot * len(rows)
        p.text(left + width / 2, top - 8, name)
        p.parts.append(f'<rect class="faint" x="{left}" y="{top}" width="{width:g}" height="{width:g}"/>')
        places = sorted({(r, c) for r, row in enumerate(rows) for c in row})
        squares = "".join(f"M{left + dot * c:g} {top + dot * r:g}h2v2h-2z" for r, c in places)
        p.parts.append(f'<path class="seen" d="{squares}"/>')
        lengths = sorted((len(set(row)) for row in rows), reverse=True)
        bottom, most = top + width + 34, max(lengths)
        bars = "".join(f"M{left + dot * i:g} {bottom:g}v{-28 * length / most:.1f}h2v{28 * length / most:.1f}z"
                       for i, length in enumerate(lengths) if length > 0)
        p.parts.append(f'<path class="unseen" d="{bars}"/>')
    return p


PICTURES = {"can-strings": strings, "can-polynomial": polynomial, "can-carries": carries, "can-tree": tree, "can-sight": sight, "can-boxes": boxes,
            "can-sound": sound, "can-states": states, "can-drawdown": drawdown, "growth": growth, "matrices": matrices}


def main():
    wrong = 0
    for name, draw in PICTURES.items():
        path, drawn = HERE / f"{name}.svg", draw().done()
        if "--check" not in sys.argv:
            path.write_text(drawn)
        elif not path.exists() or path.read_text() != drawn:
            print(f"{path.name} is not what {pathlib.Path(__file__).name} draws")
            wrong += 1
    return 1 if wrong else 0


sys.exit(main())
