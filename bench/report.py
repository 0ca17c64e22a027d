#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of the benches: from Google Benchmark's JSON to the flat table, the figures and the numbers in the docs.

  report.py merge RESULT.json...   keep the results in bench/results and put their rows into h100.csv
  report.py render                 figures into docs/figures, tables between the markers of README.md and docs/
  report.py check                  fail if `render` would change anything, or a row is not what the stored results say

law_h100.csv and law_h200.csv, cases drawn at random, are what bench_law (bench/law/main.cu) has written; render reads them
too. The rows of an H200 are kept apart, with their results, in bench/results/h200: merge tells by the GPU's name.

A case measured anew replaces its row. Rows are never written by hand. Markers are
`<!-- figures:begin NAME -->` and `<!-- figures:end -->`; NAME is one of the tables below, `summary` if it is left out.
"""
import argparse
import csv
import io
import itertools
import json
import math
import pathlib
import re
import sys
from html import escape

COLUMNS = ["case", "items", "sweep_us", "copy_ratio", "peer", "peer_us", "speedup"]
# Where a result was made says nothing about it; what it was made with does.
PRIVATE_CONTEXT = {"executable", "host_name", "load_avg", "caches", "mhz_per_cpu", "cpu_scaling_enabled",
                   "library_build_type", "json_schema_version", "library_version"}


class ReportError(Exception):
    """What the user did wrong, in one line."""


# ---- From results to rows -----------------------------------------------------------------------------------

def case_of(name):
    """The case's own name, without what Google Benchmark appends."""
    return re.sub(r"(/(iterations:\d+|repeats:\d+|manual_time|real_time))+$", "", name)


def power_of(case):
    """Sort key of the last part of a name: 2^k, 2^k-1, 2^k+1, 3*2^k+1 or a plain number."""
    size = case.rsplit("/", 1)[-1]
    match = re.fullmatch(r"(?:(\d+)\*)?2\^(\d+)([+-]\d+)?", size)
    if match:
        return int(match[1] or 1) * 2 ** int(match[2]) + int(match[3] or 0)
    return int(size) if size.isdigit() else 0


def number(value):
    """A time or ratio with four significant digits, the same text on every machine."""
    return "" if value is None else f"{value:.4g}" if abs(value) < 1000 else f"{value:.1f}"


def rows_of(benchmark):
    """The rows of one benchmark: ours against the fastest peer, then our other variants against the same peer."""
    case = case_of(benchmark["name"])
    items = int(benchmark["items"])
    peers = {key.removeprefix("peer_us:"): value for key, value in benchmark.items() if key.startswith("peer_us:")}
    peer = min(peers, key=lambda name: (peers[name], name)) if peers else ""
    ratio_at_one_us = benchmark["copy_ratio"] * benchmark["sweep_us"] if benchmark.get("copy_ratio") else None

    def row(name, us):
        return {"case": name, "items": str(items), "sweep_us": number(us),
                "copy_ratio": number(ratio_at_one_us / us) if ratio_at_one_us else "",
                "peer": peer, "peer_us": number(peers.get(peer)), "speedup": number(peers[peer] / us) if peers else ""}

    rows = [row(case, benchmark["sweep_us"])]
    stem, size = case.rsplit("/", 1)
    for key, us in benchmark.items():
        if key.startswith("variant_us:"):
            rows.append(row(f"{stem}+{key.removeprefix('variant_us:')}/{size}", us))
    return rows


def read_result(path):
    try:
        result = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise ReportError(f"{path}: {error}") from error
    benchmarks = result.get("benchmarks", [])
    if not benchmarks:
        raise ReportError(f"{path}: holds no benchmarks")
    failed = [f"{case_of(b['name'])}: {b.get('error_message', '')}" for b in benchmarks if b.get("error_occurred")]
    if failed:
        raise ReportError(f"{path}: failed cases are no results: " + "; ".join(failed))
    return result


def kept(result):
    """A result as it is stored: no trace of where it was made."""
    context = {key: value for key, value in sorted(result.get("context", {}).items()) if key not in PRIVATE_CONTEXT}
    benchmarks = []
    for benchmark in result["benchmarks"]:
        kept_keys = {key: value for key, value in benchmark.items()
                     if key not in {"family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
                                    "repetition_index", "threads"}}
        kept_keys["name"] = case_of(benchmark["name"])
        benchmarks.append(kept_keys)
    return {"context": context, "benchmarks": benchmarks}


def read_table(path):
    if not path.exists():
        return []
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != COLUMNS:
            raise ReportError(f"{path}: the columns are not {','.join(COLUMNS)}")
        return list(reader)


