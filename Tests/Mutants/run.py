"""Proof that the tests can fail: breaks the storage code on purpose, again and again, in a copy.

    scripts/test --mutants [NAME…]      all of them, or those whose names contain one of the words
    Tests/Mutants/run.py --check        only whether each one finds its place; builds nothing

Each mutant in the `.txt` files beside this one replaces code in one member of a type. It is killed
if the tests that it names fail or crash. Tests that take too much time kill it, too, and it counts
as hung: look whether what is broken can hang, since a busy machine is slow by itself. A mutant that
survives, finds no place, or does not compile makes the exit code nonzero. The sources themselves
carry no trace of it. A run that was interrupted continues where it stopped, as long as no file has
changed; those that hung are tried again.

No mutant touches the guards that keep a store's paths inside its directory: broken, they would let
a test reach files that do not belong to it.

    == a name that says what is broken
    in: Type.member, in any file of Sources; Module/Type.member where two modules have one
    tests: a regular expression for `swift test --filter`
    by: a test that is known to kill it, which runs first; may be left out
    --- the code that is replaced; spaces and line breaks do not matter
    +++ what replaces it; nothing, if the code is dropped
"""

import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from places import Sources

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".build" / "mutants"
RESULTS = COPY / "results.json"
# A hang is a kill, so this is far more than the tests take, also beside other work.
SECONDS_MAX = {"brief": 600, "quick": 1200}
# For the tests that are known to kill a mutant.
SECONDS_MAX_BY = 150
HANG = "the tests hang"
# Where the tests have their files.
TEMPORARY = COPY / "tmp"
# Not optimized: only what changed is compiled again. What is broken may look odd to the compiler.
OPTIONS = ("-Xswiftc", "-gnone", "-Xswiftc", "-no-warnings-as-errors")
# The tests that try most of what can happen.
LONG = (
    "at any operation|one wrong bit|of another length|again and again|A log after a crash"
    "|process is killed|Hostile bytes|simulation of crashes"
)


class Mutant:
    def __init__(self, text):
        head, _, rest = text.partition("\n--- ")
        fields = dict(re.findall(r"^(in|tests|by): *(.+)$", head, re.MULTILINE))
        self.text = text
        self.name = head.split("\n")[0].strip()
        self.home = fields["in"]
        self.tests = fields["tests"]
        self.by = fields.get("by")
        self.old, _, new = rest.partition("\n+++")
        self.new = new.strip("\n").removeprefix(" ")

    def apply(self, sources):
        """Breaks the copy; returns a function that mends it."""
        member, start, end = sources.place(self.home, self.old)
        path = COPY / member.path
        path.write_text(member.source[:start] + self.new + member.source[end:])
        return lambda: path.write_text(member.source)


def mutants():
    found = []
    for path in sorted(pathlib.Path(__file__).parent.glob("*.txt")):
        for text in re.split(r"^== ", path.read_text(), flags=re.MULTILINE)[1:]:
            found.append(Mutant(text.rstrip("\n")))
    names = [mutant.name for mutant in found]
    assert len(set(names)) == len(names), "two mutants have one name"
    return found


def check():
    """Prints what is wrong with each mutant that does not find exactly one place."""
    sources = Sources(ROOT)
    errors = []
    for mutant in mutants():
        try:
            sources.place(mutant.home, mutant.old)
        except ValueError as error:
            errors.append(f"error: mutant “{mutant.name}”: {error}")
        for pattern in filter(None, (mutant.by, mutant.tests)):
            if not targets(pattern):
                errors.append(f"error: mutant “{mutant.name}”: no test is called {pattern}")
    errors += [f"error: LONG: no test is called {x}" for x in LONG.split("|") if not targets(x)]
    print("\n".join(errors) or f"{len(mutants())} mutants find their places")
    return 1 if errors else 0


@functools.cache
def tests():
    """Each test with its target, called as filters see it."""
    found = []
    for path in [*ROOT.glob("Tests/*Tests/**/*.swift"), *ROOT.glob("Fuzzing/Tests/*.swift")]:
        folder, name = path.relative_to(ROOT).parts[:2]
        target = "FuzzingTests" if folder == "Fuzzing" else name
        suite = ""
        for kind, name in re.findall(r"\b(struct|func)\s+(`[^`]+`|\w+)", path.read_text()):
            suite = name if kind == "struct" else suite
            found.append((target, f"{target}.{suite}/{name}()"))
    return found


def targets(pattern):
    """The test targets that have a test which a filter selects."""
    return {target for target, name in tests() if re.search(pattern, name)}


def files():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True,
    ).stdout
    names = sorted(name.decode() for name in listed.split(b"\0") if name)
    return [name for name in names if (ROOT / name).is_file()]


def state():
    """A hash of all that decides whether a mutant is killed, other than the mutant."""
    digest = hashlib.sha1()
    for name in files():
        if name.startswith(("Sources/", "Tests/", "Fuzzing/", "Package")) \
                and not name.startswith("Tests/Mutants/"):
            digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    return digest.hexdigest()


