#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of tune.py, on results made up in a folder of their own."""
import contextlib
import importlib.util
import io
import json
import pathlib
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SPEC = importlib.util.spec_from_file_location("tune", HERE / "tune.py")
tune = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tune)

TABLE = """inline constexpr scan_row scan_table[] = {
    // since      item <=
    {arch::sm_90, size_class::large, 8,         {512, 11, 2, access::cached, access::cached}},  // old
    {arch::any,   size_class::any,   any_bytes, {512, 8, 2, access::cached, access::cached}},  // untested
};
"""
ROW = "arch::sm_90, size_class::large, 8"


def case(name, plan, us, algorithm="inclusive_scan", **more):
    return {"name": f"tune/{algorithm}/{name}/{plan}/2^28/iterations:7/manual_time", "sweep_us": us,
            "copy_ratio": 100 / us, "items": 2 ** 28, **more}


class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.table = self.root / "tuning.hpp"
        self.table.write_text(TABLE)

    def results(self, name, *cases):
        (self.root / f"tune_{name}_0.json").write_text(json.dumps({"context": {"gpu": "NVIDIA H100"}, "benchmarks": cases}))

    def write(self, row=ROW, *more):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = tune.main(["write", "--out", str(self.root), "--results", str(self.root / "results"), "--table",
                                str(self.table), "--row", row, *more])
        return status, said.getvalue()

    def test_the_best_over_all_classes_replaces_the_row_for_its_size(self):
        self.results("f32", case("f32", "256-8-2-cached-cached-0-2", 100), case("f32", "512-9-2-cached-streaming-0-2", 105))
        self.results("f64", case("f64", "256-8-2-cached-cached-0-2", 150), case("f64", "512-9-2-cached-streaming-0-2", 110))
        self.assertEqual(self.write()[0], 0)
        row = "    {arch::sm_90, size_class::large, 8, {512, 9, 2, access::cached, access::streaming, 0, 2}},  // bench/results/tune_scan_table_sm_90_large_8.json"
        self.assertEqual(self.table.read_text().split("\n")[2], row)
        self.assertNotIn("old", self.table.read_text())
        self.assertTrue((self.root / "results" / "tune_scan_table_sm_90_large_8.json").exists())

    def test_a_new_row_goes_where_it_is_said_to(self):
        self.results("u8", case("u8", "256-8-2-cached-cached-0-2", 100))
        self.assertEqual(self.write("arch::sm_90, size_class::large, 4", "--before", ROW)[0], 0)
        rows = [line.split("{")[1].split(",")[0:3] for line in self.table.read_text().split("\n") if line.startswith("    {")]
        self.assertEqual([row[2].strip() for row in rows], ["4", "8", "any_bytes"])
        before = self.table.read_text()
        status, said = self.write("arch::sm_90, size_class::large, 2")
        self.assertEqual(status, 1)
        self.assertIn("no row", said)
        self.assertEqual(self.table.read_text(), before)

    def test_a_candidate_that_failed_somewhere_is_not_chosen(self):
        self.results("f32", case("f32", "256-8-2-cached-cached-0-2", 50, error_occurred=True, error_message="differs"),
                     case("f32", "512-9-2-cached-cached-0-2", 105))
        self.write()
        self.assertIn("{512, 9, 2,", self.table.read_text())

    def test_a_compaction_has_a_table_and_fields_of_its_own(self):
        self.table.write_text("inline constexpr partition_row partition_table[] = {\n"
                              "    {arch::sm_90, decided_by::item, 4, {1024, 32, 1, access::streaming, 5, 1}},  // old\n};\n")
        self.results("u32", case("u32", "960-32-1-cached-5-1", 100, "copy_if"), case("u32", "512-8-2-cached-cached-0-2", 50))
        self.assertEqual(self.write("arch::sm_90, decided_by::item, 4", "--algorithm", "copy_if")[0], 0)
        self.assertIn("{arch::sm_90, decided_by::item, 4, {960, 32, 1, access::cached, 5, 1}},", self.table.read_text())

    def test_stages_have_warps_for_their_roles_and_room(self):
        axes = [tune.axis(text, "copy_if") for text in ("threads=64,960,1056", "rows=32", "blocks=1", "stages=5,12", "loads=1")]
        plans = tune.candidates(axes, 4, "copy_if")
        self.assertEqual([(plan["threads"], plan["stages"]) for plan in plans], [("960", "5")])

    def test_no_results_are_an_error(self):
        status, said = self.write()
        self.assertEqual(status, 1)
        self.assertIn("no results", said)

    def test_axes_and_registers(self):
        plans = tune.candidates([tune.axis("threads=512,1024"), tune.axis("rows=10:12"), tune.axis("blocks=2")], 4)
        self.assertEqual([(plan["threads"], plan["rows"]) for plan in plans], [("512", "10"), ("512", "11")])
        with self.assertRaises(tune.TuneError):
            tune.axis("colour=red")


if __name__ == "__main__":
    unittest.main()
