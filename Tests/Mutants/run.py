"""Proof that the tests can fail: breaks the storage code on purpose, again and again, in a copy.

    scripts/test --mutants [NAME…]      all of them, or those whose names contain one of the words

Each mutant in the `.txt` files beside this one replaces a piece of a source file. It is killed if
the tests that it names fail, crash or hang. One that survives, that no longer fits the source, or
that does not compile, makes the exit code nonzero. The sources themselves carry no trace of it.

No mutant touches the guards that keep a store's paths inside of its folder: broken, they would let
a test reach files that are not its own.

    == a name that says what is broken
    file: Sources/…
    tests: a regular expression for `swift test --filter`
    by: a test that is known to kill it, which is tried before the others; may be left out
    --- the text that is replaced, which stands there once
    +++ what replaces it; nothing, if the text is dropped
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".build" / "mutants"
# A hang is a kill, so this is far more than the tests take, also beside other work.
SECONDS_MAX = {"brief": 400, "quick": 900}
# For the few tests that are known to kill a mutant.
SECONDS_MAX_BY = 100
# Where the tests have their files.
TEMPORARY = COPY / "tmp"
# Optimized, though file by file: the tests take longer than the builds. What is broken may look
# odd to the compiler.
FLAGS = ("-O", "-gnone", "-no-warnings-as-errors")
OPTIONS = tuple(word for flag in FLAGS for word in ("-Xswiftc", flag))
# What tries most of what can happen.
LONG = (
    "at any operation|one wrong bit|of another length|again and again|life is cut short"
    "|process is killed|Hostile bytes|simulation of crashes"
)


class Mutant:
    def __init__(self, text):
        head, _, rest = text.partition("\n--- ")
        lines = head.split("\n")
        self.name = lines[0].strip()
        fields = dict(re.findall(r"^(file|tests|by): *(.+)$", head, re.MULTILINE))
        self.file = fields["file"]
        self.tests = fields["tests"]
        self.by = fields.get("by")
        old, _, new = rest.partition("\n+++")
        self.old = old
        self.new = new.strip("\n").removeprefix(" ")

    def apply(self):
        """Breaks the copy; returns a function that mends it."""
        path = COPY / self.file
        source = path.read_text()
        if source.count(self.old) != 1:
            raise ValueError(f"stands there {source.count(self.old)} times: {self.old!r}")
        path.write_text(source.replace(self.old, self.new))

        def mend():
            path.write_text(source)

        return mend


def mutants():
    found = []
    for path in sorted(pathlib.Path(__file__).parent.glob("*.txt")):
        for text in re.split(r"^== ", path.read_text(), flags=re.MULTILINE)[1:]:
            found.append(Mutant(text.rstrip("\n")))
    names = [mutant.name for mutant in found]
    assert len(set(names)) == len(names), "two mutants have one name"
    return found


def copy_sources():
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    wanted = {name.decode() for name in listed.split(b"\0") if name}
    for name in wanted:
        source, target = ROOT / name, COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copy(source, target)
    for folder in ("Sources", "Tests"):
        for path in (COPY / folder).rglob("*"):
            if path.is_file() and str(path.relative_to(COPY)) not in wanted:
                path.unlink()


def lend_python():
    """Tests compare with a reader in Python, whose packages are not installed twice."""
    link = COPY / ".build" / "python"
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.exists():
        link.symlink_to(ROOT / ".build" / "python")


def start(*command, extent="brief"):
    environment = dict(
        os.environ, SWIFT_BACKTRACE="enable=no",
        SWT_SWIFT_ERROR_BACKTRACING_ENABLED="0", TMPDIR=str(TEMPORARY), SKYROS_EXTENT=extent)
    return subprocess.Popen(
        command, cwd=COPY, env=environment, start_new_session=True, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )


def end_strays():
    """Ends the programs of the copy that have outlived the tests which began them."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "exe").startswith(f"{COPY}/"):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue


def clean_up():
    """Removes what tests have left that were killed: processes, file systems of their own, and
    folders."""
    end_strays()
    mounts = pathlib.Path("/proc/mounts")
    if mounts.exists():
        places = [line.split()[1] for line in mounts.read_text().splitlines()]
        for place in sorted(places, reverse=True):
            if place.startswith(f"{TEMPORARY}/"):
                subprocess.run(["umount", "-l", place], check=False)
    shutil.rmtree(TEMPORARY, ignore_errors=True)
    TEMPORARY.mkdir(parents=True)


def build():
    """The errors of the compiler; none if there are none."""
    process = start("swift", "build", "--build-tests", *OPTIONS)
    output, _ = process.communicate()
    if process.returncode == 0:
        return None
    return [line for line in output.splitlines() if "error:" in line] or [output[-500:]]


def test(*filters, extent="brief", seconds_max=None):
    """Why the tests fail; None if they pass. The first failure ends them, with all children, and so
    does too much time."""
    clean_up()
    options = [word for name in filters for word in ("--filter", name)]
    process = start("swift", "test", "--skip-build", *OPTIONS, *options, extent=extent)
    seconds_max = seconds_max or SECONDS_MAX[extent]
    timer = threading.Timer(seconds_max, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    began = time.monotonic()
    failure = None
    for line in process.stdout:
        if re.search(r"Test run with 0 tests", line):
            raise ValueError("no test is called so")
        found = re.match(r'✘ Test (?:"(.+?)"|(\S+)) (?:recorded|with|failed)', line)
        if found:
            failure = found[1] or found[2]
            break
    if failure:
        os.killpg(process.pid, signal.SIGKILL)
    process.stdout.close()
    code = process.wait()
    timer.cancel()
    if failure or code == 0:
        return failure
    hangs = time.monotonic() - began >= seconds_max
    return "the tests hang" if hangs else f"exit code {code}"


def verdict(mutant):
    try:
        mend = mutant.apply()
    except ValueError as error:
        return "OUTDATED", str(error)
    try:
        errors = build()
        if errors:
            return "BROKEN", "does not compile: " + "; ".join(errors[:2])
        if mutant.by and (why := test(mutant.by, seconds_max=SECONDS_MAX_BY)):
            return "killed", why
        # The whole of what takes long has its turn only where its beginning passes.
        for extent in ("brief", "quick"):
            if why := test(mutant.tests, LONG, extent=extent):
                return "killed", why
        return "SURVIVED", ""
    except ValueError as error:
        return "BROKEN", f"{error}: {mutant.tests}"
    finally:
        mend()


def main():
    words = sys.argv[1:]
    chosen = [m for m in mutants() if not words or any(word in m.name for word in words)]
    copy_sources()
    lend_python()
    clean_up()
    errors = build()
    if errors:
        sys.exit("\n".join(errors))
    # A test that fails anyway would kill every mutant.
    why = test(LONG, *sorted({mutant.tests for mutant in chosen}))
    if why:
        sys.exit(f"nothing is broken yet, and this fails: {why}")
    counts = {}
    for mutant in chosen:
        began = time.monotonic()
        outcome, why = verdict(mutant)
        counts[outcome] = counts.get(outcome, 0) + 1
        print(f"{outcome:9} {time.monotonic() - began:4.0f} s  {mutant.name}: {why}", flush=True)
    clean_up()
    figures = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    print(f"sweep | mutants | {'some' if words else 'all'} | {figures}")
    sys.exit(0 if set(counts) <= {"killed"} else 1)


main()
