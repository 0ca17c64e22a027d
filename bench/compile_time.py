#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the compilation of one device scan of ours against the same with cub::DeviceScan, in pairs.

  compile_time.py [--cccl FOLDER]... [--pairs 5] [--json FILE]

Without --cccl, and with `--cccl toolkit`, the CUDA toolkit's own CCCL is used. Prints medians and their ratio; --json
writes a result that bench/report.py merges.
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

SWEEP = """#include <sweep/scan.hpp>
#include <cstdint>
void scan(float const* in, float* out, std::int64_t n, cudaStream_t stream) {
  sweep::inclusive_scan(sweep::device.on(stream), in, in + n, out);
}
"""
CUB = """#include <cub/device/device_scan.cuh>
#include <cstdint>
cudaError_t scan(void* scratch, std::size_t& bytes, float const* in, float* out, std::int64_t n, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n, stream);
}
"""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--cccl", action="append", help="folder that holds cub/, cuda/ and thrust/, or 'toolkit'")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if options.pairs < 1:
        parser.error("--pairs must be at least 1")
    os.environ["CCACHE_DISABLE"] = "1"
    benchmarks = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for source, text in (("sweep.cu", SWEEP), ("cub.cu", CUB), ("empty.cu", EMPTY)):
            (folder / source).write_text(text)
        for cccl in options.cccl or ["toolkit"]:
            compile_with = [options.nvcc, "-std=c++20", "-O3", f"-arch={options.arch}", f"-I{ROOT / 'include'}",
                            f"-I{ROOT / 'detail'}"] + ([] if cccl == "toolkit" else [f"-I{cccl}"])
            version = cccl_version(compile_with, folder)
            times = {"sweep.cu": [], "cub.cu": [], "empty.cu": []}
            for source in times:   # file caches
                seconds([*compile_with, "-c", str(folder / source), "-o", str(folder / "out.o")])
            for _ in range(options.pairs):
                for source, taken in times.items():
                    taken.append(seconds([*compile_with, "-c", str(folder / source), "-o", str(folder / "out.o")]))
            ours, cub, empty = (statistics.median(times[source]) for source in times)
            ratio = statistics.median(a / b for a, b in zip(times["sweep.cu"], times["cub.cu"]))
            print(f"CCCL {version}, {options.arch}: Sweep {ours:.2f} s, CUB {cub:.2f} s, ratio {ratio:.3f} "
                  f"(median of {options.pairs} pairs); an empty kernel {empty:.2f} s")
            benchmarks.append({"name": f"compile_time/inclusive_sum/f32/{options.arch}_cccl_{version}/2^0", "items": 1,
                               "sweep_us": ours * 1e6, f"peer_us:cub {version}": cub * 1e6, "empty_kernel_us": empty * 1e6,
                               "ratio_in_pairs": ratio, "pairs": options.pairs})
    if options.json:
        nvcc = subprocess.run([options.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
        context = {"compiler": re.search(r"release [^\n]*", nvcc)[0], "machine": platform.machine(),
                   "cpus": str(os.cpu_count()), "timing": "processor time of nvcc and its phases, in pairs, medians"}
        options.json.write_text(json.dumps({"context": context, "benchmarks": benchmarks}, indent=1) + "\n")


if __name__ == "__main__":
    main()
