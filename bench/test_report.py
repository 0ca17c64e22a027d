#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of report.py, on results made up in a folder of their own."""
import contextlib
import importlib.util
import io
import json
import pathlib
import tempfile
import unittest
import xml.dom.minidom

HERE = pathlib.Path(__file__).resolve().parent
SPEC = importlib.util.spec_from_file_location("report", HERE / "report.py")
report = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(report)


def benchmark(case, items, sweep_us, copy_ratio, **more):
    return {"name": f"{case}/iterations:15/manual_time", "run_name": case, "family_index": 0, "items": items,
            "sweep_us": sweep_us, "copy_ratio": copy_ratio, **more}


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.table = self.root / "bench" / "results" / "h100.csv"
        (self.root / "docs").mkdir()

    def result(self, name, *benchmarks, gpu="NVIDIA H100 80GB HBM3"):
        path = self.root / name
        path.write_text(json.dumps({"context": {"gpu": gpu, "host_name": "somewhere", "executable": "/tmp/bench_scan"},
                                    "benchmarks": benchmarks}))
        return path

    def run_report(self, command, *paths):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = report.main([command, *map(str, paths), "--root", str(self.root)])
        return status, said.getvalue()

    def merge(self, *benchmarks, **more):
        return self.run_report("merge", self.result("scan.json", *benchmarks, **more))

    def rows(self):
        return {row["case"]: row for row in report.read_table(self.table)}

    def test_a_row_names_the_fastest_peer(self):
        status, _ = self.merge(benchmark("scan/inclusive_sum/f32/forward/2^28", 2 ** 28, 750.0, 0.96,
                                         **{"peer_us:cub 3.5.0": 960.0, "peer_us:thrust": 1000.0}))
        self.assertEqual(status, 0)
        self.assertEqual(self.table.read_text(),
                         "case,items,sweep_us,copy_ratio,peer,peer_us,speedup\n"
                         "scan/inclusive_sum/f32/forward/2^28,268435456,750,0.96,cub 3.5.0,960,1.28\n")

    def test_the_law_is_shown_by_size_and_kind_with_its_losses(self):
        self.merge(benchmark("scan/a/f32/forward/2^16", 65536, 5.0, 0.1, **{"peer_us:cub": 10.0}))
        (self.table.parent / "law_h100.csv").write_text(
            "case,items,sweep_us,peer,peer_us,speedup,copy_ratio,equal\n"
            "scan inclusive f32 pointer plus in+0,70000,2.0,cub::DeviceScan,4.0,2.000,0.5,yes\n"
            "scan inclusive u8 pointer plus in+3,70001,4.0,cub::DeviceScan,2.0,0.500,0.1,yes\n"
            "copy_if u8 pointer in+3,100,4.0,cub::DeviceSelect::If,4.0,1.000,0.1,yes\n")
        page = self.root / "README.md"
        page.write_text("".join(f"<!-- figures:begin {name} -->\n<!-- figures:end -->\n" for name in ("law", "law_kinds", "law_worst")))
        self.run_report("render")
        text = page.read_text()
        self.assertIn("| 2^16 to 2^20 | 2 | 1 | 1 | 0.50 | 1.00 | 2.00 |", text)
        self.assertIn("| copy if | 1 | 0 | 0 | 1.00 | 1.00 | 1.00 |", text)
        self.assertLess(text.index("scan inclusive u8"), text.index("scan inclusive f32"))
        self.assertIn("1 of 2 of 2^16 items", (self.root / "docs" / "figures" / "law.svg").read_text())

    def test_results_of_an_h200_are_kept_apart_and_rendered_beside(self):
        self.merge(benchmark("scan/inclusive_sum/f32/forward/2^28", 2 ** 28, 750.0, 0.96, **{"peer_us:cub": 960.0}))
        status, _ = self.merge(benchmark("scan/inclusive_sum/f32/forward/2^28", 2 ** 28, 500.0, 0.9, **{"peer_us:cub": 600.0}),
                               gpu="NVIDIA H200")
        self.assertEqual(status, 0)
        self.assertEqual(self.rows()["scan/inclusive_sum/f32/forward/2^28"]["sweep_us"], "750")
        other = self.table.parent / "h200" / "h200.csv"
        self.assertEqual([row["sweep_us"] for row in report.read_table(other)], ["500"])
        page = self.root / "README.md"
        page.write_text("".join(f"<!-- figures:begin {name} -->\n<!-- figures:end -->\n" for name in ("scan_h200", "slower_h200", "summary_h200")))
        self.assertEqual(self.run_report("render")[0], 0)
        self.assertIn("| inclusive sum f32 forward, 2^28 | 500 | 0.90 | 600 | 0.75 | 1.20 |", page.read_text())
        self.assertEqual(self.run_report("check")[0], 0)
        other.write_text(other.read_text().replace("500", "400"))
        status, said = self.run_report("check")
        self.assertEqual(status, 1)
        self.assertIn("h200.csv", said)

    def test_a_row_of_the_law_with_too_many_columns_is_refused(self):
        self.merge(benchmark("scan/a/f32/forward/2^16", 65536, 5.0, 0.1, **{"peer_us:cub": 10.0}))
        (self.table.parent / "law_h100.csv").write_text(
            "case,items,sweep_us,peer,peer_us,speedup,copy_ratio,equal\n"
            "top_k i32 in+0,70000,2.0,a peer, of two calls,4.0,2.000,0.5,yes\n")
        status, said = self.run_report("render")
        self.assertNotEqual(status, 0)
        self.assertIn("the row of top_k i32 in+0", said)

    def test_a_case_measured_anew_replaces_its_row_and_no_other(self):
        peer = {"peer_us:cub": 10.0}
        self.merge(benchmark("scan/a/f32/forward/2^16", 65536, 5.0, 0.1, **peer),
                   benchmark("scan/a/f32/forward/2^20", 1048576, 6.0, 0.5, **peer))
        self.merge(benchmark("scan/a/f32/forward/2^16", 65536, 4.0, 0.125, **peer))
        self.assertEqual(self.rows()["scan/a/f32/forward/2^16"]["sweep_us"], "4")
        self.assertEqual(self.rows()["scan/a/f32/forward/2^20"]["sweep_us"], "6")

    def test_sizes_are_in_order_of_size(self):
        cases = ["2^20", "2^10-1", "3*2^9+1", "2^9", "2^10+1", "2^10"]
        self.merge(*(benchmark(f"papers/inclusive_sum/f32/forward/{size}", 7, 5.0, 0.5) for size in cases))
        self.assertEqual([case.rsplit("/", 1)[-1] for case in self.rows()],
                         ["2^9", "2^10-1", "2^10", "2^10+1", "3*2^9+1", "2^20"])

    def test_other_variants_are_rows_of_their_own(self):
        self.merge(benchmark("papers/inclusive_sum/f32/forward/2^10", 1024, 5.0, 0.4,
                             **{"variant_us:matrix": 10.0, "peer_us:cub": 20.0}))
        row = self.rows()["papers/inclusive_sum/f32/forward+matrix/2^10"]
        self.assertEqual((row["sweep_us"], row["copy_ratio"], row["speedup"]), ("10", "0.2", "2"))

    def test_copies_and_tuning_runs_are_not_rows(self):
        self.merge(benchmark("copy/memcpy/f32/device_to_device/2^16", 65536, 4.0, 1.0),
                   benchmark("tune/inclusive_sum/f32/512-11-2/2^28", 2 ** 28, 4.0, 1.0))
        self.assertEqual(self.rows(), {})

    def test_a_failed_case_stops_everything(self):
        status, said = self.merge({"name": "scan/a/f32/forward/2^16", "error_occurred": True, "error_message": "differs"})
        self.assertEqual(status, 1)
        self.assertIn("differs", said)
        self.assertFalse(self.table.exists())

    def test_results_of_another_device_are_refused(self):
        status, said = self.merge(benchmark("scan/a/f32/forward/2^16", 65536, 5.0, 0.1), gpu="NVIDIA A100")
        self.assertEqual(status, 1)
        self.assertIn("NVIDIA A100", said)

    def test_stored_results_do_not_say_where_they_were_made(self):
        self.merge(benchmark("scan/a/f32/forward/2^16", 65536, 5.0, 0.1))
        text = (self.table.parent / "scan.json").read_text()
        self.assertNotIn("somewhere", text)
        self.assertNotIn("/tmp", text)
        self.assertIn("H100", text)

    def test_every_case_is_stored_once_with_what_it_was_measured_with(self):
        a, b = (benchmark(f"scan/a/f32/forward/2^{k}", 2 ** k, 5.0, 0.1) for k in (16, 20))
        self.merge(a, b)
        self.merge(a, gpu="NVIDIA H100 later")
        folder = self.table.parent
        stored = {path.name: json.loads(path.read_text()) for path in folder.glob("*.json")}
        self.assertEqual([case["name"] for case in stored["scan.json"]["benchmarks"]], ["scan/a/f32/forward/2^20"])
        self.assertEqual([case["name"] for case in stored["scan.2.json"]["benchmarks"]], ["scan/a/f32/forward/2^16"])
        self.assertEqual(stored["scan.2.json"]["context"]["gpu"], "NVIDIA H100 later")
        self.merge(a, b)
        self.assertEqual([path.name for path in folder.glob("*.json")], ["scan.json"])

    def merge_everything(self):
        cub = {"peer_us:cub 3.5.0": 20.0}
        variants = {"variant_us:matrix": 10.0, "variant_us:tree": 14.0, "variant_us:tree_padded": 12.0}
        return self.merge(
            benchmark("scan/inclusive_sum/f32/forward/2^28", 2 ** 28, 15.0, 0.96, **cub),
            benchmark("scan/inclusive_sum/f32/forward/2^16", 2 ** 16, 15.0, 0.1, **cub),
            benchmark("reduce/sum/f32/default/2^28", 2 ** 28, 15.0, 1.01, **cub),
            benchmark("papers/exclusive_sum/f32/chained+matrix/2^26", 2 ** 26, 15.0, 0.6, **cub),
            *(benchmark(f"papers/inclusive_sum/f32/{direction}/2^{k}", 2 ** k, 5.0, 0.4, **variants, **cub)
              for direction in ("forward", "backward") for k in (10, 11)))

    def test_figures_are_well_formed_and_always_the_same(self):
        self.merge_everything()
        self.assertEqual(self.run_report("render")[0], 0)
        names = {"overview.svg", "scan-ratio.svg", "scan-speedup.svg", "scan-variants.svg", "reduce-ratio.svg",
                 "papers-forward.svg", "papers-backward.svg", "against-cub.svg"}
        folder = self.root / "docs" / "figures"
        first = {path.name: path.read_text() for path in folder.iterdir()}
        self.assertEqual(set(first), names)
        for text in first.values():
            self.assertEqual(xml.dom.minidom.parseString(text).documentElement.tagName, "svg")
        for path in folder.iterdir():
            path.unlink()
        self.run_report("render")
        self.assertEqual(first, {path.name: path.read_text() for path in folder.iterdir()})

    def test_a_bar_is_as_long_as_its_value(self):
        self.merge_everything()
        self.run_report("render")
        text = (self.root / "docs" / "figures" / "overview.svg").read_text()
        self.assertIn('width="499.2"', text)  # 0.96 of 520
        self.assertIn('width="374.4"', text)  # CUB: 0.96 * 15 / 20

    def test_losses_are_counted_and_listed(self):
        peer = {"peer_us:cub": 10.0}
        self.merge(benchmark("scan/a/f32/forward/2^16", 65536, 5.0, 0.1, **peer),
                   benchmark("scan/a/f32/forward/2^20", 65536, 10.2, 0.1, **peer),     # within the margin
                   benchmark("scan/a/f32/forward/2^24", 65536, 100.0, 0.1, **peer),
                   benchmark("reduce/sum/f32/atomic/2^20", 65536, 100.0, 0.1, **peer),  # there to be compared with
                   benchmark("scan/a/f32/host_threads_2/2^28", 65536, 100.0, 0.1, **{"peer_us:thrust": 10.0}),
                   benchmark("gather/f32_by_i32/random/2^28", 65536, 5.0, 0.1, **{"peer_us:thrust 3.6": 10.0}))
        page = self.root / "README.md"
        page.write_text("<!-- figures:begin -->\n<!-- figures:end -->\n<!-- figures:begin slower -->\n<!-- figures:end -->\n")
        self.run_report("render")
        text = page.read_text()
        self.assertIn("| scans | 3 | 1 | 0.10 | 0.98 | 2.00 |\n| gathers and scatters | 1 | 0 | 2.00 | 2.00 | 2.00 |\n"
                      "| all | 4 | 1 |", text)
        self.assertIn("| scan: a f32 forward, 2^24 | 100 |", text)
        self.assertNotIn("| scan: a f32 forward, 2^20 |", text)
        drawn = (self.root / "docs" / "figures" / "against-cub.svg").read_text()
        self.assertIn("against CUB and Thrust on one H100: 1 of 4 are slower by over 3%", drawn)
        self.assertEqual([drawn.count(f'class="mark {kind}"') for kind in ("more", "even", "less")], [2, 1, 1])
        self.assertIn("3 cases, 1 slower, 1 past 0.25", drawn)

    def test_numbers_go_between_the_markers_and_check_notices_when_they_are_old(self):
        page = self.root / "README.md"
        page.write_text("# A\n<!-- figures:begin -->\nold\n<!-- figures:end -->\nend\n")
        self.merge_everything()
        self.assertEqual(self.run_report("check")[0], 1)
        self.run_report("render")
        text = page.read_text()
        self.assertTrue(text.startswith("# A\n<!-- figures:begin -->\n") and text.endswith("<!-- figures:end -->\nend\n"))
        self.assertNotIn("old", text)
        self.assertIn("| scans | 2 | 0 | 1.33 | 1.33 | 1.33 |", text)
        self.assertEqual(self.run_report("check"), (0, ""))

    def test_a_row_changed_by_hand_is_noticed(self):
        self.merge_everything()
        self.run_report("render")
        self.assertEqual(self.run_report("check")[0], 0)
        self.table.write_text(self.table.read_text().replace("2^16,65536,15,", "2^16,65536,14,"))
        status, said = self.run_report("check")
        self.assertEqual(status, 1)
        self.assertIn("scan/inclusive_sum/f32/forward/2^16", said)

    def test_a_table_without_results_is_an_error_that_leaves_it_alone(self):
        page = self.root / "docs" / "page.md"
        page.write_text("<!-- figures:begin nothing -->\nold\n<!-- figures:end -->\n"
                        "<!-- figures:begin reduce -->\n<!-- figures:end -->\n")
        self.merge_everything()
        status, said = self.run_report("render")
        self.assertEqual(status, 1)
        self.assertIn("nothing", said)
        self.assertIn("\nold\n", page.read_text())
        self.assertIn("| sum f32 default, 2^28 |", page.read_text())


if __name__ == "__main__":
    unittest.main()
