"""The pages of `cairn view` in headless Chromium: test_page.py PROGRAM. Without Chromium: one line, `skipped:`."""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser import Page, find_browser  # noqa: E402

PROGRAM = sys.argv.pop(1)
DREW = "window.cairn !== undefined && cairn.pictures > 0 && !cairn.stale"


def count_colours(page):
    """How many colours there are in the middle of the picture, counted in the page."""
    return page.run("""(() => {
      cairn.renderer.draw(cairn.camera, cairn.theme, cairn.layers, cairn.lines, cairn.around);
      const gl = cairn.renderer.gl, w = 200, h = 200, bytes = new Uint8Array(4 * w * h);
      gl.readPixels((cairn.canvas.width - w) / 2, (cairn.canvas.height - h) / 2, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
      return new Set(new Uint32Array(bytes.buffer)).size;
    })()""")


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(cls.folder.name) / "page.html"
        subprocess.run([PROGRAM, "view", "pyramid:base=4", "--steps", "50", "--every", "1", "--backend", "cpu", "--out", path], check=True, stdout=subprocess.DEVNULL)
        cls.text = path.read_text()
        cls.page = Page(path.as_uri(), 800, 600)
        cls.page.wait(DREW)

    @classmethod
    def tearDownClass(cls):
        cls.page.__exit__()
        cls.folder.cleanup()

    def test_asks_the_network_for_nothing(self):
        self.assertEqual(re.findall(r"""(?:src|href)\s*=\s*["'](?!data:)[^"']*""", self.text), [])
        self.assertEqual(self.page.run("performance.getEntriesByType('resource').filter((e) => !e.name.startsWith('data:')).length"), 0)

    def test_draws_in_light_and_dark(self):
        self.assertGreater(count_colours(self.page), 20)
        before = self.page.run("cairn.theme")
        self.page.press("t")
        self.page.wait(DREW)
        self.assertNotEqual(self.page.run("cairn.theme"), before)
        self.assertGreater(count_colours(self.page), 20)
        self.assertEqual(self.page.errors, [])

    def test_scrubs_across_pieces_and_back(self):
        first = self.page.run("cairn.goTo(0), cairn.stale")
        self.assertTrue(first)
        self.page.wait(DREW)
        start = self.page.run("[...cairn.frame.position]")
        self.page.run("cairn.goTo(47), 0")
        self.page.wait(DREW)
        self.assertAlmostEqual(self.page.run("cairn.frame.time"), 47 / 60, places=6)
        self.page.run("cairn.goTo(0), 0")
        self.page.wait(DREW)
        self.assertEqual(self.page.run("[...cairn.frame.position]"), start)
        self.page.press(".")
        self.page.wait(DREW)
        self.assertEqual(self.page.run("cairn.at"), 1)

    def test_plays_to_the_end(self):
        self.page.run("cairn.setSpeed(4), cairn.goTo(0), 0")
        self.page.press(" ")
        self.page.wait("!cairn.playing && cairn.at === 50")

    def test_picks_what_is_clicked_at(self):
        self.page.run("cairn.goTo(49), cairn.frameAll(), 0")
        self.page.wait(DREW)
        # Where the page draws the top body.
        x, y, body = self.page.run("""(() => {
          const top = cairn.scene.dynamic.reduce((a, b) => (cairn.frame.position[3 * b + 1] > cairn.frame.position[3 * a + 1] ? b : a));
          const p = [...vectorAt(cairn.frame.position, top), 1], m = cairn.camera.matrix;
          const [cx, cy, , cw] = [0, 1, 2, 3].map((row) => p.reduce((sum, v, k) => sum + m[4 * k + row] * v, 0));
          return [(0.5 + 0.5 * cx / cw) * innerWidth, (0.5 - 0.5 * cy / cw) * innerHeight, top];
        })()""")
        self.page.click(x, y)
        self.page.wait(DREW)
        self.assertEqual(self.page.run("cairn.chosen"), body)
        words = self.page.run("document.getElementById('info').innerText")
        for word in ("dynamic", "position", "velocity", "Contacts", "N"):
            self.assertIn(word, words)
        self.page.press("Escape")
        self.page.wait(DREW)
        self.assertTrue(self.page.run("document.getElementById('info').hidden"))

    def test_every_colour_and_layer_draws(self):
        for key in "123451cnbw?":
            self.page.press(key)
            self.page.wait(DREW)
        self.assertTrue(self.page.run("document.getElementById('help').open"))
        self.page.run("document.getElementById('help').close()")
        self.assertTrue(self.page.run("document.querySelector('#colours option[value=sleep]').disabled"))
        self.assertEqual(self.page.errors, [])


