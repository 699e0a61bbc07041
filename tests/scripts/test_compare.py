"""bench/compare with engines that are made up: programs which answer at once, and note that they were called."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

COMPARE = pathlib.Path(__file__).resolve().parent.parent.parent / "bench/compare"

# Answers with its next time at each call, the last one over and over.
ENGINE = """#!{python}
import json, pathlib, sys
box = pathlib.Path({box!r})
name, times = {name!r}, {times!r}
with open(box / "calls", "a") as calls:
    calls.write(" ".join([name, *sys.argv[1:]]) + "\\n")
if sys.argv[1] == "refused":
    print("there is no such scene", file=sys.stderr)
    sys.exit(2)
count = box / ("count-" + name)
turn = int(count.read_text()) if count.exists() else 0
count.write_text(str(turn + 1))
print("a line that is none")
print(json.dumps({{"name": name, "scene": sys.argv[1], "threads": int(sys.argv[2]), "ms": times[min(turn, len(times) - 1)], "points": 1000,
                  "penMeanMm": {pen}, "penMaxMm": 1.5, "drift": 0.01, "standing": 2, "topN": 3, "jointSepMm": 0}}))
"""


class Compare(unittest.TestCase):
    def setUp(self):
        self.box = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.box)
        (self.box / "build/bench").mkdir(parents=True)

    def engine(self, name, times, pen=0.25, folder="build/bench"):
        path = self.box / folder / f"engine_{name}"
        path.write_text(ENGINE.format(python=sys.executable, box=str(self.box), name=name, times=times, pen=pen))
        path.chmod(0o755)
        return str(path)

    def compare(self, *arguments):
        done = subprocess.run([sys.executable, str(COMPARE), "--build", str(self.box / "build"), *arguments], capture_output=True, text=True)
        self.out, self.error = done.stdout, done.stderr
        return done.returncode

    def calls(self):
        return (self.box / "calls").read_text().splitlines()

    def cells(self, engine):
        line = next(line for line in self.out.splitlines() if f"| {engine} |" in line)
        return [cell.strip() for cell in line.strip("|").split("|")]

    def test_medians_spread_and_ratios(self):
        self.engine("bullet", [8, 4, 6])
        self.engine("cairn", [3, 2, 1])
        self.assertEqual(self.compare("tower", "--json", str(self.box / "out.json")), 0, self.error)
        self.assertEqual(self.cells("cairn")[:6], ["`tower`", "1", "cairn", "2", "100 %", "1.00"])
        self.assertEqual(self.cells("bullet")[:8], ["`tower`", "1", "bullet", "6", "67 %", "3.00", "1000", "6000"])
        self.assertEqual(self.cells("bullet")[11], "2/3")
        rows = json.loads((self.box / "out.json").read_text())["rows"]
        self.assertEqual([(row["engine"], row["ms"], row["ratio"], row["rounds_ms"]) for row in rows],
                         [("cairn", 2, 1, [3, 2, 1]), ("bullet", 6, 3, [8, 4, 6])])

    def test_engines_take_turns_within_a_round(self):
        self.engine("cairn", [1])
        self.engine("ode", [1])
        other = self.engine("other", [1], folder=".")
        self.assertEqual(self.compare("--engine", other, "--rounds", "2", "--threads", "2", "tower", "pile"), 0, self.error)
        self.assertEqual(self.calls(), [f"{name} {scene} 2" for scene in ("tower", "pile") for name in ("cairn", "ode", "other", "ode", "other", "cairn")])

    def test_steps_are_handed_on(self):
        self.engine("cairn", [1])
        self.assertEqual(self.compare("--rounds", "1", "--steps", "40", "tower"), 0, self.error)
        self.assertEqual(self.calls(), ["cairn tower 1 40"])

    def test_who_refuses_a_scene_is_left_out(self):
        self.engine("cairn", [1])
        self.assertEqual(self.compare("refused", "tower"), 0)
        self.assertIn("there is no such scene", self.error)
        self.assertEqual(self.calls().count("cairn refused 1"), 1, "it is asked once")
        self.assertEqual(self.out.count("| cairn |"), 1)

    def test_a_program_that_speaks_otherwise_ends_it(self):
        self.engine("cairn", [1])
        broken = self.box / "broken"
        broken.write_text("#!/bin/sh\necho hello\n")
        broken.chmod(0o755)
        self.assertEqual(self.compare("--engine", str(broken), "tower"), 1)
        self.assertIn("line of JSON", self.error)
        self.assertEqual(self.compare("--engine", str(self.box / "nowhere"), "tower"), 1)
        self.assertEqual(len(self.error.splitlines()), 1)

    def test_the_plot_is_a_picture_and_a_drawing(self):
        python = next((p for p in (sys.executable, "/usr/bin/python3") if subprocess.run([p, "-c", "import matplotlib"], capture_output=True).returncode == 0), None)
        if python is None:
            self.skipTest("no matplotlib")
        self.engine("cairn", [1])
        self.engine("bullet", [3], pen=0)
        self.assertEqual(self.compare("--rounds", "1", "--plot", str(self.box / "plot"), "tower"), 0, self.error)
        self.assertTrue((self.box / "plot.png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn("bullet", (self.box / "plot.svg").read_text())


if __name__ == "__main__":
    sys.exit(unittest.main())
