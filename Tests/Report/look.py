"""Opens reports in a browser, and compares what they show with what the tool says.

    python3 Tests/Report/look.py TOOL [DIRECTORY]

TOOL is the program `skyros`. The stores have 10, 10,000 and 100,000 events. The state that the page
folds must be that of `skyros show` at several events, and the events that a filter leaves those of
`skyros log`; the page must log no error, ask for nothing, and fit into 360 pixels. Pictures of it
are left in DIRECTORY, .build/report if it is not given. Needs Chromium and the packages of
scripts/setup.
"""

import json
import pathlib
import subprocess
import sys
import time

import stores
from browser import Browser

COUNTS = [10, 10_000, 100_000]
#: Stores with every kind of value, names that differ by their bytes only, and shapes that change.
GOLDEN = ["foreign", "names-by-bytes", "event-schema", "event-plus-keys", "shape-other"]
HOME = pathlib.Path(__file__).resolve().parent.parent.parent
#: The seconds in which 100,000 events must be shown, and the cursor moved over all of them.
OPENING_MAX, MOVING_MAX = 15, 3

failures = []


def expect(condition, what):
    print("ok    " if condition else "FAILED", what, flush=True)
    if not condition:
        failures.append(what)


class Report:
    """A store of a number of events, and its report."""

    def __init__(self, tool, directory, count, *options, name=None, store=None):
        self.tool, self.count = tool, count
        self.store = store or directory / f"Shop-{count}.skyros"
        self.page = directory / f"{name or count}.html"
        if not self.store.exists():
            stores.write_store(self.store, count)
        self.page.unlink(missing_ok=True)
        start = time.monotonic()
        self.said = self.run("report", "--html", self.page, "--title", "Shop", *options)
        self.seconds = time.monotonic() - start

    def run(self, command, *words):
        done = subprocess.run([self.tool, command, self.store, *words], text=True,
                              stdout=subprocess.PIPE)
        if done.returncode:
            raise SystemExit(f"look: skyros {command} has failed")
        return done.stdout

    def objects(self, command, *words):
        """What a command prints as JSON. A text may have other line ends."""
        lines = self.run(command, "--json", *words).split("\n")
        return [json.loads(line) for line in lines if line]

    def state(self, sequence):
        """The records as `skyros show` prints them, by entity and id."""
        records = self.objects("show", "--at", str(sequence), "--stored")
        return {(record["entity"], json.dumps(record["id"])): {
            name: json.dumps(value) for name, value in record["record"].items()
        } for record in records}


def shown_state(browser, sequence):
    """The same from the page."""
    def normal(text):
        return json.dumps(json.loads(text))

    def escaped(name):
        # In JSON, a key with one dollar sign is the library's.
        return "$" + name if name.startswith("$") else name
    records = json.loads(browser.run(f"JSON.stringify(skyros.stateAt({sequence}))"))
    return {(record["entity"], normal(record["id"])): {
        escaped(name): normal(value) for name, value in record["record"].items()
    } for record in records}


def check_states(browser, report, sequences):
    for sequence in sequences:
        wanted, found = report.state(sequence), shown_state(browser, sequence)
        differing = [key for key in wanted.keys() | found.keys()
                     if wanted.get(key) != found.get(key)]
        what = f"{report.page.name}: {len(wanted)} records at event {sequence}"
        expect(not differing, f"{what}{', differing: ' + str(differing[:3]) if differing else ''}")
        counted = browser.run(f"skyros.page.model.totals[{sequence} - skyros.page.model.first + 1]")
        expect(counted == len(wanted), f"{report.page.name}: counts them")


def check_speed(browser, report):
    seconds = browser.run("""(() => {
        const { model } = skyros.page, start = performance.now();
        const cursor = model.cursor;
        model.moveTo(0);
        model.moveTo(model.count);
        model.moveTo(cursor);
        return (performance.now() - start) / 1000;
    })()""")
    expect(seconds < MOVING_MAX, f"{report.page.name}: all events there and back, {seconds:.2f} s")
    slowest = browser.run("""(async () => {
        const { page } = skyros;
        let slowest = 0;
        for (const tab of ["changes", "state", "growth"]) {
            page.openTab(tab);
            for (let share = 0; share <= 1; share += 0.05) {
                page.cursor = Math.round(page.model.count * share);
                const start = performance.now();
                page.update();
                document.body.offsetHeight;
                slowest = Math.max(slowest, performance.now() - start);
            }
        }
        return slowest;
    })()""")
    expect(slowest < 1_000, f"{report.page.name}: the slowest of 63 jumps, {slowest:.0f} ms")
    rows = browser.run("document.querySelectorAll('.row').length")
    expect(rows < 200, f"{report.page.name}: {rows} rows are elements")


