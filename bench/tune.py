#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches for a plan and writes it into the tuning table.

  tune.py build --class f32 --class u8 threads=256,512 rows=6:12 blocks=1,2 store=cached,streaming
  tune.py build --class f32 threads=704:960:64 rows=5:11:2 blocks=1 stages=3:7 loads=1:3
  tune.py build --algorithm copy_if --class u32 threads=704:1024:64 rows=32 blocks=1 stages=4:7 loads=1,2
  tune.py run                      on the machine with the GPU; results go beside the programs
  tune.py best                     the candidates in order, over all classes that were run
  tune.py write --row "arch::sm_90, size_class::large, segments_are::none, 8, 8"
                                   the best one as that row's plan, citing the results it keeps

An axis is a field of the algorithm's plan with its values: a,b,c or first:last or first:last:step. Candidates that the
registers of a multiprocessor, or with stages its shared memory, cannot hold are left out. A row serves several classes (one for items of at most 4 bytes,
say, f32 and u8): its plan is the one with the least geometric mean, over classes and sizes, of time over the best time.
"""
import argparse
import concurrent.futures
import importlib.util
import itertools
import json
import math
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SPEC = importlib.util.spec_from_file_location("report", HERE / "report.py")
report = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(report)

SCAN_FIELDS = {"threads": "512", "rows": "8", "blocks": "2", "load": "cached", "store": "cached",
               "stages": "0", "loads": "2"}   # of scan_plan, in order
PARTITION_FIELDS = {name: value for name, value in SCAN_FIELDS.items() if name != "store"}   # of partition_plan
FIELDS = {"inclusive_scan": SCAN_FIELDS, "copy_if": PARTITION_FIELDS, "partition_copy": PARTITION_FIELDS}
TABLES = {"inclusive_scan": ("scan_table", "scan"), "copy_if": ("partition_table", "partition"),
          "partition_copy": ("partition_table", "partition")}   # where rows go if nothing else is said
ITEM_BYTES = {"u8": 1, "i8": 1, "u16": 2, "u32": 4, "u64": 8, "f16": 2, "bf16": 2, "f32": 4, "i32": 4, "unitriangular2_f32": 4, "f64": 8, "i64": 8,
              "complex_f32": 8, "affine_f32": 8, "bicyclic_u32": 8, "unitriangular3_f32": 12, "vec4_f32": 16}
REGISTERS, OVERHEAD = 65536, 18   # of a multiprocessor; of a thread besides its rows
SHARED_BYTES = 227 * 1024   # of a block


class TuneError(Exception):
    """What the user did wrong, in one line."""


# ---- Candidates ---------------------------------------------------------------------------------------------

def axis(text, algorithm="inclusive_scan"):
    name, _, values = text.partition("=")
    if name not in FIELDS[algorithm] or not values:
        raise TuneError(f"'{text}' is not an axis: one of {', '.join(FIELDS[algorithm])} and its values")
    if ":" in values:
        first, last, *step = map(int, values.split(":"))
        return name, [str(i) for i in range(first, last + 1, *step)]
    return name, values.split(",")


def fits_in_stages(plan, item_bytes, algorithm):
    """Whether there are warps for all roles (block/pipeline.cuh), and room for the items of all stages."""
    stages, chunks = int(plan["stages"]), (int(plan["threads"]) // 32 - 1 - int(plan["stages"])) // 2
    row_bytes = 32 * (math.lcm(item_bytes, 16) if algorithm == "inclusive_scan" else item_bytes)
    tiles = stages if algorithm == "inclusive_scan" else max(1, stages - 1)
    return (chunks >= 1 and int(plan["threads"]) <= 1024 and 1 <= int(plan["loads"]) <= stages and plan["blocks"] == "1"
            and tiles * chunks * int(plan["rows"]) * row_bytes < SHARED_BYTES)


def fits(plan, item_bytes, algorithm):
    """Whether the rows of all resident threads fit in the registers."""
    if plan["stages"] != "0":
        return fits_in_stages(plan, item_bytes, algorithm)
    resident = int(plan["threads"]) * int(plan["blocks"])
    row_registers = math.lcm(item_bytes, 16) // 4
    return resident <= 2048 and (int(plan["rows"]) * row_registers + OVERHEAD) * resident <= REGISTERS


def candidates(axes, item_bytes, algorithm="inclusive_scan"):
    fields = FIELDS[algorithm]
    values = {name: [default] for name, default in fields.items()} | dict(axes)
    plans = [dict(zip(fields, choice)) for choice in itertools.product(*(values[name] for name in fields))]
    return [plan for plan in plans if fits(plan, item_bytes, algorithm)]


def cpp(plan):
    return "{" + ", ".join(f"access::{v}" if name in ("load", "store") else v for name, v in plan.items()) + "}"


def plan_of(name, algorithm):
    """The plan that is part of a case's name, as tune.cu writes it."""
    return dict(zip(FIELDS[algorithm], name.split("-")))


