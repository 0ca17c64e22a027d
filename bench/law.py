#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""law.py OUTDIR [--seed S] [--cases N] [--units U] [--only KIND...] [--like TABLE]: draws the cases of the law of speed
that are compiled.

Algorithms, types, operators, iterators and directions are drawn here, each case a line that names a race of
bench/law/races; sizes, alignments, densities and lengths are drawn when the cases run (bench/law/main.cu). The seed is
printed and stands in every unit. The same seed gives the same cases. With --like only those of them are made that have a
row in TABLE, which bench_law runs again when SWEEP_LAW_LIKE names it.
"""
import argparse
import csv
import pathlib
import random

INTEGERS = ["std::uint8_t", "std::int8_t", "std::uint16_t", "std::int16_t", "std::uint32_t", "std::int32_t", "std::uint64_t",
            "std::int64_t"]
COUNTERS = [name for name in INTEGERS if "32" in name or "64" in name]  # one of 16 bits has no 2^28 places
FLOATS = ["__half", "__nv_bfloat16", "float", "double"]
STRUCTS = ["law::blob<3>", "law::blob<5>", "law::blob<6>", "law::blob<7>", "law::block_of<std::uint32_t, 3>",
           "law::block_of<std::uint32_t, 5>", "law::block_of<std::uint64_t, 3>", "law::block_of<std::uint64_t, 4>"]
OPERATED = {"law::affine<std::uint8_t>": "law::then", "law::affine<std::uint32_t>": "law::then",
            "law::affine<std::uint64_t>": "law::then", "law::mat2": "law::mat2_product"}
WIDER = {"std::uint8_t": ["std::uint16_t", "std::uint32_t", "std::int32_t", "std::uint64_t", "float"],
         "std::int8_t": ["std::int16_t", "std::int32_t", "std::int64_t", "float"],
         "std::uint16_t": ["std::uint32_t", "std::uint64_t"], "std::int16_t": ["std::int32_t", "std::int64_t"],
         "std::uint32_t": ["std::uint64_t"], "std::int32_t": ["std::int64_t", "float"],
         "__half": ["float", "double"], "__nv_bfloat16": ["float"], "float": ["double"]}
NOTATIONS = ["offsets", "lengths", "head_flags", "head_bits", "keys"]


def short(name):
    for long, brief in (("std::uint", "u"), ("std::int", "i"), ("_t", ""), ("law::", ""), ("__nv_bfloat16", "bf16"),
                        ("__half", "f16"), ("float", "f32"), ("double", "f64"), (", ", "x")):
        name = name.replace(long, brief)
    return name.replace("block_of<", "").replace("blob<", "blob").replace("<", "_").replace(">", "")


class drawing:
    """Draws parts of cases."""

    def __init__(self, source):
        self.random = source

    def weighted(self, *pairs):
        return self.random.choices([value for _, value in pairs], [weight for weight, _ in pairs])[0]

    def chance(self, part):
        return self.random.random() < part

    def item(self):
        return self.random.choice(self.weighted((5, INTEGERS), (4, FLOATS), (3, STRUCTS), (2, list(OPERATED))))

    def number(self):
        return self.random.choice(INTEGERS + ["float", "double"])

    def key(self):
        return self.random.choice(["std::uint8_t", "std::uint16_t", "std::int32_t", "std::uint32_t", "std::int64_t", "float"])

    def wider(self, item):
        """Sums that are too large for the significand depend on their order: integers are not added as floats."""
        wide = [name for name in WIDER.get(item, []) if name not in FLOATS or item in FLOATS]
        return self.random.choice(wide) if wide else item

    def operator(self, item, commuting=False):
        if item in OPERATED:
            return "law::commuting_product" if commuting else OPERATED[item]
        return "law::larger" if item in INTEGERS + ["float", "double"] and self.chance(0.2) else "law::plus"

    def source(self, item):
        """(type of a source, words about it): any iterator over items of this type."""
        kind = self.weighted((8, "pointer"), (2, "device_vector"), (2, "transformed"), (1, "counting"), (1, "constant"),
                             (1, "permutation"), (1, "reversed"))
        if kind == "constant" and item not in INTEGERS or kind == "counting" and item not in COUNTERS:
            kind = "transformed"
        if kind != "transformed":
            return f"law::{kind}<{item}>", kind
        narrower = [name for name, wide in WIDER.items() if item in wide]
        read = self.random.choice(narrower) if narrower and self.chance(0.5) else item
        function = "doubled" if read == item and item in INTEGERS else "converted"
        return f"law::transformed<{item}, {read}, law::{function}<{item}>>", f"transform {short(read)}"

    def notation(self, *, every):
        return self.random.choice(NOTATIONS if every else ["offsets", "offsets", "lengths"])


# Each draws (race, words about it).

def scan(draw):
    item = draw.item()
    operator = draw.operator(item)
    if draw.chance(0.06):
        return f"scan_in_place<{item}, {operator}>", f"{short(item)} in place {short(operator)}"
    source, about = draw.source(item)
    result = item
    if operator == "law::plus" and draw.chance(0.45):
        result = draw.wider(item)
    # With an initial value of the results' type both accumulate in that type.
    exclusive = result != item or operator == "law::plus" and draw.chance(0.4)
    backward = draw.chance(0.25)
    words = f"{'ex' if exclusive else 'in'}clusive{' backward' if backward else ''} {short(item)}"
    return (f"scan<{source}, {result}, {operator}, {str(exclusive).lower()}, {str(backward).lower()}>",
            f"{words}{'' if result == item else ' to ' + short(result)} {about} {short(operator)}")


def scan_zipped(draw):
    item = draw.random.choice(["std::uint16_t", "std::uint32_t", "std::int32_t", "std::uint64_t", "float"])
    width = draw.weighted((3, 2), (1, 3))
    return f"scan_zipped<{item}, {width}>", f"{width} of {short(item)}"


def adjacent_difference(draw):
    item = draw.number()
    source, about = draw.source(item)
    return f"adjacent_difference<{source}, law::plus>", f"{short(item)} {about}"


def reduce(draw, race="reduce"):
    item = draw.item()
    operator = draw.operator(item, commuting=True)
    source, about = draw.source(item)
    result = draw.wider(item) if operator == "law::plus" and draw.chance(0.4) else item
    return (f"{race}<{source}, {result}, {operator}>",
            f"{short(item)}{'' if result == item else ' to ' + short(result)} {about} {short(operator)}")


def reduce_to_value(draw):
    return reduce(draw, "reduce_to_value")


def over_numbers(race):
    def drawn(draw):
        item = draw.number()
        source, about = draw.source(item)
        return f"{race}<{source}>", f"{short(item)} {about}"
    return drawn


def reduce_moments(draw):
    """Sums of squares of integers do not fit doubles; and from 2^26 items of two bytes on CUB 3.5.0 reads words that are
    not aligned (cub::DeviceReduce::TransformReduce to 24 bytes), which ends the process."""
    item = draw.random.choice(["float", "double"])
    source, about = draw.source(item)
    return f"reduce_moments<{source}>", f"{short(item)} {about}"


def over_items(race):
    def drawn(draw):
        item = draw.item()
        source, about = draw.source(item)
        return f"{race}<{source}>", f"{short(item)} {about}"
    return drawn


def over_types(race, types):
    def drawn(draw):
        item = draw.random.choice(types)
        return f"{race}<{item}>", short(item)
    return drawn


def copy_if_stencil(draw):
    item, stencil = draw.item(), draw.random.choice(INTEGERS + ["float", "double"])
    source, about = draw.source(item)
    return f"copy_if_stencil<{source}, {stencil}>", f"{short(item)} {about} by {short(stencil)}"


def unique_by_key(draw):
    key, item = draw.key(), draw.item()
    source, about = draw.source(item)
    return f"unique_by_key<{key}, {source}>", f"{short(key)} {short(item)} {about}"


def scan_by_key(draw):
    key, item = draw.key(), draw.item()
    source, about = draw.source(item)
    operator = draw.operator(item)
    return f"scan_by_key<{key}, {source}, {operator}>", f"{short(key)} {short(item)} {about} {short(operator)}"


def reduce_by_key(draw):
    key, item = draw.key(), draw.item()
    source, about = draw.source(item)
    operator, discarding = draw.operator(item), draw.chance(0.15)
    return (f"reduce_by_key<{key}, {source}, {operator}, {str(discarding).lower()}>",
            f"{short(key)} {short(item)} {about} {short(operator)}{' without keys' if discarding else ''}")


def run_length_encode(draw):
    key, length = draw.key(), draw.weighted((3, "std::int32_t"), (1, "std::int64_t"))
    return f"run_length_encode<{key}, {length}>", f"{short(key)} {short(length)}"


def segmented_scan(draw):
    item = draw.item()
    source, about = draw.source(item)
    notation, operator = draw.notation(every=True), draw.operator(item)
    return (f"segmented_scan<{source}, law::by_{notation}, {operator}>",
            f"by {notation.replace('_', ' ')} {short(item)} {about} {short(operator)}")


def segmented_reduce(draw):
    item = draw.item()
    source, about = draw.source(item)
    notation, operator = draw.notation(every=False), draw.operator(item, commuting=True)
    result = draw.wider(item) if operator == "law::plus" and draw.chance(0.4) else item
    return (f"segmented_reduce<{source}, law::by_{notation}, {result}, {operator}>",
            f"by {notation} {short(item)}{'' if result == item else ' to ' + short(result)} {about} {short(operator)}")


def scan_along(draw):
    item = draw.random.choice([draw.number(), draw.random.choice(list(OPERATED))])
    operator, last, backward = draw.operator(item), draw.chance(0.4), draw.chance(0.25)
    return (f"scan_along<{item}, {operator}, {str(last).lower()}, {str(backward).lower()}>",
            f"{'the last' if last else 'another'} axis{' backward' if backward else ''} {short(item)} {short(operator)}")


def reduce_along(draw):
    item = draw.random.choice([draw.number(), draw.random.choice(list(OPERATED))])
    operator, last = draw.operator(item, commuting=True), draw.chance(0.4)
    return (f"reduce_along<{item}, {operator}, {str(last).lower()}>",
            f"{'the last' if last else 'another'} axis {short(item)} {short(operator)}")


def sort_pairs(draw):
    key, value = draw.number(), draw.weighted((3, "std::uint32_t"), (1, "std::uint8_t"), (1, "std::uint64_t"))
    return f"sort_pairs<{key}, {value}>", f"{short(key)} {short(value)}"


def multisplit(draw):
    key, bits = draw.random.choice(["std::uint8_t", "std::uint16_t", "std::uint32_t", "std::uint64_t"]), draw.random.randint(1, 8)
    return f"multisplit<{key}, {bits}>", f"{short(key)} {1 << bits} parts"


def recurrence(draw):
    item, backward = draw.random.choice(COUNTERS), draw.chance(0.25)
    return f"recurrence<{item}, {str(backward).lower()}>", f"{short(item)}{' backward' if backward else ''}"


MATRICES = ["poisson", "band", "power_law", "one_dense_row", "mostly_empty", "anywhere", "blocks", "arrow", "few_long_rows",
            "one_a_row"]


def spmv(draw):
    item, kind = draw.weighted((2, "float"), (1, "double")), draw.random.choice(MATRICES)
    return f"spmv<{item}, law::matrix_kind::{kind}>", f"{short(item)} {kind.replace('_', ' ')}"


DRAWN = [(26, "scan", scan), (4, "scan_zipped", scan_zipped), (3, "adjacent_difference", adjacent_difference),
         (8, "reduce", reduce), (5, "reduce_to_value", reduce_to_value), (2, "reduce_argmax", over_numbers("reduce_argmax")),
         (2, "reduce_moments", reduce_moments),
         (1, "inner_product", over_types("inner_product", FLOATS[2:] + COUNTERS)), (2, "count_if", over_items("count_if")),
         (2, "min_element", over_numbers("min_element")), (1, "find_if", over_types("find_if", INTEGERS + FLOATS[2:])),
         (7, "copy_if", over_items("copy_if")), (3, "copy_if_stencil", copy_if_stencil), (3, "pack", over_items("pack")),
         (3, "partition_copy", over_items("partition_copy")), (4, "unique", over_types("unique", INTEGERS + FLOATS[2:])),
         (3, "unique_by_key", unique_by_key), (6, "scan_by_key", scan_by_key), (6, "reduce_by_key", reduce_by_key),
         (3, "run_length_encode", run_length_encode), (7, "segmented_scan", segmented_scan),
         (8, "segmented_reduce", segmented_reduce), (2, "gather", over_types("gather", INTEGERS + FLOATS + STRUCTS)),
         (1, "lower_bound", over_types("lower_bound", COUNTERS)),
         (2, "histogram_even", over_types("histogram_even", INTEGERS[:6] + ["float"])),
         (6, "scan_along", scan_along), (4, "reduce_along", reduce_along),
         (4, "sort_keys", over_types("sort_keys", INTEGERS + ["float", "double"])), (4, "sort_pairs", sort_pairs),
         (3, "sort_by_comparison", over_types("sort_by_comparison", COUNTERS + ["double"])), (3, "multisplit", multisplit),
         (2, "merge", over_types("merge", COUNTERS + ["double"])), (2, "segmented_sort", over_types("segmented_sort", COUNTERS + ["float"])),
         (4, "spmv", spmv), (3, "top_k", over_types("top_k", INTEGERS + FLOATS[2:])), (2, "recurrence", recurrence)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--cases", type=int, default=240)
    parser.add_argument("--units", type=int, default=24)
    kinds = [kind for _, kind, _ in DRAWN]
    parser.add_argument("--only", nargs="*", default=kinds, choices=kinds, metavar="KIND", help=", ".join(kinds))
    parser.add_argument("--like", type=pathlib.Path, metavar="TABLE")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(1 << 32)
    draw = drawing(random.Random(seed))
    given.outdir.mkdir(parents=True, exist_ok=True)
    chosen = [one for one in DRAWN if one[1] in given.only]
    cases, repeated = {}, 0
    while len(cases) < given.cases and repeated < 1000:
        kind, make = draw.weighted(*((weight, (kind, make)) for weight, kind, make in chosen))
        race, words = make(draw)
        repeated = repeated + 1 if (kind, words) in cases else 0
        cases[kind, words] = race
    if given.like:
        with given.like.open(newline="") as table:
            rows = {row["case"].split(" in+")[0] for row in csv.DictReader(table)}
        cases = {(kind, words): race for (kind, words), race in cases.items() if f"{kind} {words}" in rows}
    units = min(given.units, len(cases))
    for unit in range(units):
        lines = ["// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception", f"// Made by bench/law.py --seed {seed}.",
                 "#include <law/races.cuh>", "", "namespace {"]
        for number, ((kind, words), race) in list(enumerate(cases.items()))[unit::units]:
            lines.append(f'law::registered<law::{race}> const case_{number}("{kind}", "{words}");')
        text = "\n".join([*lines, "}  // namespace", ""])
        path = given.outdir / f"cases_{unit}.cu"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    print(f"law.py: {len(cases)} cases, seed {seed}")


if __name__ == "__main__":
    main()