def table_text(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    ordered = sorted(rows, key=lambda row: (row["case"].rsplit("/", 1)[0], power_of(row["case"])))
    writer.writerows(ordered)
    return out.getvalue()


def json_text(result):
    return json.dumps(result, indent=1, ensure_ascii=False) + "\n"


def store(results, stem, result):
    """Keeps a result under the first free name of stem.json, stem.2.json, ..., and takes the cases measured anew out of
    the older ones, so that every case is there once, beside what it was measured with."""
    anew = {benchmark["name"] for benchmark in result["benchmarks"]}
    for path in sorted(results.glob(f"{stem}*.json")):
        if not re.fullmatch(rf"{re.escape(stem)}(\.\d+)?\.json", path.name):
            continue
        old = json.loads(path.read_text())
        left = [benchmark for benchmark in old["benchmarks"] if benchmark["name"] not in anew]
        if not left:
            path.unlink()
        elif len(left) < len(old["benchmarks"]):
            path.write_text(json_text({**old, "benchmarks": left}))
    names = itertools.chain([f"{stem}.json"], (f"{stem}.{i}.json" for i in itertools.count(2)))
    next(path for path in map(results.joinpath, names) if not path.exists()).write_text(json_text(result))


def result_rows(result):
    """The rows of a whole result; copies alone and searches for plans have none."""
    return [row for benchmark in result["benchmarks"]
            if "sweep_us" in benchmark and case_of(benchmark["name"]).split("/")[0] not in ("copy", "tune")
            for row in rows_of(benchmark)]


def foreign_rows(table):
    """Cases of the table that are not what the stored results say, and the other way round."""
    stored = {row["case"]: row for path in sorted(table.parent.glob("*.json")) for row in result_rows(read_result(path))}
    rows = {row["case"]: row for row in read_table(table)}
    return sorted(case for case in stored.keys() | rows.keys() if stored.get(case) != rows.get(case))


def table_of(paths, table):
    """The table that the results belong to: a GPU other than the table's has one in a folder of its own."""
    gpus = {read_result(path).get("context", {}).get("gpu", "").lower() for path in paths}
    return next((other for other in other_tables(table) if gpus and all(other.stem in gpu for gpu in gpus)), table)


def other_tables(table):
    return [table.parent / name / f"{name}.csv" for name in ("h200",)]


def merge(paths, table, results):
    """Stores every result beside the table and replaces the rows of its cases."""
    device = table.stem.lower()
    rows = {row["case"]: row for row in read_table(table)}
    stored = []
    for path in paths:
        result = read_result(path)
        gpu = result.get("context", {}).get("gpu")
        if gpu and device not in gpu.lower():
            raise ReportError(f"{path}: measured on {gpu}, but {table.name} is for {device}")
        rows |= {row["case"]: row for row in result_rows(result)}
        stored.append((path.stem, kept(result)))
    results.mkdir(parents=True, exist_ok=True)
    for stem, result in stored:
        store(results, stem, result)
    table.write_text(table_text(rows.values()))
    return len(rows)


# ---- Figures ------------------------------------------------------------------------------------------------

STYLE = """
  .paper { fill: #ffffff } text { fill: #1f2328; font: 13px system-ui, -apple-system, "Segoe UI", sans-serif }
  .title { font-size: 15px; font-weight: 600 } .small { font-size: 11px } .grid { stroke: #d0d7de; stroke-width: 1 }
  .limit { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 4 3 }
  .s0 { fill: #1a7f64 } .s1 { fill: #a6b0ba } .s2 { fill: #bf8700 } .s3 { fill: #8250df } .s4 { fill: #0969da }
  .more { fill: #1a7f64 } .even { fill: #8c959f } .less { fill: #cf222e } .mark { fill-opacity: 0.6 }
  .in { font-size: 11px; text-anchor: end } .t0, .t3, .t4 { fill: #ffffff }
  .l { fill: none; stroke-width: 2 }
  .l0 { stroke: #1a7f64 } .l1 { stroke: #8c959f } .l2 { stroke: #bf8700 } .l3 { stroke: #8250df } .l4 { stroke: #0969da }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } text { fill: #e6edf3 } .grid { stroke: #30363d } .limit { stroke: #e6edf3 }
    .s0 { fill: #3fb98f } .s1 { fill: #6e7681 } .s2 { fill: #d29922 } .s3 { fill: #a371f7 } .s4 { fill: #58a6ff }
    .more { fill: #3fb98f } .even { fill: #8b949e } .less { fill: #ff7b72 }
    .t0, .t1, .t2, .t3, .t4 { fill: #0d1117 }
    .l0 { stroke: #3fb98f } .l1 { stroke: #8b949e } .l2 { stroke: #d29922 } .l3 { stroke: #a371f7 } .l4 { stroke: #58a6ff }
  }
"""


def svg(width, height, title, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-label="{escape(title)}">\n<style>{STYLE}</style>\n'
            f'<rect class="paper" width="{width}" height="{height}" rx="6"/>\n'
            f'<text class="title" x="16" y="26">{escape(title)}</text>\n' + "\n".join(body) + "\n</svg>\n")


def legend(names, x, y):
    out = []
    for i, name in enumerate(names):
        out.append(f'<rect class="s{i}" x="{x}" y="{y - 10}" width="12" height="12" rx="2"/>'
                   f'<text x="{x + 18}" y="{y}">{escape(name)}</text>')
        x += 34 + round(7.2 * len(name))
    return out


def step_for(top):
    for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50):
        if top / step <= 10:
            return step
    return 100