def check_filters(browser, report):
    for option, filter in [
        (["--actor", "ada"], {"actor": "ada"}),
        (["--entity", "Customer"], {"entity": "Customer"}),
        (["--actor", "grace", "--entity", "Order"], {"actor": "grace", "entity": "Order"}),
    ]:
        wanted = [event["sequence"] for event in report.objects("log", *option)]
        names = ", ".join(f"{key}: skyros.page.model.names.find({json.dumps(name)})"
                          for key, name in filter.items())
        found = browser.run(f"""(() => {{
            const {{ page }} = skyros;
            page.filterBy({{ actor: null, entity: null, words: "", {names} }});
            const found = Array.from(page.matches, (index) => page.model.sequence(index));
            page.clearFilter();
            return found;
        }})()""")
        expect(found == wanted, f"{report.page.name}: {len(wanted)} events of {filter}")


def check_keys(browser, report):
    def cursor():
        return browser.run("skyros.page.cursor + skyros.page.model.first - 1")
    last = report.count
    browser.open(report.page, f"#at={last // 2}")
    places = [cursor()]
    for key, shift in [("ArrowRight", False), ("ArrowLeft", True), ("ArrowRight", True),
                       ("k", False), ("j", False), ("End", False), ("Home", False)]:
        browser.press(key, shift)
        places.append(cursor())
    middle = last // 2
    wanted = [middle, middle + 1, middle - 99, middle + 1, middle, middle + 1, last, 0]
    expect(places == wanted, f"{report.page.name}: keys move the cursor")
    browser.press("/")
    focused = browser.run("document.activeElement.id")
    expect(focused == "search", f"{report.page.name}: / leads to the search")
    browser.press("Escape")
    browser.press("f")
    focused = browser.run("document.activeElement.id")
    expect(focused == "actor", f"{report.page.name}: f leads to the filters")
    browser.press("Escape")
    browser.press("?")
    expect(browser.run("document.getElementById('keys').open"), f"{report.page.name}: ? has help")


def check_address(browser, report):
    fragment = "#at=7&tab=record&entity=Product&id=3&actor=ada&of=Order&find=paid&scale=time"
    browser.open(report.page, fragment)
    browser.run("skyros.page.writeAddress()")
    expect(browser.run("location.hash") == fragment, f"{report.page.name}: the address is kept")
    title = browser.run("document.querySelector('.record-title').textContent")
    expect(title == "Product3", f"{report.page.name}: the address leads to a record")


def check_markup(browser, report):
    browser.open(report.page, "#at=6")
    expect(browser.run("document.querySelectorAll('script, img, b').length") == 1,
           f"{report.page.name}: stored text becomes no element")
    head = browser.run("document.querySelector('.event-head h2').textContent")
    expect(head == stores.HOSTILE[0], f"{report.page.name}: stored text is shown as it is")


def take_pictures(browser, report, directory):
    middle = report.count // 2
    for name, width, height, dark in [("light", 1360, 860, False), ("dark", 1360, 860, True),
                                      ("narrow", 360, 740, False)]:
        browser.size(width, height, dark)
        for tab in ["events", "changes", "state", "record", "growth"]:
            browser.open(report.page, f"#at={middle}&tab={tab}&entity=Product&id=3")
            browser.picture(directory / f"{report.page.stem}-{name}-{tab}.png")
            wide = browser.run("document.documentElement.scrollWidth")
            expect(wide <= width, f"{report.page.name}: {tab} fits into {width} pixels")
    browser.size(1360, 860)


def main(tool, directory):
    directory.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        browser.size(1360, 860)
        for count in COUNTS:
            report = Report(tool, directory, count)
            print(f"       {report.said.strip()}, in {report.seconds:.1f} s")
            start = time.monotonic()
            browser.open(report.page)
            seconds = time.monotonic() - start
            expect(seconds < OPENING_MAX, f"{report.page.name}: opened in {seconds:.1f} s")
            check_states(browser, report, sorted({
                0, 1, 6, count // 3, count // 2 - 1, count // 2, count - 1, count}))
            check_speed(browser, report)
            check_filters(browser, report)
            check_address(browser, report)
            check_markup(browser, report)
            if count > 1_000:
                check_keys(browser, report)
            take_pictures(browser, report, directory)
        empty = Report(tool, directory, 0)
        browser.open(empty.page)
        hint = browser.run("document.querySelector('.hint:not(noscript *)').textContent")
        expect(hint == "There is no event.", "0.html: says that there is no event")
        part = Report(tool, directory, 10_000, "--from", "4000", "--to", "6000", name="part")
        browser.open(part.page)
        check_states(browser, part, [3_999, 4_000, 4_999, 5_000, 6_000])
        for name in GOLDEN:
            golden = HOME / "Tests/Golden/Stores" / name
            report = Report(tool, directory, 0, name=name, store=golden)
            browser.open(report.page)
            last = json.loads(report.run("info", "--json"))["sequence"]
            check_states(browser, report, range(last + 1))
        expect(not browser.errors, f"no error, and no request {browser.errors[:3]}")
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    into = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else HOME / ".build/report"
    raise SystemExit(main(sys.argv[1], into))