def copy_sources():
    wanted = set(files())
    for name in wanted:
        source, target = ROOT / name, COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copy(source, target)
    for folder in ("Sources", "Tests"):
        # Deepest first: a directory whose files are gone goes too, since tests list directories.
        for path in sorted((COPY / folder).rglob("*"), reverse=True):
            if path.is_file() and str(path.relative_to(COPY)) not in wanted:
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()
    # Tests compare with a reader in Python, whose packages are not installed twice.
    link = COPY / ".build" / "python"
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(ROOT / ".build" / "python")


def start(*command, wanted, extent="brief"):
    environment = dict(
        os.environ, SWIFT_BACKTRACE="enable=no", SWT_SWIFT_ERROR_BACKTRACING_ENABLED="0",
        TMPDIR=str(TEMPORARY), SKYROS_EXTENT=extent, SKYROS_TESTS=",".join(sorted(wanted)),
        SKYROS_INVARIANTS="1")
    for name in ("SKYROS_OPTIMIZED", "SKYROS_CRASH_RUNS"):
        environment.pop(name, None)
    return subprocess.Popen(
        command, cwd=COPY, env=environment, start_new_session=True, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )


def clean_up():
    """Removes what killed tests have left: processes and directories. What they had mounted ended
    with their mount namespace; see scripts/private-mounts."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "exe").startswith(f"{COPY}/"):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue
    shutil.rmtree(TEMPORARY, ignore_errors=True)
    TEMPORARY.mkdir(parents=True)


def build(wanted):
    """The errors of the compiler; none if there are none."""
    process = start("swift", "build", "--build-tests", *OPTIONS, wanted=wanted)
    output, _ = process.communicate()
    if process.returncode == 0:
        return None
    errors = [line for line in output.splitlines() if ": error:" in line]
    return list(dict.fromkeys(errors))[:20] or [output[-500:]]


def test(*filters, wanted, extent="brief", seconds_max=None):
    """Why the tests fail; None if they pass. The first failure ends them, with all children, and so
    does too much time."""
    clean_up()
    options = [word for name in filters for word in ("--filter", name)]
    process = start(
        str(ROOT / "scripts" / "private-mounts"), "swift", "test", "--skip-build", *OPTIONS,
        *options, wanted=wanted, extent=extent)
    seconds_max = seconds_max or SECONDS_MAX[extent]
    timer = threading.Timer(seconds_max, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    began = time.monotonic()
    failure = None
    for line in process.stdout:
        if re.search(r"Test run with 0 tests", line):
            raise ValueError(f"no test is called so: {filters}")
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
    return HANG if hangs else f"exit code {code}"


def outcome(mutant):
    """What tests make of the broken copy. The test that is known to kill it goes first, then all
    others with few rounds, then with more."""
    rounds = [((mutant.by,), "brief", SECONDS_MAX_BY)] if mutant.by else []
    rounds += [((mutant.tests, LONG), extent, None) for extent in ("brief", "quick")]
    for filters, extent, seconds_max in rounds:
        wanted = set().union(*map(targets, filters))
        errors = build(wanted)
        if errors:
            return "BROKEN", "does not compile: " + "; ".join(errors[:2])
        why = test(*filters, wanted=wanted, extent=extent, seconds_max=seconds_max)
        if why:
            return "hung" if why == HANG else "killed", why
    return "SURVIVED", ""


def verdict(mutant, sources):
    try:
        mend = mutant.apply(sources)
    except ValueError as error:
        return "OUTDATED", str(error)
    try:
        return outcome(mutant)
    except ValueError as error:
        return "BROKEN", str(error)
    finally:
        mend()


def main():
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    words = sys.argv[1:]
    chosen = [m for m in mutants() if not words or any(word in m.name for word in words)]
    files_state = state()
    keys = {m.name: hashlib.sha1((files_state + m.text).encode()).hexdigest() for m in chosen}
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    left = [m for m in chosen if words or known.get(m.name) != keys[m.name]]
    counts = {"killed": len(chosen) - len(left)}
    if left:
        copy_sources()
        clean_up()
        filters = [LONG, *sorted({mutant.tests for mutant in left})]
        wanted = set().union(*map(targets, filters))
        errors = build(wanted)
        if errors:
            sys.exit("\n".join(errors))
        # A test that fails anyway would kill every mutant.
        why = test(*filters, wanted=wanted, seconds_max=1800)
        if why:
            sys.exit(f"nothing is broken yet, and this fails: {why}")
    sources = Sources(COPY)
    for mutant in left:
        began = time.monotonic()
        result, why = verdict(mutant, sources)
        counts[result] = counts.get(result, 0) + 1
        print(f"{result:9} {time.monotonic() - began:4.0f} s  {mutant.name}: {why}", flush=True)
        if result == "killed":
            known[mutant.name] = keys[mutant.name]
            RESULTS.write_text(json.dumps(known, indent=1))
    clean_up()
    figures = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()) if count)
    print(f"sweep | mutants | {'some' if words else 'all'} | {figures}")
    sys.exit(0 if counts["killed"] + counts.get("hung", 0) == len(chosen) else 1)


main()
