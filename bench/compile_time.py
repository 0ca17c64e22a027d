#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the compilation of our headers and calls against CUB's of the same kind, in pairs.

  compile_time.py [--cccl FOLDER]... [--case NAME]... [--pairs 5] [--root FOLDER] [--json FILE]

Each case is one translation unit: a header alone (include), or with one call. Without --cccl, and with `--cccl toolkit`,
the CUDA toolkit's own CCCL is used. Prints medians, their ratio, and the kernels that one call has; --root times the
headers of another checkout, --json writes a result that bench/report.py merges.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# (name, Sweep's unit, CUB's); a call's arguments are the same on both sides.
HEAD = """#include <{header}>
#include <cstdint>
struct is_low {{
  __host__ __device__ bool operator()(float x) const {{ return x < 1; }}
}};
"""
SWEEP = """void call(float const* in, float* out, int const* keys, std::int64_t* count, std::int64_t n, cudaStream_t stream) {{
  auto const policy = sweep::device.on(stream);
  {call};
}}
"""
CUB = """cudaError_t call(void* scratch, std::size_t& bytes, float const* in, float* out, int const* keys, std::int64_t* count,
                 std::int64_t n, cudaStream_t stream) {{
  return {call};
}}
"""
CASES = [
    ("include/scan", "sweep/scan.hpp", None, "cub/device/device_scan.cuh", None),
    ("inclusive_sum/f32",
     "sweep/scan.hpp", "sweep::inclusive_scan(policy, in, in + n, out)",
     "cub/device/device_scan.cuh", "cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n, stream)"),
    ("copy_if/f32",
     "sweep/copy_if.hpp", "sweep::copy_if_into(policy, in, in + n, out, count, is_low{})",
     "cub/device/device_select.cuh", "cub::DeviceSelect::If(scratch, bytes, in, out, count, n, is_low{}, stream)"),
    ("inclusive_sum_by_key/f32",
     "sweep/segmented_scan.hpp", "sweep::segmented_inclusive_scan(policy, in, in + n, sweep::segments::by_key(keys), out)",
     "cub/device/device_scan.cuh",
     "cub::DeviceScan::InclusiveSumByKey(scratch, bytes, keys, in, out, n, cuda::std::equal_to<>{}, stream)"),
    ("segmented_sum/f32",
     "sweep/segmented_reduce.hpp",
     "sweep::segmented_reduce(policy, in, in + n, sweep::segments::by_offsets(keys, keys + *count), out)",
     "cub/device/device_segmented_reduce.cuh",
     "cub::DeviceSegmentedReduce::Sum(scratch, bytes, in, out, *count, keys, keys + 1, stream)"),
]
EMPTY = "__global__ void nothing() {}\n"
VERSION = "#include <cub/version.cuh>\nSWEEP_CUB_VERSION CUB_VERSION\n"


def seconds(command):
    """Processor time of a command with its children, which other work on the machine does not lengthen as it does the
    wall clock's; nvcc runs its phases one after the other, so that on an idle machine the two agree."""
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode != 0:
        sys.exit(f"compile_time.py: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return after.children_user + after.children_system - before.children_user - before.children_system


def cccl_version(compile_with, folder):
    source = folder / "version.cu"
    source.write_text(VERSION)
    text = subprocess.run([*compile_with, "-E", str(source)], capture_output=True, text=True, check=True).stdout
    number = int(re.search(r"SWEEP_CUB_VERSION\s+(?:#[^\n]*\s+)?(\d+)", text)[1])
    return f"{number // 100000}.{number // 100 % 1000}.{number % 100}"


def unit(wrapper, header, call):
    return f"#include <{header}>\n" if call is None else HEAD.format(header=header) + wrapper.format(call=call)


def kernels(compile_with, source, folder):
    """Kernels in one unit's PTX."""
    ptx = folder / "out.ptx"
    subprocess.run([*compile_with, "-ptx", str(source), "-o", str(ptx)], capture_output=True, text=True, check=True)
    return len(re.findall(r"^\s*(?:\.visible |\.weak )*\.entry ", ptx.read_text(), re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--cccl", action="append", help="folder that holds cub/, cuda/ and thrust/, or 'toolkit'")
    parser.add_argument("--case", action="append", choices=[case[0].split("/")[0] for case in CASES])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if options.pairs < 1:
        parser.error("--pairs must be at least 1")
    os.environ["CCACHE_DISABLE"] = "1"
    cases = [case for case in CASES if not options.case or case[0].split("/")[0] in options.case]
    benchmarks = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        empty = folder / "empty.cu"
        empty.write_text(EMPTY)
        for cccl in options.cccl or ["toolkit"]:
            compile_with = [options.nvcc, "-std=c++20", "-O3", f"-arch={options.arch}", f"-I{options.root / 'include'}",
                            f"-I{options.root / 'detail'}"] + ([] if cccl == "toolkit" else [f"-I{cccl}"])
            version = cccl_version(compile_with, folder)
            for case, our_header, our_call, cub_header, cub_call in cases:
                ours, cub = folder / "sweep.cu", folder / "cub.cu"
                ours.write_text(unit(SWEEP, our_header, our_call))
                cub.write_text(unit(CUB, cub_header, cub_call))
                counts = [kernels(compile_with, source, folder) for source in (ours, cub)]   # fills the file caches too
                times = {ours: [], cub: [], empty: []}
                for _ in range(options.pairs):
                    for source, taken in times.items():
                        taken.append(seconds([*compile_with, "-c", str(source), "-o", str(folder / "out.o")]))
                medians = [statistics.median(taken) for taken in times.values()]
                ratio = statistics.median(a / b for a, b in zip(times[ours], times[cub]))
                print(f"{case}, CCCL {version}, {options.arch}: Sweep {medians[0]:.2f} s and {counts[0]} kernels, CUB "
                      f"{medians[1]:.2f} s and {counts[1]}, ratio {ratio:.3f} (median of {options.pairs} pairs); an empty "
                      f"kernel {medians[2]:.2f} s", flush=True)
                benchmarks.append({"name": f"compile_time/{case}/{options.arch}_cccl_{version}/2^0", "items": 1,
                                   "sweep_us": round(medians[0] * 1e6), f"peer_us:cub {version}": round(medians[1] * 1e6),
                                   "empty_kernel_us": round(medians[2] * 1e6), "ratio_in_pairs": round(ratio, 3),
                                   "pairs": options.pairs, "kernels": counts[0], "peer_kernels": counts[1]})
    if options.json:
        nvcc = subprocess.run([options.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
        context = {"compiler": re.search(r"release [^\n]*", nvcc)[0], "machine": platform.machine(),
                   "cpus": str(os.cpu_count()), "timing": "processor time of nvcc and its phases, in pairs, medians"}
        options.json.write_text(json.dumps({"context": context, "benchmarks": benchmarks}, indent=1) + "\n")


if __name__ == "__main__":
    main()
