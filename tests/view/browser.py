"""A page in headless Chromium, driven by its DevTools protocol over a pipe: no packages, no ports."""
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find_browser():
    return os.environ.get("CAIRN_CHROMIUM") or next((path for path in map(shutil.which, NAMES) if path), None)


class Page:
    """With `with`. What the page has written to its console as an error, or thrown, is in `errors`."""

    def __init__(self, url, width=1280, height=720, dark=False):
        self.folder = tempfile.mkdtemp()
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        command = [find_browser(), "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--use-gl=angle", "--use-angle=swiftshader",
                   "--enable-unsafe-swiftshader", "--no-first-run", "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
                   f"--user-data-dir={self.folder}", f"--window-size={width},{height}", "about:blank"]

        def pipes():  # the browser reads from descriptor 3 and writes to 4
            a, b = os.dup(to_browser), os.dup(from_browser)
            a, b = (os.dup(a) if a in (3, 4) else a), (os.dup(b) if b in (3, 4) else b)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=pipes, close_fds=False, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.rest, self.errors, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=url)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # its children outlive it for a while, and write to its folder
        except ProcessLookupError:
            pass
        os.close(self.out)
        os.close(self.into)
        self.remove_folder()

    def remove_folder(self, seconds=20):
        """Again while a dying child of the browser puts files beside those that are being removed. What stays then is the system's to clear."""
        end = time.monotonic() + seconds
        while True:
            shutil.rmtree(self.folder, ignore_errors=True)
            if not os.path.exists(self.folder) or time.monotonic() > end:
                return
            time.sleep(0.1)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self):
        while b"\0" not in self.rest:
            data = os.read(self.into, 1 << 20)
            if not data:
                raise RuntimeError("the browser has gone")
            self.rest += data
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        event, what = message.get("method"), message.get("params", {})
        if event == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif event == "Runtime.consoleAPICalled" and what["type"] == "error":
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in what["args"]))
        elif event == "Log.entryAdded" and what["entry"]["level"] == "error":
            self.errors.append(what["entry"]["text"])
        return message

    def run(self, expression):
        """The value of JavaScript in the page; a promise's, when it has one."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "threw"))
        return result["result"].get("value")

    def wait(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(expression):
                return
            time.sleep(0.05)
        raise RuntimeError(f"still not: {expression}; errors: {self.errors}")

    def press(self, key):
        self.run(f"dispatchEvent(new KeyboardEvent('keydown', {{key: {json.dumps(key)}}})), 0")

    def mouse(self, kind, x, y, **options):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=options.pop("button", "left"), clickCount=1, **options)

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def screenshot(self, path=None):
        png = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(png)
        return png
