# SPDX-License-Identifier: Apache-2.0
# tests/browser/driver.py - Debian's Chromium by playwright: pages, scripts in them, their console, keys; the one driver of all tests in a browser.
import atexit
import os
import shutil
import urllib.parse

import pytest

# WebGL alone by SwiftShader; pages composed by it too stop for minutes on a busy machine
ARGUMENTS = ["--disable-dev-shm-usage", "--disable-gpu", "--enable-unsafe-swiftshader", "--force-device-scale-factor=1", *(["--no-sandbox"] if os.getuid() == 0 else [])]
_running = []


def playwright():
    """The process's one, ended with it: playwright's calls cannot be nested."""
    if not _running:
        api = pytest.importorskip("playwright.sync_api", reason="no playwright (make deps-check)")
        _running.append(api.sync_playwright().start())
        atexit.register(_running[0].stop)
    return _running[0]


def chromium(*arguments):
    """A headless Chromium of Debian's; its pages: `new_page`."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium (make deps-check)")
    # as people see them: with bars
    return playwright().chromium.launch(executable_path=path, args=[*ARGUMENTS, *arguments], ignore_default_args=["--hide-scrollbars"])


class Page:
    """A page in a Chromium of its own. `tab` is playwright's own page: locators, mouse, keyboard."""

    def __init__(self):
        self.browser = chromium()
        self.tab = self.browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        self.tab.set_default_timeout(100_000)
        self.line = self.tab.context.new_cdp_session(self.tab)
        self._console = []
        self.line.on("Log.entryAdded", lambda event: self._note(event["entry"]["level"], event["entry"]["source"], event["entry"]["text"]))
        self.line.on("Runtime.consoleAPICalled", lambda event: self._note(event["type"], "console", " ".join(str(one.get("value", one.get("description"))) for one in event["args"])))
        self.line.on("Runtime.exceptionThrown", lambda event: self._note("error", "javascript", str(event["exceptionDetails"].get("exception", event["exceptionDetails"]).get("description", event))))
        self.tab.on("request", lambda request: self._of_this_machine(request.url))
        self.line.send("Log.enable")
        self.line.send("Runtime.enable")

    def _note(self, level, source, message):
        if level in ("error", "warning", "assert"):
            self._console.append({"level": level, "source": source, "message": message})

    def _of_this_machine(self, url):
        """No page asks another host for anything: what does is a complaint of each test."""
        parts = urllib.parse.urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            self._note("error", "outside", f"a request to {url}")

    def console(self):
        """Errors and warnings since the last call: {level, source, message}. The browser's own: sources `network`, `rendering`, `security` ...; of the page:
        `console`, `javascript`."""
        self.tab.evaluate("0")  # what is on its way has come before this answer
        found, self._console = self._console, []
        return found

    def goto(self, address):
        self.tab.goto(address)

    def reload(self):
        self.tab.reload()

    def run(self, body, *arguments):
        """What the body of a function returns in the page."""
        return self.tab.evaluate(f"(given) => (function () {{ {body}\n}}).apply(null, given)", list(arguments))

    def run_async(self, body, *arguments, seconds=120):
        """The same of a body that calls its last argument when it is done."""
        return self.tab.evaluate(f"""(given) => new Promise((done, fail) => {{ setTimeout(() => fail(new Error('nothing came in {seconds} s')), {1000 * seconds});
            (function () {{ {body}\n}}).apply(null, [...given, done]); }})""", list(arguments))

    def wait_for(self, expression, seconds=100):
        """The first true value of a JavaScript expression; polled until then."""
        return self.tab.wait_for_function(f"() => {{ try {{ return ({expression}); }} catch (fault) {{ return null; }} }}", timeout=1000 * seconds, polling=20).json_value()

    def protocol(self, command, **parameters):
        """A command of Chromium's own protocol."""
        return self.line.send(command, parameters)

    def press(self, *keys):
        for key in keys:
            self.tab.keyboard.press(key)

    def pixels(self, selector):
        """The picture of an element."""
        return self.tab.locator(selector).first.screenshot(caret="initial")

    def screenshot(self, path=None):
        return self.tab.screenshot(path=path, caret="initial")

    def shape(self, width, scheme, height=900):
        self.tab.set_viewport_size({"width": width, "height": height})
        self.tab.emulate_media(color_scheme=scheme)

    def close(self):
        self.browser.close()
