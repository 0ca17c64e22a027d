#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's scans along axes beside Sweep's: torch.cumsum and torch.cummax of the arrays of a result of bench_axes.

  axes_torch.py AXES.json OUT.json     AXES.json is what bench_axes has written on the same machine, just before

OUT.json is a result that bench/report.py merges: each case beside PyTorch's, with Sweep's time and ratio as they stand in
AXES.json. Times are medians of CUDA events. A kernel that only waits goes before the first event, as it does in
bench_axes, so that launches have been made by the time the device comes to them and are not in the times. cummax writes
an item and its index, of 4 and of 8 bytes, where Sweep writes a pair of 16. Cases of which PyTorch takes more than a
quarter of a second are measured once; those of which it would take several seconds are left out.
"""
import json
import re
import statistics
import sys

import torch

CALLS = {"axes/sum/f32": ("cumsum", torch.float32), "axes/sum/f64": ("cumsum", torch.float64),
         "axes/maximum with index/f32": ("cummax", torch.float32)}
LONGEST = 1 << 21  # items of a line across memory, each of which PyTorch walks along with one thread
LEAD_IN = 200_000  # cycles, some 100 us: longer than it takes to launch what a call launches


def extent(text):
    return 1 << int(text[2:]) if text.startswith("2^") else int(text)


def parsed(name):
    """Call, type, extents and axis of a case; None of what PyTorch is not asked for."""
    match = re.match(r"(axes/[^/]+/[^/]+)/([^ ]+) axis (\d)/", name)
    if not match or match[1] not in CALLS:
        return None
    extents, axis = [extent(part) for part in match[2].split("x")], int(match[3])
    if axis + 1 < len(extents) and extents[axis] > LONGEST:
        return None
    return *CALLS[match[1]], extents, axis


def microseconds(run):
    """The median of up to 15 timed runs, which take half a second at most where one does not take more."""
    def once():
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        run()  # not timed: it finds the memory for results, and leaves the caches as a run does
        torch.cuda._sleep(LEAD_IN)
        begin.record()
        run()
        end.record()
        end.synchronize()
        return 1e3 * begin.elapsed_time(end)

    first = once()
    return statistics.median(once() for _ in range(max(1, min(15, int(5e5 / first)))))


def main():
    source, target = sys.argv[1:]
    with open(source) as file:
        result = json.load(file)
    peer = f"peer_us:pytorch {torch.__version__.split('+')[0]}"
    cases = []
    with torch.inference_mode():
        for case in result["benchmarks"]:
            found = parsed(case["name"])
            if not found or case.get("error_occurred"):
                continue
            call, of_type, extents, axis = found
            x = torch.randn(extents, device="cuda", dtype=of_type)
            name = re.sub("^axes/", "axes_torch/", re.sub(r"(/(iterations:\d+|manual_time))+$", "", case["name"]))
            cases.append({"name": name, "items": case["items"], "sweep_us": case["sweep_us"],
                          "copy_ratio": case["copy_ratio"],
                          peer: microseconds(lambda: getattr(torch, call)(x, axis))})
            print(name, cases[-1], flush=True)
            del x
    with open(target, "w") as file:
        json.dump({"context": result.get("context", {}), "benchmarks": cases}, file, indent=1)


if __name__ == "__main__":
    main()