def bars(title, axis, series, lines, limit=None):
    """Horizontal bars. lines: [(label, [value or None per series])]; limit: (value, label) of a dashed line."""
    label_width = 16 + max(round(7.0 * len(label)) for label, _ in lines)
    plot, thick, gap = 520, 13, 11
    values = [value for _, row in lines for value in row if value is not None] + ([limit[0]] if limit else [])
    step = step_for(max(values))
    top = math.ceil(max(values) / step - 1e-9) * step
    left, upper = label_width + 8, 76
    height = upper + len(lines) * (thick * len(series) + gap) + 52
    bottom = height - 52
    out = legend(series, 16, 52)
    for i in range(round(top / step) + 1):
        x = left + plot * i * step / top
        out.append(f'<line class="grid" x1="{x:.1f}" y1="{upper - 8}" x2="{x:.1f}" y2="{bottom}"/>'
                   f'<text class="small" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{i * step:g}</text>')
    y = upper
    for label, row in lines:
        middle = y + thick * len(series) / 2 + 4
        out.append(f'<text x="{left - 8}" y="{middle:.1f}" text-anchor="end">{escape(label)}</text>')
        for i, value in enumerate(row):
            if value is None:
                continue
            length = plot * value / top
            at = (f'class="in t{i}" x="{left + length - 5:.1f}"' if length > 60    # inside the bar where it fits
                  else f'class="small" x="{left + length + 4:.1f}"')
            out.append(f'<rect class="s{i}" x="{left}" y="{y + i * thick}" width="{length:.1f}" '
                       f'height="{thick - 1}" rx="1"/>'
                       f'<text {at} y="{y + i * thick + 10}">{value:.2f}</text>')
        y += thick * len(series) + gap
    if limit:
        x = left + plot * limit[0] / top
        out.append(f'<line class="limit" x1="{x:.1f}" y1="{upper - 8}" x2="{x:.1f}" y2="{bottom}"/>'
                   f'<text class="small" x="{x:.1f}" y="{upper - 12}" text-anchor="middle">{escape(limit[1])}</text>')
    out.append(f'<text x="{left + plot / 2:.1f}" y="{bottom + 38}" text-anchor="middle">{escape(axis)}</text>')
    return svg(left + plot + 50, height, title, out)


def curves(title, across, up, series, points):
    """Lines over log2 of the size. points: [[(log2 size, value)] per series]."""
    left, upper, plot, tall = 64, 76, 640, 300
    sizes = sorted({x for line in points for x, _ in line})
    low, high = math.floor(sizes[0]), math.ceil(sizes[-1])
    values = [value for line in points for _, value in line]
    step = step_for(max(values))
    top = math.ceil(max(values) / step - 1e-9) * step
    out = legend(series, 16, 52)

    def x_of(x):
        return left + plot * (x - low) / max(high - low, 1)

    def y_of(y):
        return upper + tall - tall * y / top

    for i in range(round(top / step) + 1):
        y = y_of(i * step)
        out.append(f'<line class="grid" x1="{left}" y1="{y:.1f}" x2="{left + plot}" y2="{y:.1f}"/>'
                   f'<text class="small" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{i * step:g}</text>')
    for k in range(low, high + 1):
        out.append(f'<text class="small" x="{x_of(k):.1f}" y="{upper + tall + 16}" text-anchor="middle">2^{k}</text>')
    for i, line in enumerate(points):
        path = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in sorted(line))
        out.append(f'<polyline class="l l{i}" points="{path}"/>')
    out.append(f'<text x="{left + plot / 2}" y="{upper + tall + 38}" text-anchor="middle">{escape(across)}</text>')
    out.append(f'<text x="16" y="{upper + tall / 2}" text-anchor="middle" '
               f'transform="rotate(-90 16 {upper + tall / 2})">{escape(up)}</text>')
    return svg(left + plot + 24, upper + tall + 52, title, out)


MARGIN = 0.03  # what two runs of the same differ by


def verdict(speedup):
    return "less" if speedup < 1 - MARGIN else "more" if speedup > 1 + MARGIN else "even"