# ---- Building and running -----------------------------------------------------------------------------------

def build(options):
    axes = [axis(text, options.algorithm) for text in options.axes]
    options.out.mkdir(parents=True, exist_ok=True)
    jobs = []
    for name in options.classes:
        if name not in ITEM_BYTES:
            raise TuneError(f"there is no class '{name}': {', '.join(ITEM_BYTES)}")
        plans = candidates(axes, ITEM_BYTES[name], options.algorithm)
        if not plans:
            raise TuneError(f"no candidate for {name} fits in a multiprocessor")
        for i in range(0, len(plans), options.chunk):
            stem = f"tune_{options.algorithm}_{name}_{i // options.chunk}"
            listing = options.out / f"{stem}.inc"
            listing.write_text("constexpr std::array candidates{\n" + "".join(
                f"    plan_type{cpp(plan)},\n" for plan in plans[i:i + options.chunk]) + "};\n")
            includes = [f"-I{path}" for path in [*options.include, HERE, HERE.parent / "include", HERE.parent / "detail"]]
            jobs.append([options.nvcc, "-std=c++20", "-O3", "--extended-lambda", f"-arch={options.arch}", *includes,
                         f"-DSWEEP_TUNE_ALGORITHM={options.algorithm}",
                         f"-DSWEEP_TUNE_CLASS={name}", f'-DSWEEP_TUNE_CANDIDATES="{listing.resolve()}"',
                         str(HERE / "tune.cu"), "-o", str(options.out / stem), "-lbenchmark"])
        print(f"{name}: {len(plans)} candidates")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(lambda job: subprocess.run(job, capture_output=True, text=True, check=False), jobs))
    for job, result in zip(jobs, done):
        if result.returncode != 0:
            raise TuneError(f"{pathlib.Path(job[-2]).name} does not compile:\n{result.stdout}{result.stderr}")
    print(f"{len(jobs)} programs in {options.out}")


def run(options):
    programs = sorted(path for path in options.out.glob("tune_*") if not path.suffix)
    if not programs:
        raise TuneError(f"{options.out} holds no programs: run `tune.py build` first")
    for program in programs:
        subprocess.run([str(program.resolve()), f"--benchmark_filter={options.filter}", "--benchmark_out_format=json",
                        f"--benchmark_out={program}.json"], check=False, stdout=subprocess.DEVNULL)
        text = pathlib.Path(f"{program}.json")
        if not text.exists() or not text.read_text().strip():
            raise TuneError(f"{program.name} measured nothing")


# ---- Choosing and writing -----------------------------------------------------------------------------------

def results_in(out, algorithm, classes):
    results = [json.loads(path.read_text()) for path in sorted(out.glob("tune_*.json"))]
    results = [{**result, "benchmarks": [b for b in result["benchmarks"] if b["name"].split("/")[1] == algorithm
                                         and (not classes or b["name"].split("/")[2] in classes)]} for result in results]
    if not any(result["benchmarks"] for result in results):
        raise TuneError(f"{out} holds no results: run `tune.py run` first")
    return results


def ranking(results):
    """[(mean of time over best time, plan's name, {class and size: ratio to copy})], best first. A candidate that failed
    anywhere, or was not measured everywhere, is not in it."""
    times, ratios = {}, {}
    for benchmark in (b for result in results for b in result["benchmarks"]):
        _, _, name, plan, size = report.case_of(benchmark["name"]).split("/")
        if not benchmark.get("error_occurred"):
            times.setdefault(f"{name} {size}", {})[plan] = benchmark["sweep_us"]
            ratios.setdefault(plan, {})[f"{name} {size}"] = benchmark["copy_ratio"]
    everywhere = set.intersection(*(set(plans) for plans in times.values())) if times else set()
    if not everywhere:
        raise TuneError("no candidate was right in every class and size")

    def mean(plan):
        return math.exp(sum(math.log(plans[plan] / min(plans.values())) for plans in times.values()) / len(times))

    return sorted((mean(plan), plan, ratios[plan]) for plan in everywhere)


