#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""law.py OUTDIR [--seed S] [--cases N] [--units U]: draws the cases of the law of speed that are compiled.

Algorithms, types, operators, iterators and directions are drawn here; sizes, alignments, densities and lengths when the
cases run (bench/law/main.cu). The seed is printed and stands in every unit. The same seed gives the same cases.
"""
import argparse
import pathlib
import random

INTEGERS = {"std::uint8_t": 1, "std::int8_t": 1, "std::uint16_t": 2, "std::int16_t": 2, "std::uint32_t": 4, "std::int32_t": 4,
            "std::uint64_t": 8, "std::int64_t": 8}
FLOATS = {"__half": 2, "__nv_bfloat16": 2, "float": 4, "double": 8}
STRUCTS = {"law::blob<3>": 3, "law::blob<5>": 5, "law::blob<6>": 6, "law::blob<7>": 7, "law::block_of<std::uint32_t, 3>": 12,
           "law::block_of<std::uint32_t, 5>": 20, "law::block_of<std::uint64_t, 3>": 24, "law::block_of<std::uint64_t, 4>": 32}
OPERATED = {"law::affine<std::uint8_t>": (2, "law::then"), "law::affine<std::uint32_t>": (8, "law::then"),
            "law::affine<std::uint64_t>": (16, "law::then"), "law::mat2": (16, "law::mat2_product")}
SIZES = {**INTEGERS, **FLOATS, **STRUCTS, **{name: size for name, (size, _) in OPERATED.items()}}
WIDER = {"std::uint8_t": ["std::uint16_t", "std::uint32_t", "std::int32_t", "std::uint64_t", "float"],
         "std::int8_t": ["std::int16_t", "std::int32_t", "std::int64_t", "float"],
         "std::uint16_t": ["std::uint32_t", "std::uint64_t"], "std::int16_t": ["std::int32_t", "std::int64_t"],
         "std::uint32_t": ["std::uint64_t"], "std::int32_t": ["std::int64_t", "float"],
         "__half": ["float", "double"], "__nv_bfloat16": ["float"], "float": ["double"], "std::uint64_t": [], "std::int64_t": [],
         "double": []}


def short(name):
    for long, brief in (("std::uint", "u"), ("std::int", "i"), ("_t", ""), ("law::", ""), ("__nv_bfloat16", "bf16"),
                        ("__half", "f16"), ("float", "f32"), ("double", "f64"), (", ", "x")):
        name = name.replace(long, brief)
    return name


class drawing:
    def __init__(self, source):
        self.random = source

    def one(self, *weighted):
        """of (weight, value)..."""
        return self.random.choices([value for _, value in weighted], [weight for weight, _ in weighted])[0]

    def item(self):
        return self.random.choice(list(self.one((5, INTEGERS), (4, FLOATS), (3, STRUCTS), (2, OPERATED))))

    def arithmetic(self):
        return self.random.choice(list(self.one((3, INTEGERS), (2, {"float": 4, "double": 8}))))

    def key(self):
        return self.random.choice(["std::uint8_t", "std::uint16_t", "std::int32_t", "std::uint32_t", "std::int64_t", "float"])

    def operator(self, item):
        if item in OPERATED:
            return OPERATED[item][1]
        if item in INTEGERS or item in ("float", "double"):
            return self.one((4, "law::plus"), (1, "law::larger"))
        return "law::plus"

    def input(self, item, role, shift="d.in_shift"):
        """(declaration of `in`, bytes read an item, words about it): any iterator with items of this type."""
        pointer = f"auto* const p{role} = law::input<{item}>({role}, d, n, {shift});"
        size = SIZES[item]
        kind = self.one((8, "pointer"), (2, "device_vector"), (2, "transform"), (1, "counting"), (1, "constant"), (1, "permutation"))
        if kind == "constant" and item not in INTEGERS or kind == "counting" and (item not in INTEGERS or size < 4):
            kind = "transform"  # a counter of 16 bits has no 2^28 places
        if kind == "transform":
            source = item
            narrower = [name for name, wide in WIDER.items() if item in wide]
            if narrower and self.random.random() < 0.5:
                source = self.random.choice(narrower)
            function = "law::converted" if source != item else ("law::doubled" if item in INTEGERS else "law::converted")
            return (f"auto const in = thrust::make_transform_iterator(law::input<{source}>({role}, d, n, {shift}), {function}<{item}>{{}});",
                    SIZES[source], f"transform {short(source)}")
        if kind == "counting":
            return f"auto const in = thrust::make_counting_iterator(static_cast<{item}>(3));", 0, kind
        if kind == "constant":
            return f"auto const in = thrust::make_constant_iterator(static_cast<{item}>(3));", 0, kind
        if kind == "permutation":
            return (f"{pointer} auto const in = thrust::make_permutation_iterator(p{role}, "
                    f"law::input<std::uint32_t>({role + 12}, d, n, 0, law::hop{{n}}));", size + 4, kind)
        if kind == "device_vector":
            return f"{pointer} auto const in = thrust::device_pointer_cast(p{role});", size, kind
        return f"{pointer} {item} const* const in = p{role};", size, kind


    def commutative(self, item):
        """An operator for reductions: the peer asks for one that commutes."""
        operator = self.operator(item)
        return "law::commuting_product" if item in OPERATED else operator

    def neutral(self, item, operator):
        if operator == "law::larger":
            return f"std::numeric_limits<{item}>::lowest()"
        if operator == "law::commuting_product":
            return "law::mat2{1, 0, 0, 0}" if item == "law::mat2" else f"{item}{{1, 0}}"
        return f"{item}{{}}"


def scan(draw):
    item = draw.item()
    operator = draw.operator(item)
    declaration, read, about = draw.input(item, 0)
    result = item
    if item in WIDER and WIDER[item] and operator == "law::plus" and draw.random.random() < 0.45:
        result = draw.random.choice(WIDER[item])
    narrow = item in ("__half", "__nv_bfloat16")
    backward = draw.random.random() < 0.25
    in_place = about == "pointer" and result == item and draw.random.random() < 0.15 and operator != "law::larger"
    # With an initial value of the results' type both accumulate in that type.
    exclusive = result != item or draw.random.random() < 0.4
    if operator != "law::plus" and exclusive:
        exclusive = False
    if narrow and result == item and not exclusive and in_place:
        in_place = False
    body = [declaration, f"auto const out = law::output<{result}>(2, n, d.out_shift);"]
    name = "exclusive_scan" if exclusive else "inclusive_scan"
    direction = ", sweep::backward" if backward else ""
    init = f"{result}{{}}, " if exclusive else ""
    if backward:
        source, target = "thrust::make_reverse_iterator(in + n)", "thrust::make_reverse_iterator(out.peers + n)"
    else:
        source, target = "in", "out.peers"
    body.append(f"auto const ours = [=] {{ sweep::{name}(sweep::device.on(law::stream()), in, in + n, out.ours, {init}{operator}{{}}{direction}); }};")
    call = (f"cub::DeviceScan::ExclusiveScan(t, b, {source}, {target}, {operator}{{}}, {result}{{}}, n, law::stream())" if exclusive
            else f"cub::DeviceScan::InclusiveScan(t, b, {source}, {target}, {operator}{{}}, n, law::stream())")
    body.append(f"auto const peer = law::cub_call([=](void* t, std::size_t& b) {{ return {call}; }});")
    written = SIZES[result]
    body.append(f"return law::race({read + written}.0 * static_cast<double>(n), ours, peer, [=] {{ return law::agree(out, n); }});")
    words = f"{name}{' backward' if backward else ''} {short(item)}{'' if result == item else ' to ' + short(result)} {about} {short(operator)}"
    return "scan", words, "cub::DeviceScan", read + 2 * written, body


def zipped_scan(draw):
    item = draw.random.choice(["std::uint32_t", "std::int32_t", "std::uint64_t", "float", "std::uint16_t"])
    width = draw.one((3, 2), (1, 3))
    inputs = ", ".join(f"static_cast<{item} const*>(law::input<{item}>({k}, d, n, d.in_shift))" for k in range(width))
    body = [f"auto const in = thrust::make_zip_iterator({inputs});"]
    for k in range(width):
        body.append(f"auto const out{k} = law::output<{item}>({3 + 2 * k}, n, d.out_shift);")
    ours = ", ".join(f"out{k}.ours" for k in range(width))
    peers = ", ".join(f"out{k}.peers" for k in range(width))
    body.append(f"auto const to = thrust::make_zip_iterator({ours}); auto const theirs = thrust::make_zip_iterator({peers});")
    body.append("auto const ours = [=] { sweep::inclusive_scan(sweep::device.on(law::stream()), in, in + n, to, law::plus_each{}); };")
    body.append("auto const peer = law::cub_call([=](void* t, std::size_t& b) { return cub::DeviceScan::InclusiveScan(t, b, in, theirs, "
                "law::plus_each{}, n, law::stream()); });")
    agreed = " && ".join(f"law::agree(out{k}, n)" for k in range(width))
    size = SIZES[item] * width
    body.append(f"return law::race({2 * size}.0 * static_cast<double>(n), ours, peer, [=] {{ return {agreed}; }});")
    return "scan", f"inclusive_scan zip{width} {short(item)}", "cub::DeviceScan", 3 * size, body


def reduce(draw):
    way = draw.one((5, "plain"), (2, "value"), (1, "argmax"), (2, "mixed"))
    item = draw.arithmetic() if way in ("argmax", "mixed") else draw.item()
    operator = "law::plus" if way == "mixed" else draw.commutative(item)
    declaration, read, about = draw.input(item, 0)
    result = item
    if way == "mixed":
        # Sums that are too large for the significand depend on their order.
        result = draw.random.choice([wide for wide in WIDER[item] if wide not in FLOATS or item in FLOATS] or [item])
    init = draw.neutral(result, operator)
    body = [declaration]
    if way == "argmax":
        value = f"thrust::tuple<{item}, std::int64_t>"
        body.append("auto const pairs = thrust::make_zip_iterator(in, thrust::make_counting_iterator(std::int64_t{0}));")
        body.append(f"auto const out = law::output<{value}>(2, 1, 0); auto const init = {value}{{std::numeric_limits<{item}>::lowest(), std::int64_t{{1}} << 40}};")
        body.append("auto const ours = [=] { sweep::reduce_into(sweep::device.on(law::stream()), pairs, pairs + n, out.ours, init, law::first_largest{}); };")
        body.append("auto const peer = law::cub_call([=](void* t, std::size_t& b) { return cub::DeviceReduce::Reduce(t, b, pairs, out.peers, n, "
                    "law::first_largest{}, init, law::stream()); });")
        body.append(f"return law::race({max(read, 1)}.0 * static_cast<double>(n), ours, peer, [=] {{ return law::agree(out, 1); }});")
        return "reduce", f"reduce argmax {short(item)} {about}", "cub::DeviceReduce", read, body
    body.append(f"auto const out = law::output<{result}>(2, 1, 0);")
    if way == "value":
        body.append(f"auto const ours = [=] {{ volatile auto kept = sizeof(sweep::reduce(sweep::device.on(law::stream()), in, in + n, {init}, {operator}{{}})); "
                    f"(void)kept; auto const got = sweep::reduce(sweep::device.on(law::stream()), in, in + n, {init}, {operator}{{}}); "
                    f"law::check(cudaMemcpyAsync(out.ours, &got, sizeof got, cudaMemcpyHostToDevice, law::stream()), \"copy\"); }};")
        body.append(f"auto const there = law::cub_call([=](void* t, std::size_t& b) {{ return cub::DeviceReduce::Reduce(t, b, in, out.peers, n, {operator}{{}}, "
                    f"{init}, law::stream()); }});")
        body.append(f"auto const peer = [=] {{ there(); {result} got; law::check(cudaMemcpyAsync(&got, out.peers, sizeof got, cudaMemcpyDeviceToHost, law::stream()), \"copy\"); "
                    f"law::check(cudaStreamSynchronize(law::stream()), \"wait\"); "
                    f"law::check(cudaMemcpyAsync(out.peers, &got, sizeof got, cudaMemcpyHostToDevice, law::stream()), \"copy\"); }};")
    else:
        body.append(f"auto const ours = [=] {{ sweep::reduce_into(sweep::device.on(law::stream()), in, in + n, out.ours, {init}, {operator}{{}}); }};")
        body.append(f"auto const peer = law::cub_call([=](void* t, std::size_t& b) {{ return cub::DeviceReduce::Reduce(t, b, in, out.peers, n, {operator}{{}}, "
                    f"{init}, law::stream()); }});")
    how = ", law::time_as::call" if way == "value" else ""
    body.append(f"return law::race({max(read, 1)}.0 * static_cast<double>(n), ours, peer, [=] {{ return law::agree(out, 1); }}{how});")
    words = f"reduce{' to a value' if way == 'value' else ''} {short(item)}{'' if result == item else ' to ' + short(result)} {about} {short(operator)}"
    return "reduce" + (" to a value" if way == "value" else ""), words, "cub::DeviceReduce", read, body


def compaction(draw):
    item = draw.item()
    way = draw.one((4, "copy_if"), (2, "partition_copy"), (3, "unique"), (2, "pack"), (1, "unique_by_key"))
    if way in ("unique", "unique_by_key"):
        item = draw.key() if draw.random.random() < 0.7 else item
    size = SIZES[item]
    body = []
    made = ""
    if way in ("unique", "unique_by_key"):
        if item in INTEGERS or item == "float":
            made = f", law::drawn_key<{item}>{{d.mean_segment, d.power_law}}"
        read = size
        about = "pointer"
        body.append(f"{item} const* const in = law::input<{item}>(0, d, n, d.in_shift{made});")
    else:
        declaration, read, about = draw.input(item, 0)
        body.append(declaration)
    body.append(f"auto const out = law::output<{item}>(2, n, d.out_shift); auto const count = law::output<std::int64_t>(4, 2, 0);")
    body.append("auto const on = sweep::device.on(law::stream()); law::selected const pred{static_cast<std::uint32_t>(d.density * 4294967295.0)}; (void)pred;")
    agreed = ("std::int64_t k[2]; law::check(cudaMemcpy(k, count.ours, 8, cudaMemcpyDeviceToHost), \"copy\"); "
              "law::check(cudaMemcpy(k + 1, count.peers, 8, cudaMemcpyDeviceToHost), \"copy\"); if (k[0] != k[1]) return false; ")
    density = "d.density"
    if way == "copy_if":
        body.append("auto const ours = [=] { sweep::copy_if_into(on, in, in + n, out.ours, count.ours, pred); };")
        call = "cub::DeviceSelect::If(t, b, in, out.peers, count.peers, n, pred, law::stream())"
        same = "return law::agree(out, k[0]);"
    elif way == "partition_copy":
        # CUB writes the rejected ones to the end, the last first.
        body.append("auto const rest = law::output<%s>(6, n, d.out_shift);" % item)
        body.append("auto const ours = [=] { sweep::partition_copy_into(on, in, in + n, out.ours, rest.ours, count.ours, pred); };")
        call = "cub::DevicePartition::If(t, b, in, out.peers, count.peers, n, pred, law::stream())"
        same = "return law::agree(out, k[0]);"
        density = "1.0"
    elif way == "pack":
        body.append("auto* const flags = law::input<std::uint8_t>(8, d, n, d.in_shift, law::drawn_flag{static_cast<std::uint64_t>(d.density * 4294967296.0)});")
        body.append("auto const ours = [=] { sweep::pack_into(on, in, in + n, flags, out.ours, count.ours); };")
        call = "cub::DeviceSelect::Flagged(t, b, in, flags, out.peers, count.peers, n, law::stream())"
        same = "return law::agree(out, k[0]);"
        read += 1
    elif way == "unique":
        body.append("auto const ours = [=] { sweep::unique_copy_into(on, in, in + n, out.ours, count.ours); };")
        call = "cub::DeviceSelect::Unique(t, b, in, out.peers, count.peers, n, law::stream())"
        same = "return law::agree(out, k[0]);"
        density = "std::min(1.0, 2.0 / d.mean_segment)"
    else:
        body.append("float const* const values = law::input<float>(8, d, n, d.in_shift); auto const others = law::output<float>(6, n, d.out_shift);")
        body.append("auto const ours = [=] { sweep::unique_by_key_copy_into(on, in, in + n, values, out.ours, others.ours, count.ours); };")
        call = "cub::DeviceSelect::UniqueByKey(t, b, in, values, out.peers, others.peers, count.peers, n, cuda::std::equal_to<>{}, law::stream())"
        same = "return law::agree(out, k[0]) && law::agree(others, k[0]);"
        density = "std::min(1.0, 2.0 / d.mean_segment)"
        read += 4
    body.append(f"auto const peer = law::cub_call([=](void* t, std::size_t& b) {{ return {call}; }});")
    body.append(f"return law::race(({read} + {size} * {density}) * static_cast<double>(n), ours, peer, [=] {{ {agreed}{same} }});")
    words = f"{way} {short(item)} {about}"
    return way, words, "cub::DeviceSelect" if way != "partition_copy" else "cub::DevicePartition", read + 4 * size + 13, body


def by_key(draw):
    key = draw.key()
    item = draw.item()
    way = draw.one((3, "inclusive_scan_by_key"), (3, "reduce_by_key"), (2, "run_length_encode"))
    keys = f"{key} const* const keys = law::input<{key}>(10, d, n, d.in_shift, law::drawn_key<{key}>{{d.mean_segment, d.power_law}});"
    body = [keys, "auto const on = sweep::device.on(law::stream());"]
    if way == "inclusive_scan_by_key":
        operator = draw.operator(item)
        declaration, read, about = draw.input(item, 0)
        body += [declaration, f"auto const out = law::output<{item}>(2, n, d.out_shift);"]
        body.append(f"auto const ours = [=] {{ sweep::inclusive_scan_by_key(on, keys, keys + n, in, out.ours, sweep::segments::equal_keys{{}}, {operator}{{}}); }};")
        call = f"cub::DeviceScan::InclusiveScanByKey(t, b, keys, in, out.peers, {operator}{{}}, n, cuda::std::equal_to<>{{}}, law::stream())"
        moved, held = read + SIZES[item] + SIZES[key], read + 2 * SIZES[item] + SIZES[key]
        agreed = "return law::agree(out, n);"
        peer = "cub::DeviceScan::InclusiveScanByKey"
        words = f"{way} {short(key)} {short(item)} {about} {short(operator)}"
        bytes_moved = f"{moved}.0"
    elif way == "reduce_by_key":
        operator = draw.operator(item)
        declaration, read, about = draw.input(item, 0)
        body += [declaration, f"auto const out = law::output<{item}>(2, n, d.out_shift); auto const ends = law::output<{key}>(8, n, 0); "
                 "auto const count = law::output<std::int64_t>(4, 1, 0);"]
        body.append(f"auto const ours = [=] {{ sweep::reduce_by_key_into(on, keys, keys + n, in, ends.ours, out.ours, count.ours, sweep::segments::equal_keys{{}}, {operator}{{}}); }};")
        call = f"cub::DeviceReduce::ReduceByKey(t, b, keys, ends.peers, in, out.peers, count.peers, {operator}{{}}, n, law::stream())"
        agreed = ("std::int64_t k[2]; law::check(cudaMemcpy(k, count.ours, 8, cudaMemcpyDeviceToHost), \"copy\"); "
                  "law::check(cudaMemcpy(k + 1, count.peers, 8, cudaMemcpyDeviceToHost), \"copy\"); return k[0] == k[1] && law::agree(out, k[0]) && law::agree(ends, k[0]);")
        peer = "cub::DeviceReduce::ReduceByKey"
        held = read + 2 * SIZES[item] + 3 * SIZES[key]
        words = f"{way} {short(key)} {short(item)} {about} {short(operator)}"
        bytes_moved = f"({read + SIZES[key]} + {SIZES[item] + SIZES[key]} * std::min(1.0, 2.0 / d.mean_segment))"
    else:
        body.append(f"auto const ends = law::output<{key}>(8, n, 0); auto const lengths = law::output<std::int32_t>(2, n, d.out_shift); "
                    "auto const count = law::output<std::int64_t>(0, 1, 0);")
        body.append("auto const ours = [=] { sweep::run_length_encode_into(on, keys, keys + n, ends.ours, lengths.ours, count.ours); };")
        call = "cub::DeviceRunLengthEncode::Encode(t, b, keys, ends.peers, lengths.peers, count.peers, n, law::stream())"
        agreed = ("std::int64_t k[2]; law::check(cudaMemcpy(k, count.ours, 8, cudaMemcpyDeviceToHost), \"copy\"); "
                  "law::check(cudaMemcpy(k + 1, count.peers, 8, cudaMemcpyDeviceToHost), \"copy\"); return k[0] == k[1] && law::agree(lengths, k[0]) && law::agree(ends, k[0]);")
        peer = "cub::DeviceRunLengthEncode"
        held = 3 * SIZES[key] + 8
        words = f"{way} {short(key)}"
        bytes_moved = f"({SIZES[key]} + {4 + SIZES[key]} * std::min(1.0, 2.0 / d.mean_segment))"
    body.append(f"auto const peer = law::cub_call([=](void* t, std::size_t& b) {{ return {call}; }});")
    body.append(f"return law::race({bytes_moved} * static_cast<double>(n), ours, peer, [=] {{ {agreed} }});")
    return way, words, peer, held, body


def segmented(draw):
    item = draw.item()
    way = draw.one((3, "segmented_reduce"), (2, "segmented_inclusive_scan"))
    operator = draw.commutative(item) if way == "segmented_reduce" else draw.operator(item)
    declaration, read, about = draw.input(item, 0)
    body = [declaration, "auto const segments = law::drawn_offsets(6, d); auto const on = sweep::device.on(law::stream());",
            "auto const s = sweep::segments::by_offsets(segments.offsets, segments.offsets + segments.count + 1);"]
    size = SIZES[item]
    if way == "segmented_reduce":
        init = draw.neutral(item, operator)
        body.append(f"auto const out = law::output<{item}>(2, segments.count, d.out_shift); {item} const init = {init};")
        body.append(f"auto const ours = [=] {{ sweep::segmented_reduce(on, in, in + n, s, out.ours, init, {operator}{{}}); }};")
        call = (f"cub::DeviceSegmentedReduce::Reduce(t, b, in, out.peers, segments.count, segments.offsets, segments.offsets + 1, {operator}{{}}, init, law::stream())")
        bytes_moved = f"({read}.0 * static_cast<double>(n) + {4 + size}.0 * static_cast<double>(segments.count))"
        agreed = "return law::agree(out, segments.count);"
        peer = "cub::DeviceSegmentedReduce"
        held = read + 2 * size + 4
    else:
        body.append(f"auto const out = law::output<{item}>(2, n, d.out_shift);")
        body.append(f"auto const ours = [=] {{ sweep::segmented_inclusive_scan(on, in, in + n, s, out.ours, {operator}{{}}); }};")
        call = (f"cub::DeviceSegmentedScan::InclusiveSegmentedScan(t, b, in, out.peers, segments.offsets, segments.offsets + 1, segments.count, {operator}{{}}, law::stream())")
        bytes_moved = f"({read + size}.0 * static_cast<double>(n) + 4.0 * static_cast<double>(segments.count))"
        agreed = "return law::agree(out, n);"
        peer = "cub::DeviceSegmentedScan"
        held = read + 2 * size + 4
    body.append(f"auto const peer = law::cub_call([=](void* t, std::size_t& b) {{ return {call}; }});")
    body.append(f"return law::race({bytes_moved}, ours, peer, [=] {{ {agreed} }});")
    return way, f"{way} by offsets {short(item)} {about} {short(operator)}", peer, held, body


def differences(draw):
    item = draw.arithmetic()
    declaration, read, about = draw.input(item, 0)
    size = SIZES[item]
    body = [declaration, f"auto const out = law::output<{item}>(2, n, d.out_shift);",
            "auto const ours = [=] { sweep::adjacent_difference(sweep::device.on(law::stream()), in, in + n, out.ours, law::plus{}); };",
            "auto const peer = law::cub_call([=](void* t, std::size_t& b) { return cub::DeviceAdjacentDifference::SubtractLeftCopy(t, b, in, out.peers, n, "
            "law::plus{}, law::stream()); });",
            f"return law::race({read + size}.0 * static_cast<double>(n), ours, peer, [=] {{ return law::agree(out, n); }});"]
    return "adjacent_difference", f"adjacent_difference {short(item)} {about}", "cub::DeviceAdjacentDifference", read + 2 * size, body


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--cases", type=int, default=240)
    parser.add_argument("--units", type=int, default=24)
    parser.add_argument("--without", nargs="*", default=[], help="kinds to leave out")
    parser.add_argument("--only", nargs="*", default=[], help="kinds to take")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(1 << 32)
    draw = drawing(random.Random(seed))
    given.outdir.mkdir(parents=True, exist_ok=True)
    cases, names = [], set()
    while len(cases) < given.cases:
        make = draw.one((28, scan), (4, zipped_scan), (14, reduce), (22, compaction), (14, by_key), (14, segmented), (4, differences))
        kind, words, peer, held, body = make(draw)
        if words in names or kind in given.without or given.only and kind not in given.only:
            continue
        names.add(words)
        cases.append((kind, words, peer, held, body))
    for unit in range(given.units):
        lines = ["// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception", f"// Made by bench/law.py --seed {seed}.",
                 "#include <law/law.cuh>", "", "#include <limits>", "", "namespace {", ""]
        for number, (kind, words, peer, held, body) in list(enumerate(cases))[unit::given.units]:
            lines.append(f"law::result run_{number}(law::draw const& d) {{")
            lines.append("  [[maybe_unused]] auto const n = d.n;")
            lines += [f"  {line}" for line in body]
            lines.append("}")
            lines.append(f'law::registered const case_{number}("{kind}", "{words}", "{peer}", {held}, run_{number});')
            lines.append("")
        lines += ["}  // namespace", ""]
        text = "\n".join(lines)
        path = given.outdir / f"cases_{unit}.cu"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    print(f"law.py: {len(cases)} cases, seed {seed}")


if __name__ == "__main__":
    main()