def marks(title, axis, lanes, low=0.25, high=8):
    """A lane of marks on a logarithmic axis for each of lanes: [(label, [value])]; what lies beyond it, at its ends."""
    label_width = 16 + max(round(7.0 * len(label)) for label, _ in lanes)
    left, upper, plot, thick, note = label_width + 8, 76, 440, 30, 190
    bottom = upper + thick * len(lanes)

    def x_of(at):
        return left + plot * math.log2(min(max(at, low), high) / low) / math.log2(high / low)

    out, x = [], 16
    for kind, words in (("more", "faster"), ("even", f"within {MARGIN:.0%}"), ("less", "slower")):
        out.append(f'<rect class="{kind}" x="{x}" y="42" width="12" height="12" rx="2"/><text x="{x + 18}" y="52">{words}</text>')
        x += 34 + round(7.2 * len(words))
    for k in range(round(math.log2(low)), round(math.log2(high)) + 1):
        kind = "limit" if k == 0 else "grid"
        out.append(f'<line class="{kind}" x1="{x_of(2 ** k):.1f}" y1="{upper - 8}" x2="{x_of(2 ** k):.1f}" y2="{bottom}"/>'
                   f'<text class="small" x="{x_of(2 ** k):.1f}" y="{bottom + 16}" text-anchor="middle">{2.0 ** k:g}</text>')
    for i, (label, values) in enumerate(lanes):
        y = upper + thick * i
        out.append(f'<text x="{left - 8}" y="{y + 17}" text-anchor="end">{escape(label)}</text>')
        for at in sorted(values):
            out.append(f'<rect class="mark {verdict(at)}" x="{x_of(at) - 1:.1f}" y="{y + 4}" width="2" height="18"/>')
        beyond = sum(at > high for at in values), sum(at < low for at in values)
        said = [f"{len(values)} cases", f"{sum(verdict(at) == 'less' for at in values)} slower"]
        said += [f"{beyond[0]} past {high}"] if beyond[0] else []
        said += [f"{beyond[1]} past {low:g}"] if beyond[1] else []
        out.append(f'<text class="small" x="{left + plot + 12}" y="{y + 17}">{", ".join(said)}</text>')
    out.append(f'<text x="{left + plot / 2:.1f}" y="{bottom + 38}" text-anchor="middle">{escape(axis)}</text>')
    return svg(left + plot + note, bottom + 52, title, out)


def value(text):
    return float(text) if text else None


def peer_ratio(row):
    """The peer's ratio to the copy: the same bytes in the peer's time."""
    ratio, peer_us = value(row["copy_ratio"]), value(row["peer_us"])
    return ratio * float(row["sweep_us"]) / peer_us if ratio and peer_us else None


def label_of(row):
    """inclusive_sum f32 backward: a case without its family and size."""
    return " ".join(part.replace("_", " ") for part in row["case"].split("/")[1:-1])


def is_device_scan(row):
    parts = row["case"].split("/")
    return parts[0] == "scan" and parts[3] in ("forward", "backward") and parts[1] != "linear_cost"


def chosen(rows, keep):
    return [row for row in rows if keep(row)]


def axes_beside_torch(rows):
    return chosen(rows, lambda row: row["case"].startswith("axes_torch/"))


TYPES = ["f32", "i32", "u8", "i8", "f16", "bf16", "f64", "i64"]   # as a reader looks for them; then by name


def device_scans(rows, size):
    def order(row):
        _, algorithm, type_, detail, _ = row["case"].split("/")
        return (TYPES.index(type_) if type_ in TYPES else len(TYPES), type_, algorithm != "inclusive_sum", algorithm,
                detail != "forward")

    return sorted(chosen(rows, lambda row: is_device_scan(row) and row["case"].endswith("/" + size)), key=order)


def article_rows(rows):
    return chosen(rows, lambda row: re.match(r"papers/exclusive_sum/f32/[a-z_]+\+[a-z_]+/", row["case"]))


PAPER_VARIANTS = [("matrix", "+matrix"), ("tree", "+tree"), ("tree, padded", "+tree_padded"), ("default", "")]


def paper_points(rows, direction):
    """Time over the matrix scan's, per variant and then CUB, at every size of the papers."""
    by_case = {row["case"]: row for row in rows}
    lines = [[] for _ in range(len(PAPER_VARIANTS) + 1)]
    for row in rows:
        match = re.fullmatch(rf"papers/inclusive_sum/f32/{direction}\+matrix/(.+)", row["case"])
        if not match:
            continue
        at, base = math.log2(int(row["items"])), float(row["sweep_us"])
        for i, (_, suffix) in enumerate(PAPER_VARIANTS):
            other = by_case.get(f"papers/inclusive_sum/f32/{direction}{suffix}/{match[1]}")
            if other:
                lines[i].append((at, float(other["sweep_us"]) / base))
        if row["peer_us"]:
            lines[-1].append((at, float(row["peer_us"]) / base))
    return [sorted(line) for line in lines]


SORT_VARIANTS = ["radix", "radix_msd", "sample", "merge", "split_radix", "radix_merge", "quicksort", "bitonic"]


def times_by_variant(rows, stem):
    """Of a case of the papers' that has variants: name of the size -> variant, "default" or "CUB" -> microseconds."""
    found = {}
    for row in rows:
        match = re.fullmatch(rf"papers/{stem}(?:\+([a-z_0-9]+))?/(.+)", row["case"])
        if match:
            times = found.setdefault((int(row["items"]), match[2]), {})
            times[match[1] or "default"] = float(row["sweep_us"])
            if row["peer_us"]:
                times["CUB"] = float(row["peer_us"])
    return {name: found[at, name] for at, name in sorted(found)}