def columns_of(text):
    """The columns of a row, or of what --row and --before say, without blanks."""
    return [column.strip() for column in text.strip().strip("{,").split(",") if column.strip()]


def row_text(columns, plan, citation):
    return f"    {{{', '.join(columns)}, {cpp(plan)}}},  // {citation}"


def with_row(table, text, columns, plan, citation, before=None):
    """The table's source with the plan in the row of these columns; or with a new row before that of others: the first
    row that fits wins, so where it goes is for the user to say."""
    begin = re.search(rf"\b{re.escape(table)}\[\] = {{\n", text)
    if not begin:
        raise TuneError(f"there is no table {table}")
    end = text.index("\n};", begin.end())
    lines = text[begin.end():end].split("\n")
    row = row_text(columns, plan, citation)
    for i, line in enumerate(lines):
        match = re.match(r"\s*{(.*?),\s*{.*}}", line)
        if not match:
            continue
        here = columns_of(match[1])
        if here == columns and before is None:
            lines[i] = row
            break
        if here == before:
            lines[i:i] = [row]
            break
    else:
        raise TuneError(f"{table} has no row {', '.join(before or columns)}" + ("" if before else "; say where a new one goes with --before"))
    return text[:begin.end()] + "\n".join(lines) + text[end:]


def best(options):
    for mean, plan, ratios in ranking(results_in(options.out, options.algorithm, options.classes))[:options.top]:
        print(f"{mean:6.3f}  {plan:<28} " + "  ".join(f"{where} {ratio:.3f}" for where, ratio in sorted(ratios.items())))


def write(options):
    results = results_in(options.out, options.algorithm, options.classes)
    _, plan, _ = ranking(results)[0]
    name = options.name or TABLES[options.algorithm][0]
    table = options.table or (HERE.parent / "detail" / "sweep" / "detail" / TABLES[options.algorithm][1] / "tuning.hpp")
    merged = {"context": results[0]["context"], "benchmarks": [b for result in results for b in result["benchmarks"]
                                                               if not b.get("error_occurred")]}
    kept = report.kept(merged)
    columns = columns_of(options.row)
    label = "_".join(re.sub(r"\W+", "_", column.split("::")[-1]).strip("_") for column in columns)
    stored = options.results / f"tune_{name}_{label}.json"
    stored.parent.mkdir(parents=True, exist_ok=True)
    changed = with_row(name, table.read_text(), columns, plan_of(plan, options.algorithm), f"bench/results/{stored.name}",
                       columns_of(options.before) if options.before else None)
    stored.write_text(json.dumps(kept, indent=1) + "\n")
    table.write_text(changed)
    print(row_text(columns, plan_of(plan, options.algorithm), f"bench/results/{stored.name}").strip())


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, action in (("build", build), ("run", run), ("best", best), ("write", write)):
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        command.add_argument("--out", type=pathlib.Path, default=HERE.parent / "build" / "tune")
        if name != "run":
            command.add_argument("--algorithm", default="inclusive_scan", choices=FIELDS)
            command.add_argument("--class", dest="classes", action="append", default=[], metavar="CLASS")
        if name == "build":
            command.add_argument("axes", nargs="*")
            command.add_argument("--nvcc", default="nvcc")
            command.add_argument("--arch", default="sm_90")
            command.add_argument("--include", action="append", default=[], help="a folder with another CCCL")
            command.add_argument("--jobs", type=int, default=1)
            command.add_argument("--chunk", type=int, default=24, help="candidates of one program")
        elif name == "run":
            command.add_argument("--filter", default="2.28", help="of cases, as Google Benchmark's")
        elif name == "best":
            command.add_argument("--top", type=int, default=10)
        elif name == "write":
            command.add_argument("--row", required=True, help="the columns of the row before its plan, as the table has them")
            command.add_argument("--before", help="the columns of the row that a new one goes before")
            command.add_argument("--name", help="of the table; by default the algorithm's")
            command.add_argument("--results", type=pathlib.Path, default=HERE / "results")
            command.add_argument("--table", type=pathlib.Path, help="the file; by default the algorithm's tuning.hpp")
    options = parser.parse_args(arguments)
    try:
        options.action(options)
        return 0
    except TuneError as error:
        print(f"tune.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