# A crate that is one mesh on a half-space, with three balls in it.
CRATE = {"bodies": [
    {"name": "ground", "type": "static", "shapes": [{"type": "half_space"}]},
    {"name": "crate", "type": "static", "position": [0, 0.01, 0], "shapes": [{
        "type": "mesh", "two_sided": True, "vertices": [[x, y, z] for z in (-1, 1) for y in (0, 2) for x in (-1, 1)],
        "triangles": [[0, 1, 5], [0, 5, 4], [0, 1, 3], [0, 3, 2], [5, 4, 6], [5, 6, 7], [4, 0, 2], [4, 2, 6], [1, 5, 7], [1, 7, 3]]}]},
    *({"name": f"ball-{k}", "position": [x, 0.5, z], "shapes": [{"type": "sphere", "radius": 0.4}]} for k, (x, z) in enumerate(((-0.5, 0), (0.5, 0.5), (0.5, -0.5))))]}


class Containers(unittest.TestCase):
    def test_that_are_meshes_are_seen_and_picked_through(self):
        with tempfile.TemporaryDirectory() as folder:
            scene, path = pathlib.Path(folder) / "crate.json", pathlib.Path(folder) / "page.html"
            scene.write_text(json.dumps(CRATE))
            subprocess.run([PROGRAM, "view", scene, "--steps", "5", "--backend", "cpu", "--out", path], check=True, stdout=subprocess.DEVNULL)
            with Page(path.as_uri(), 800, 600) as page:
                page.wait(DREW)
                # From all sides, level: a wall is before each ball.
                picked = """(() => {
                  const found = [0, 1, 2, 3].map((k) => {
                    cairn.camera.azimuth = 0.4 + 0.5 * Math.PI * k;
                    cairn.camera.elevation = 0.05;
                    cairn.camera.update();
                    cairn.renderer.draw(cairn.camera, cairn.theme, cairn.layers, cairn.lines, cairn.around);
                    const p = [...vectorAt(cairn.frame.position, 2), 1], m = cairn.camera.matrix;
                    const [x, y, , w] = [0, 1, 2, 3].map((row) => p.reduce((sum, v, c) => sum + m[4 * c + row] * v, 0));
                    return cairn.pickAt((0.5 + 0.5 * x / w) * innerWidth, (0.5 - 0.5 * y / w) * innerHeight)?.body;
                  });
                  return found.filter((body) => body > 1).length;
                })()"""
                self.assertEqual(page.run(picked), 4)
                page.press("w")
                self.assertEqual(page.run(picked), 0)
                self.assertEqual(page.errors, [])


class Live(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen([PROGRAM, "view", "pyramid:base=4", "--live", "--backend", "cpu"], stdout=subprocess.PIPE, text=True)
        line = self.server.stdout.readline()
        if "http://" not in line:
            self.server.wait()
            self.server.stdout.close()
            self.skipTest("this build has no Boost.Beast")
        self.url = re.search(r"http://\S+", line).group(0)

    def tearDown(self):
        if self.server.poll() is None:
            self.server.send_signal(signal.SIGINT)
        self.assertEqual(self.server.wait(10), 0)
        self.server.stdout.close()

    def test_runs_pauses_steps_pulls_and_starts_anew(self):
        with Page(self.url, 800, 600) as page:
            page.wait("window.cairn !== undefined && cairn.frame !== null && cairn.frame.time > 0.2")
            page.press(" ")
            page.wait("cairn.live.state.paused")
            page.wait("(() => { const t = cairn.frame.time, same = t === window.before; window.before = t; return same; })()")
            time = page.run("cairn.frame.time")
            page.press(".")
            page.wait(f"cairn.frame.time > {time}")
            self.assertAlmostEqual(page.run("cairn.frame.time"), time + 1 / 60, places=6)
            page.press("r")
            page.wait("cairn.frame.time < 0.1")
            page.run("window.high = Math.max(...cairn.scene.dynamic.map((i) => cairn.frame.position[3 * i + 1])), 0")
            page.run("cairn.live.pull(cairn.scene.dynamic.length - 1, [0, 0, 0], [0, 30, 0]), cairn.live.pause(false), 0")
            page.wait("Math.max(...cairn.scene.dynamic.map((i) => cairn.frame.position[3 * i + 1])) > window.high + 2")
            self.assertEqual(page.errors, [])

    def test_refuses_pages_of_other_places(self):
        for headers in ({"Host": "example.org"}, {"Origin": "http://example.org"}):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(self.url, headers=headers))
            self.assertEqual(refused.exception.code, 403)
            refused.exception.close()
        port = re.search(r":(\d+)/", self.url).group(1)
        taken = subprocess.run([PROGRAM, "view", "pyramid:base=4", "--live", "--port", port], capture_output=True, text=True)
        self.assertEqual((taken.returncode, taken.stderr.count("\n")), (2, 1), taken.stderr)


if __name__ == "__main__":
    if find_browser() is None:
        print("skipped: there is no Chromium on PATH")
        sys.exit(0)
    unittest.main()
