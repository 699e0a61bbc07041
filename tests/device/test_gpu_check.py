"""scripts/gpu-check on the emulated device: what it runs, in which order, and when it says that it passed. Called by ctest with folders of programs."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILT = pathlib.Path(os.environ["CAIRN_BUILT"])  # the build's folder
FIRST = ["smoke", "bits", "bits at scale", "bits in double", "bits of shapes", "golden hashes", "tests on cuda", "memcheck", "initcheck", "bench boxes",
         "bench a million boxes", "bench joints", "launches", "profile"]
BESIDE = FIRST[1:FIRST.index("bench boxes")]  # each other

# In place of the toolkit's tools: they run the program and print what the real ones would.
PROFILER = """#!/bin/sh
while [ "$1" != -c ]; do shift; done; shift 2
"$@" && cat <<END
  void cairn::sweepAllKernel<float>(int) (660, 1, 1)x(128, 1, 1), Context 1, Stream 13, Device 0, CC 9.0
    Section: Launch Statistics
    -------------------------------- --------------- ---------------
    Metric Name                          Metric Unit    Metric Value
    -------------------------------- --------------- ---------------
    Duration                                      us        1,234.50
    Registers Per Thread             register/thread              96
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","void cairn::v0::sweepAllKernel<float>(int)","gpu__time_duration.sum","ns","1,500"
"1","void cairn::v0::sweepAllKernel<float>(int)","gpu__time_duration.sum","ns","2,500"
END
"""
SANITIZER = """#!/bin/sh
shift 4
"$@"; status=$?
echo "========= ERROR SUMMARY: 0 errors"
exit $status
"""

# In place of the program: bits differ where a scene is called `differs`, and no scene stands as its suite wants it.
PROGRAM = """#!/usr/bin/env python3
import json, sys
command, scenes = sys.argv[1], [word for word in sys.argv[2:] if ":" in word] or ["a scene"]
runs = [{"backend": "cpu"}, {"backend": "cuda"}]
rows = [{"scene": scene, "status": "failed: 3 escaped" if command == "bench" else STATUS, "step_ms": {"median": 1}, "runs": runs,
         "all": {"launches": 1, "sweeps": 1, "waits": 0}} for scene in scenes]
if "--json" in sys.argv:
    json.dump({"rows": rows}, open(sys.argv[sys.argv.index("--json") + 1], "w"))
sys.exit(any(row["status"] != "ok" for row in rows) and command != "run" and "--memory" not in sys.argv)
"""


def write_program(path, text):
    path.write_text(text)
    path.chmod(0o755)


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.programs, self.tools, self.out = self.folder / "programs", self.folder / "tools", self.folder / "out"
        self.programs.mkdir()
        self.tools.mkdir()
        for name in ("cairn", "tests/cairn_tests"):
            (self.programs / pathlib.Path(name).name).symlink_to(BUILT / name)
        write_program(self.tools / "ncu", PROFILER)
        write_program(self.tools / "compute-sanitizer", SANITIZER)

    def check(self, *options, **environment):
        """Exit status, the result's file, and the status of each part by its name."""
        ran = subprocess.run([ROOT / "scripts" / "gpu-check", "--run", self.programs, self.out, *options, "--tiny"], capture_output=True, text=True,
                             env={**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", **environment})
        self.assertTrue((self.out / "gpu-check.json").exists(), ran.stdout + ran.stderr)
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["gpu-check.json", "gpu-check.log"])
        result = json.loads((self.out / "gpu-check.json").read_text())
        return ran.returncode, result, {part["part"]: part["status"] for part in result["parts"]}

    def fake_program(self, status):
        (self.programs / "cairn").unlink()
        write_program(self.programs / "cairn", PROGRAM.replace("STATUS", repr(status)))

    def test_all_parts_pass_in_their_order(self):
        status, result, parts = self.check()
        self.assertEqual(set(parts.values()), {"passed"}, result)
        self.assertEqual((status, result["passed"], result["complete"], result["reason"]), (0, True, True, ""))
        self.assertEqual(list(parts)[:len(FIRST)], FIRST)
        limits = {part["part"]: part["limit_s"] for part in result["parts"]}
        alone = [limits[name] for name in FIRST if name not in BESIDE]
        ends = [0] * 4  # of those that run beside each other, four at a time
        for name in BESIDE:
            ends[ends.index(min(ends))] += limits[name]
        self.assertLessEqual(sum(alone) + max(ends), 570)
        for part in result["parts"]:
            if part["part"].startswith(("bits", "bench", "launches")):
                self.assertTrue(part["rows"], part)
        kernels = next(part for part in result["parts"] if part["part"] == "profile")["kernels"]
        self.assertEqual({launch["Duration"] for launches in kernels.values() for launch in launches}, {"1,234.50 us"})
        timed = next(part for part in result["parts"] if part["part"] == "kernels")["kernels"]
        self.assertEqual(timed, {"tower:height=3": [{"kernel": "void sweepAllKernel<float>(int)", "launches": 2, "us": 4.0}]})
        self.assertIn("=== smoke: cairn run tower:height=3", (self.out / "gpu-check.log").read_text())

    def expect_end_after_smoke(self, reason, **environment):
        status, result, parts = self.check(**environment)
        self.assertEqual((status, result["passed"], result["complete"]), (1, False, False))
        self.assertRegex(result["reason"], "^smoke: .*" + reason)
        self.assertEqual(list(parts)[:3], ["smoke", "smoke with launches that wait", "memcheck of smoke"])
        self.assertEqual([parts[name] for name in list(parts)[:3]], ["failed"] * 3)
        self.assertEqual(set(list(parts.values())[3:]), {"skipped"})
        self.assertEqual(list(parts)[3:3 + len(FIRST) - 1], FIRST[1:])

    def test_some_parts_alone(self):
        status, result, parts = self.check("--only", "memory,bits")
        self.assertEqual((status, result["passed"], result["complete"]), (0, True, False))
        self.assertEqual(list(parts), ["smoke", "bits", "memory"])

    def test_without_a_device_nothing_else_is_run(self):
        self.expect_end_after_smoke("there is no CUDA device", EMULATED_DEVICES="0")

    def test_where_the_first_allocations_fail_nothing_else_is_run(self):
        self.expect_end_after_smoke("device memory", EMULATED_FAIL_ALLOCATION="5")

    def test_without_time_all_parts_are_skipped(self):
        status, result, parts = self.check(CAIRN_GPU_CHECK_SECONDS="3")
        self.assertEqual((status, result["passed"], result["reason"]), (1, False, "nothing was run"))
        self.assertEqual(list(parts)[:len(FIRST)], FIRST)
        self.assertEqual(set(parts.values()), {"skipped"})

    def test_a_verdict_on_a_scene_is_no_failure(self):
        self.fake_program("ok")
        status, result, parts = self.check()
        self.assertEqual((status, result["passed"]), (0, True), result["reason"])
        self.assertEqual(parts["bench boxes"], "passed")

    def test_other_bits_fail_and_the_rest_is_run(self):
        self.fake_program("failed: not identical")
        status, result, parts = self.check()
        self.assertEqual((status, result["passed"]), (1, False))
        self.assertRegex(result["reason"], "^bits: .*not identical")
        self.assertEqual((parts["bits"], parts["bits at scale"], parts["tests on cuda"], parts["bench boxes"]), ("failed", "failed", "passed", "passed"))


if __name__ == "__main__":
    unittest.main()