def sort_variant_table(rows, stem, variants):
    """Microseconds of each variant of a sort, size by size; the fastest of them, and what is within 2 % of it, is bold."""
    by_size = times_by_variant(rows, stem)
    columns = ["default"] + [name for name in variants if any(name in times for times in by_size.values())]

    def cell(times, name):
        if name not in times:
            return ""
        text = f"{times[name]:.4g}" if times[name] < 1e4 else f"{times[name]:.0f}"
        return f"**{text}**" if times[name] <= 1.02 * min(times[other] for other in columns if other in times) else text

    return markdown(["items"] + [name if name == "default" else f"`{name}`" for name in columns] + ["CUB"],
                    [[name] + [cell(times, column) for column in columns + ["CUB"]] for name, times in by_size.items()])


PAPER_SORTS = [("split_radix", "GPU global radix", 165.0), ("radix_merge", "GPU radix/merge", 317.8),
               ("quicksort", "GPU quicksort/merge", 2050.3)]


def paper_sort_table(rows):
    """The table of Sengupta 2007, section 5, in milliseconds, with what stands here for each of its rows."""
    times = times_by_variant(rows, "sort/u32/uniform")["2^22"]
    lines = [[name, f"{then}", f"`{variant}`", f"{times[variant] * 1e-3:.3f}"] for variant, name, then in PAPER_SORTS]
    serial = [row for row in rows if row["case"].startswith("papers/sort_serial/")]
    if serial:
        lines.append(["CPU STL sort", "571.7", "`std::sort`, one thread", f"{float(serial[0]['peer_us']) * 1e-3:.1f}"])
    lines.append(["", "", "the default", f"{times['default'] * 1e-3:.3f}"])
    return markdown(["2007, GeForce 8800 GTX", "ms", "here, H100", "ms"], lines)


SPLIT_SCANS = ["tree", "tree_padded", "hillis_steele", "matrix", "reduce_then_scan", "chained", "ordered_lookback"]


def split_table(rows):
    """The experiment of Dotsenko 2008, section 5.3: microseconds of a sort of one bit a pass over each scan."""
    lines = []
    for layout in ("best", "worst"):
        for size, times in times_by_variant(rows, f"split_radix/u32/{layout}").items():
            lines.append([size, layout] + [f"{times[name]:.0f}" for name in SPLIT_SCANS] +
                         [f"{100 * (times['tree'] / times['matrix'] - 1):.1f} %"])
    return markdown(["items", "scatter"] + [name.replace("_", " ") for name in SPLIT_SCANS] + ["matrix for the tree"],
                    lines)


def peer_names(rows):
    return ", ".join(sorted({row["peer"] for row in rows if row["peer"]}))


FAMILIES = {"scan": "scans", "papers": "scans, the papers' sizes", "segmented_scan": "segmented scans",
            "reduce": "reductions", "segmented_reduce": "segmented reductions", "partition": "compactions",
            "adjacent_difference": "differences", "gather": "gathers and scatters", "run_length": "run lengths",
            "histogram": "histograms", "count": "counts", "search": "searches", "sort": "sorts",
            "segmented_sort": "sorts of segments", "merge": "merges", "multisplit": "splits"}
# Variants that are there to teach and to compare, under names of their own.
VARIANTS_TO_COMPARE = {"atomic", "shared_atomic", "interleaved", "sequential_addressing"}


