"""Headless Chromium, driven through a pipe: the DevTools protocol without a network."""

import base64
import json
import os
import pathlib
import shutil
import subprocess


class Browser:
    """A process of Chromium with one page."""

    def __init__(self):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if program is None:
            raise SystemExit("look: needs Chromium: apt-get install chromium")
        from_us, to_us = os.pipe(), os.pipe()

        def adopt():
            # Chromium reads commands from descriptor 3 and writes answers to 4.
            read, written = os.dup(from_us[0]), os.dup(to_us[1])
            os.dup2(read, 3)
            os.dup2(written, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
             "--disable-gpu", "--hide-scrollbars", "--no-first-run", "about:blank"],
            preexec_fn=adopt, pass_fds=(3, 4), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(from_us[0])
        os.close(to_us[1])
        self.commands = os.fdopen(from_us[1], "wb", buffering=0)
        self.answers = os.fdopen(to_us[0], "rb", buffering=1 << 20)
        self.number, self.pending, self.session = 0, b"", None
        #: Errors of the console and exceptions, in their order.
        self.errors = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def message(self):
        while b"\0" not in self.pending:
            data = self.answers.read1(1 << 20)
            if not data:
                raise SystemExit("look: the browser has ended")
            self.pending += data
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        """Sends a command and returns its answer; keeps errors that are reported meanwhile."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        self.commands.write(json.dumps(command).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise SystemExit(f"look: {method}: {message['error']['message']}")
                return message["result"]
            self.note(message)

    def note(self, message):
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", str(details)))
        elif message.get("method") == "Log.entryAdded":
            entry = parameters["entry"]
            if entry["level"] in ("error", "warning"):
                self.errors.append(f"{entry['level']}: {entry['text']}")
        elif message.get("method") == "Runtime.consoleAPICalled":
            self.errors.append(f"console: {parameters['args']}")
        elif message.get("method") == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if not url.startswith(("file:", "about:")):
                self.errors.append(f"the page asks for {url}")

    def size(self, width, height, dark=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, fragment=""):
        """Opens a report and waits until it is ready."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + fragment)
        self.run("""new Promise((done) => {
            const wait = () => window.skyros?.ready ? done(true) : setTimeout(wait, 10);
            wait();
        })""")

    def run(self, script):
        """The value of a script, which may be a promise."""
        for _ in range(50):
            result = self.call("Runtime.evaluate", expression=script, awaitPromise=True,
                               returnByValue=True)
            text = result.get("exceptionDetails", {}).get("exception", {}).get("description", "")
            # A script that was begun on the page before is lost.
            if "navigat" not in text and "destroyed" not in text:
                break
        if "exceptionDetails" in result:
            raise SystemExit(f"look: {result['exceptionDetails']}")
        return result["result"].get("value")

    def press(self, key, shift=False):
        text = key if len(key) == 1 else ""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0,
                      text=text if kind == "keyDown" else "")
        self.settle()

    def settle(self):
        """Waits until the page has drawn what it was asked to."""
        self.run("""new Promise((done) => requestAnimationFrame(() =>
            requestAnimationFrame(() => setTimeout(() => done(true), 20))))""")

    def picture(self, path):
        self.settle()
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