def against_peers(rows):
    """Family -> its cases on the device by the default plan, against the faster of CUB and Thrust."""
    out = {}
    for row in rows:
        parts = row["case"].split("/")
        if (row["peer"].startswith(("cub", "thrust")) and row["speedup"] and "+" not in row["case"]
                and "/host_threads_" not in row["case"] and parts[0] != "compile_time"
                and not VARIANTS_TO_COMPARE & set(parts)):
            out.setdefault(FAMILIES.get(parts[0], parts[0].replace("_", " ")), []).append(row)
    order = list(dict.fromkeys(FAMILIES.values()))
    return dict(sorted(out.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def libraries(rows):
    of = {row["peer"].split()[0] for row in rows}
    return " and ".join(name for peer, name in (("cub", "CUB"), ("thrust", "Thrust")) if peer in of)


def speedups(rows):
    return sorted(float(row["speedup"]) for row in rows)


def slower(rows):
    return sorted(chosen(rows, lambda row: verdict(float(row["speedup"])) == "less"), key=lambda row: float(row["speedup"]))


def figures(rows):
    """File name -> SVG, for every figure that there are results for."""
    out = {}
    large = device_scans(rows, "2^28")
    if large:
        out["scan-ratio.svg"] = bars(
            "Scans of 2^28 items on one H100", "ratio to a device-to-device copy of the same run",
            ["Sweep", peer_names(large)], [(label_of(row), [value(row["copy_ratio"]), peer_ratio(row)]) for row in large],
            (1.0, "copy"))
    first = chosen(large, lambda row: row["case"].split("/")[1:4] in (
        ["inclusive_sum", "f32", "forward"], ["inclusive_sum", "f32", "backward"], ["exclusive_sum", "i32", "forward"],
        ["inclusive_sum", "u8", "forward"], ["inclusive_sum", "f16", "forward"], ["inclusive_sum", "f64", "forward"],
        ["inclusive_scan", "affine_f32", "forward"], ["inclusive_scan", "bicyclic_u32", "forward"]))
    if first:
        out["overview.svg"] = bars(
            "Scans of 2^28 items on one H100", "ratio to a device-to-device copy of the same run",
            ["Sweep", peer_names(first)], [(label_of(row), [value(row["copy_ratio"]), peer_ratio(row)]) for row in first],
            (1.0, "copy"))
    sizes = [row for size in ("2^16", "2^20", "2^24", "2^28") for row in device_scans(rows, size)
             if row["case"].split("/")[1:4] in (["inclusive_sum", "f32", "forward"], ["inclusive_sum", "f64", "forward"],
                                                ["inclusive_sum", "u8", "forward"])]
    if sizes:
        sizes.sort(key=lambda row: (row["case"].rsplit("/", 1)[0], power_of(row["case"])))
        out["scan-speedup.svg"] = bars(
            "Inclusive sums by size on one H100", f"times as fast as {peer_names(sizes)}", ["Sweep"],
            [(f"{row['case'].split('/')[2]} {row['case'].split('/')[-1]}", [value(row["speedup"])]) for row in sizes],
            (1.0, "peer"))
    article = article_rows(rows)
    if article:
        out["scan-variants.svg"] = bars(
            "Exclusive sums of 2^26 floats by variant on one H100", "ratio to a device-to-device copy of the same run",
            ["Sweep", peer_names(article)],
            [(label_of(row).removeprefix("exclusive sum f32 "), [value(row["copy_ratio"]), peer_ratio(row)])
             for row in article], (1.0, "copy"))
    for direction in ("forward", "backward"):
        points = paper_points(rows, direction)
        if any(points):
            out[f"papers-{direction}.svg"] = curves(
                f"{direction.capitalize()} scans of floats at the papers' sizes on one H100", "items",
                "time over the matrix scan's", [name for name, _ in PAPER_VARIANTS] + ["CUB"], points)
    families = against_peers(rows)
    if families:
        every = [row for family in families.values() for row in family]
        out["against-cub.svg"] = marks(
            f"Every case against {libraries(every)} on one H100: {len(slower(every))} of {len(every)} are slower by over "
            f"{MARGIN:.0%}",
            f"times as fast as {peer_names(every)}", [(name, speedups(family)) for name, family in families.items()])
    axes = axes_beside_torch(rows)
    if axes:
        out["axes.svg"] = bars(
            "Scans along every axis on one H100", "ratio to a device-to-device copy of the same run",
            ["Sweep", peer_names(axes)], [(label_of(row), [value(row["copy_ratio"]), peer_ratio(row)]) for row in axes],
            (1.0, "copy"))
    reductions = chosen(rows, lambda row: row["case"].startswith("reduce/") and row["case"].endswith("/2^28"))
    if reductions:
        out["reduce-ratio.svg"] = bars(
            "Reductions of 2^28 items on one H100", "ratio of the read bytes' rate to a copy's",
            ["Sweep", peer_names(reductions)],
            [(label_of(row), [value(row["copy_ratio"]), peer_ratio(row)]) for row in reductions], (1.0, "copy"))
    return out


# ---- Tables in the docs -------------------------------------------------------------------------------------

def markdown(head, lines):
    out = ["| " + " | ".join(head) + " |", "|" + "|".join([" --- "] + [" ---: "] * (len(head) - 1)) + "|"]
    return "\n".join(out + ["| " + " | ".join(line) + " |" for line in lines])


def two(number_):
    return "" if number_ is None else f"{number_:.2f}"


def scan_lines(rows):
    return [[f"{label_of(row)}, {row['case'].split('/')[-1]}", row["sweep_us"], two(value(row["copy_ratio"])),
             row["peer_us"], two(peer_ratio(row)), two(value(row["speedup"]))] for row in rows]


HEAD = ["case", "Sweep us", "ratio to copy", "peer us", "peer's ratio", "times as fast"]


def summary_table(families):
    every = [row for family in families.values() for row in family]

    def line(name, family):
        times = speedups(family)
        return [name, str(len(times)), str(len(slower(family))), two(times[0]), two(times[len(times) // 2]), two(times[-1])]

    return (markdown(["family", "cases", f"slower by over {MARGIN:.0%}", "least", "median", "most"],
                     [line(*item) for item in families.items()] + [line("all", every)])
            + f"\n\nTimes as fast as {peer_names(every)}.")


def slower_table(families):
    lost = slower([row for family in families.values() for row in family])
    return markdown(HEAD, [[f"{row['case'].split('/')[0].replace('_', ' ')}: {line[0]}", *line[1:]]
                           for row, line in zip(lost, scan_lines(lost))])


def tables_of_another(rows, drawn, name):
    """Name -> Markdown for what another GPU has: its families beside their peers, what is slower, its flat scans, its law."""
    out = {}
    families = against_peers(rows)
    if families:
        out[f"summary_{name}"] = summary_table(families)
        out[f"slower_{name}"] = slower_table(families)
    scans = device_scans(rows, "2^28")
    if scans:
        out[f"scan_{name}"] = markdown(HEAD, scan_lines(scans)) + f"\n\nPeer: {peer_names(scans)}."
    return {**out, **{f"{table}_{name}": text for table, text in law_tables(drawn).items()}}


def tables(rows):
    """Name -> Markdown, for every table that there are results for."""
    out = {}
    families = against_peers(rows)
    if families:
        out["summary"] = summary_table(families)
        out["slower"] = slower_table(families)
    scans = chosen(rows, lambda row: row["case"].startswith("scan/"))
    if scans:
        out["scan"] = markdown(HEAD[:3] + ["peer"] + HEAD[3:], [line[:3] + [row["peer"]] + line[3:] for row, line in
                                                               zip(scans, scan_lines(scans))])
    reductions = chosen(rows, lambda row: row["case"].startswith("reduce/"))
    if reductions:
        out["reduce"] = markdown(HEAD, scan_lines(reductions)) + f"\n\nPeer: {peer_names(reductions)}."
    for name, family in (("segmented", ("segmented_scan/", "segmented_reduce/")), ("compaction", "partition/"), ("adjacent_difference", "adjacent_difference/"),
                         ("search", ("count/", "extrema/", "search/", "bounds/")),
                         ("moves", ("gather/", "scatter/", "run_length/", "expand/", "histogram/")),
                         ("sorts", ("sort/", "segmented_sort/", "merge/", "multisplit/"))):
        of_family = chosen(rows, lambda row: row["case"].startswith(family))
        if of_family:
            out[name] = markdown(HEAD[:3] + ["peer"] + HEAD[3:], [line[:3] + [row["peer"]] + line[3:] for row, line in
                                                                 zip(of_family, scan_lines(of_family))])
    axes = axes_beside_torch(rows)
    if axes:
        out["axes_torch"] = markdown(HEAD, scan_lines(axes)) + f"\n\nPeer: {peer_names(axes)}."
    article = article_rows(rows)
    if article:
        lines = []
        for row in article:
            across, within = row["case"].split("/")[3].split("+")
            rate = 8 * int(row["items"]) / float(row["sweep_us"]) * 1e-3
            lines.append([f"`{across}`", f"`{within}`", f"{rate:.0f}", two(value(row["copy_ratio"])),
                          two(value(row["speedup"]))])
        out["variants"] = (markdown(["across tiles", "within a tile", "GB/s", "ratio to copy", "CUB's time over this"], lines)
                           + f"\n\nExclusive sums of 2^26 floats; GB/s of 8 bytes an item. Peer: {peer_names(article)}.")
    for direction in ("forward", "backward"):
        points = paper_points(rows, direction)
        if not any(points):
            continue
        names = {at: case for at, case in ((math.log2(int(row["items"])), row["case"].rsplit("/", 1)[-1]) for row in rows
                                           if row["case"].startswith(f"papers/inclusive_sum/f32/{direction}+matrix/"))}
        by_at = [dict(line) for line in points]
        out[f"papers_{direction}"] = markdown(
            ["items"] + [name for name, _ in PAPER_VARIANTS] + ["CUB"],
            [[names[at]] + [two(line.get(at)) for line in by_at] for at in sorted(names)])
    if times_by_variant(rows, "sort/u32/uniform"):
        out["sort_variants"] = sort_variant_table(rows, "sort/u32/uniform", SORT_VARIANTS)
        out["sort_variants_by_comparison"] = sort_variant_table(rows, "sort/16_bytes/comparison", SORT_VARIANTS)
        out["papers_sorts"] = paper_sort_table(rows)
        out["papers_splits"] = split_table(rows)
    host = chosen(rows, lambda row: "/host_threads_" in row["case"])
    if host:
        out["host"] = markdown(HEAD[:3] + ["fastest peer", "its us", "times as fast"],
                               [[label_of(row), row["sweep_us"], two(value(row["copy_ratio"])), row["peer"],
                                 row["peer_us"], two(value(row["speedup"]))] for row in host])
    compile_time = chosen(rows, lambda row: row["case"].startswith("compile_time/"))
    if compile_time:
        out["compile_time"] = markdown(["translation unit", "Sweep s", "peer", "its s", "times as fast"], [
            [label_of(row), two(float(row["sweep_us"]) * 1e-6), row["peer"], two(float(row["peer_us"]) * 1e-6),
             two(value(row["speedup"]))] for row in compile_time])
    return out


# ---- The law of speed: cases drawn at random ------------------------------------------------------------------

LAW_SIZES = [("below 2^16", 0), ("2^16 to 2^20", 1 << 16), ("2^20 to 2^24", 1 << 20), ("2^24 to 2^26", 1 << 24),
             ("2^26 and more", 1 << 26)]
LAW_HEAD = ["cases", "slower than 0.97", "than 0.9", "least", "geometric mean", "most"]


def law_rows(results, name):
    """Of the results of bench_law on that GPU; none if there are none."""
    path = results / f"law_{name}.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if None in row or None in row.values():
            raise ReportError(f"{path}: the row of {row['case']} has not as many columns as the table")
    return rows


def law_kind(row):
    return row["case"].split()[0].replace("_", " ")


def law_size(row):
    return [name for name, least in LAW_SIZES if int(row["items"]) >= least][-1]


def grouped(rows, key, order=None):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return {name: groups[name] for name in (order or sorted(groups)) if name in groups}


def law_line(name, rows):
    times = speedups(rows)
    mean = math.exp(sum(map(math.log, times)) / len(times))
    return [name, str(len(times)), *(str(sum(at < limit for at in times)) for limit in (0.97, 0.9)), two(times[0]), two(mean),
            two(times[-1])]


def law_figures(rows):
    if not rows:
        return {}
    judged = [row for row in rows if int(row["items"]) >= 1 << 16]
    lost = sum(at < 0.97 for at in speedups(judged))
    return {"law.svg": marks(
        f"{len(rows)} cases drawn at random on one H100: {lost} of {len(judged)} of 2^16 items and more are slower than 0.97",
        "times as fast as CUB or Thrust", [(name, speedups(group)) for name, group in grouped(rows, law_kind).items()])}


def law_tables(rows):
    if not rows:
        return {}
    sizes = grouped(rows, law_size, [name for name, _ in LAW_SIZES])
    worst = sorted(rows, key=lambda row: float(row["speedup"]))[:30]
    return {"law": markdown(["items", *LAW_HEAD], [law_line(*group) for group in sizes.items()] + [law_line("all", rows)]),
            "law_kinds": markdown(["kind", *LAW_HEAD], [law_line(*group) for group in grouped(rows, law_kind).items()]),
            "law_worst": markdown(["case", "items", "Sweep us", "peer", "its us", "times as fast", "ratio to copy"], [
                [row["case"], row["items"], row["sweep_us"], f"`{row['peer']}`", row["peer_us"], two(float(row["speedup"])),
                 two(float(row["copy_ratio"]))] for row in worst])}


MARKED = re.compile(r"(<!-- figures:begin(?: ([a-z_0-9]+))? -->\n)(.*?)(<!-- figures:end -->)", re.DOTALL)


def with_tables(text, generated, missing):
    """The text with its tables; the names of those that there are no results for are added to `missing`."""
    def replace(match):
        name = match[2] or "summary"
        if name not in generated:
            missing.append(name)
            return match[0]
        return match[1] + "\n" + generated[name] + "\n\n" + match[4]

    return MARKED.sub(replace, text)


def rendered(root, table):
    """Path -> text of everything that is generated from the table, and what could not be."""
    missing = []
    rows, drawn = read_table(table), law_rows(table.parent, table.stem)
    out = {root / "docs" / "figures" / name: text for name, text in {**figures(rows), **law_figures(drawn)}.items()}
    generated = {**tables(rows), **law_tables(drawn)}
    for other in other_tables(table):
        generated |= tables_of_another(read_table(other), law_rows(table.parent, other.stem), other.stem)
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        if page.exists():
            text = page.read_text()
            if MARKED.search(text):
                absent = []
                out[page] = with_tables(text, generated, absent)
                missing += [f"{page.relative_to(root)}: there are no results for the table '{name}'" for name in absent]
    return out, missing


def main(arguments=None):
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["merge", "render", "check"])
    parser.add_argument("results", nargs="*", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, default=here.parent)
    parser.add_argument("--table", type=pathlib.Path, help="default: bench/results/h100.csv")
    options = parser.parse_args(arguments)
    table = options.table or options.root / "bench" / "results" / "h100.csv"
    try:
        if options.command == "merge":
            if not options.results:
                raise ReportError("merge: no results given")
            table = options.table or table_of(options.results, table)
            print(f"{merge(options.results, table, table.parent)} rows in {table.name}")
            return 0
        texts, missing = rendered(options.root, table)
        for line in missing:
            print(line)
        stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
        if options.command == "check":
            for path in stale:
                print(f"{path.relative_to(options.root)} is not what the table says: run bench/report.py render")
            foreign = [(one, case) for one in [table, *other_tables(table)] for case in foreign_rows(one)]
            for one, case in foreign:
                print(f"{one.name}: {case} is not what the stored results say")
            return 1 if stale or foreign or missing else 0
        for path in stale:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path])
        print(f"{len(stale)} of {len(texts)} files changed")
        return 1 if missing else 0
    except ReportError as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
