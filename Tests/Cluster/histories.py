"""Compares the histories of nodes with the log that is left: see `check`.

A history has a line of JSON for each beginning and end of an operation, with the time of a clock
that all nodes share. Tests/ClusterNode writes them.
"""

import bisect
import collections
import json
import math
import pathlib
import re
import sys

import cbor2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
import read_log
import read_server


class Operation:
    def __init__(self, identity, invoked):
        self.id = identity
        self.invoked = invoked
        self.ended = None
        self.phase = None
        self.more = {}

    @property
    def kind(self):
        return self.invoked["op"]

    @property
    def process(self):
        """What all operations of a process share: its node and its number."""
        return "-".join(self.id.split("-")[:2])


def read(directory):
    """All operations, and the reports of the nodes."""
    operations, reports = {}, []
    for path in sorted(pathlib.Path(directory).glob("*.history")):
        for text in path.read_text().splitlines():
            try:
                line = json.loads(text)
            except json.JSONDecodeError:
                continue  # The process was killed while it wrote it.
            name = line["id"]
            if name in ("opening", "closing", "report"):
                reports.append(line)
            elif line["phase"] == "invoke":
                operations[name] = Operation(name, line)
            elif name in operations:
                operation = operations[name]
                operation.ended = line["time"]
                operation.phase = line["phase"]
                operation.more = line
    return operations, reports


class Log:
    """The events that are left, with the state after each, as far as operations ask for it."""

    def __init__(self, cursor, schema):
        self.positions = collections.defaultdict(list)
        self.baskets = []
        self.moved = []
        baskets, accounts = {}, {}
        self.baskets.append({})
        self.moved.append(0)
        records = {}
        for number, _, part in read_server.batches(cursor, schema):
            event = read_log.fields(part, read_log.EVENT)
            tags = read_log.fields(event.get("tags", b"\xa0"))
            if "op" in tags:
                self.positions[cbor2.loads(tags["op"])].append(number)
            read_log.apply(event, records)
            changed = {
                cbor2.loads(read_log.fields(change)["entity"])
                for change in read_log.content(event["changes"])
            }
            if "Basket" in changed:
                baskets = {
                    cbor2.loads(key): values(record)
                    for key, record in records.get("Basket", {}).items()
                }
            if "Account" in changed:
                accounts = {
                    cbor2.loads(key): number_of(record, "balance")
                    for key, record in records.get("Account", {}).items()
                }
            self.baskets.append(baskets)
            self.moved.append(sum(balance - 100 for balance in accounts.values()))

    @property
    def last(self):
        return len(self.baskets) - 1


def number_of(record, name):
    return cbor2.loads(record[cbor2.dumps(name)])


def values(record):
    return ",".join(number_of(record, "values"))


class Replacement:
    """A time at which servers came back without the newest events: a wrong one was promoted, or a
    backup was restored. They have the events through `last`, and may have some through `most`:
    a backup has a part of what is written while it is made."""

    def __init__(self, last, most, time, reports):
        self.last = last
        self.time = time
        # A node shows the former history until it notices, perhaps after the next replacement. Then
        # it has left everything after `last`, but for what the servers still have.
        self.noticed = {}
        for line in sorted(reports, key=lambda line: line["time"], reverse=True):
            left = noticed_after(line)
            if left is not None and left <= most and time < line["time"]:
                self.noticed[line["node"]] = line["time"]

    @classmethod
    def all(cls, triples, reports):
        """Those with these last events and times, in the order of time."""
        return [cls(*triple, reports) for triple in sorted(triples, key=lambda triple: triple[2])]

    def excuses(self, sequence, operation):
        """Whether the server may no longer have what an operation has written or read."""
        node = operation.invoked["node"]
        return sequence > self.last and operation.ended < self.noticed.get(node, self.time)


def noticed_after(report):
    """The last event that a node and the servers still have in common, as the node says when it
    notices another history; None for other reports."""
    if report.get("code") == "historyChanged":
        found = re.search(r"after event (\d+)", report["text"])
        return int(found.group(1)) if found else None
    return int(report["replaced"]) if report.get("replaced") else None


def check(operations, reports, log, replaced=()):
    """Compares operations with the log; returns the problems as texts, and counts.

    - An acknowledged write is in the log, once, with the number that was returned.
    - A refused one is not in it; one whose outcome is unknown, or that was cut short, once at most.
    - A write that was acknowledged before another one began has a smaller number.
    - A read shows the state after its event, and transfers leave the sum as it is.
    - A read of the latest state has all that was acknowledged before it began.
    - A read after a token is not before it.
    - A process that has read or written an event shows it in each later read.
    - Nodes that have the same number have the same digest.

    `replaced` has the last event that each wrong promotion or restored backup has left for sure,
    the last one that it may have left, and its time. What was acknowledged after the first may
    be lost, and reads may have shown it, until the node has noticed; each node that has shown it
    must notice.
    """
    replaced = Replacement.all(replaced, reports)
    problems, counts = [], collections.Counter()
    digests = {}
    acknowledged = []
    for operation in operations.values():
        found = log.positions.get(operation.id, [])
        counts[f"{operation.kind} {operation.phase or 'cut'}"] += 1
        sequence = operation.more.get("sequence")
        wrong, excuse = [], None
        if operation.phase == "ok":
            # The first one that can have taken it away.
            excuses = (x for x in replaced if sequence and x.excuses(sequence, operation))
            excuse = next(excuses, None)
            # What it shows may be an event that another one has the number of now.
            wrong = wrong_answers(
                operation, log, found, digests.setdefault(excuse and excuse.time, {}))
        if wrong and excuse:
            if operation.invoked["node"] not in excuse.noticed:
                problems.append(f"{operation.invoked['node']} has not noticed that the events "
                                f"after {excuse.last} were replaced")
            counts[f"{operation.kind} of what was replaced"] += 1
            continue
        problems += wrong
        if operation.kind == "write":
            if len(found) > 1:
                problems.append(f"{operation.id} was written twice: {found}")
            if operation.phase == "ok" and sequence is not None:
                acknowledged.append((operation.ended, sequence, operation))
            elif operation.phase == "fail" and found:
                problems.append(f"{operation.id} was refused and is event {found[0]}")
            elif operation.phase in (None, "unknown") and found:
                counts["unknown, and written"] += 1
        elif operation.phase == "ok":
            counts["digests"] += bool(operation.more["digest"])
    problems = list(dict.fromkeys(problems + misordered(acknowledged, operations, replaced)))
    counts["events"] = log.last
    counts["reports"] = len(reports)
    return problems, counts


def wrong_answers(operation, log, found, digests):
    """What is wrong with an operation that has succeeded, whatever was before and after it."""
    more, sequence = operation.more, operation.more.get("sequence")
    if operation.kind == "write":
        if sequence is not None and found != [sequence]:
            return [f"{operation.id} was acknowledged as {sequence}: {found}"]
        return []
    if sequence > log.last:
        return [f"{operation.id} shows event {sequence} of {log.last}"]
    wrong = []
    if more["value"] != log.baskets[sequence].get(more["basket"], ""):
        wrong.append(f"{operation.id} at {sequence} shows {more['value']}")
    if more["moved"] != 0 or log.moved[sequence] != 0:
        wrong.append(f"{operation.id} at {sequence} has another sum")
    if more["digest"] and not wrong:
        if digests.setdefault(sequence, more["digest"]) != more["digest"]:
            wrong.append(f"{operation.id} has another digest at {sequence}")
    if operation.kind == "token" and sequence < operation.invoked["token"]:
        wrong.append(f"{operation.id} is before its token")
    return wrong


def misordered(acknowledged, operations, replaced):
    """What contradicts the order of time. Numbers are used again after a replacement, so each
    part of the time between two of them has its own order."""
    problems = []
    borders = sorted(replacement.time for replacement in replaced)
    for index in range(len(borders) + 1):
        first = borders[index - 1] if index else 0
        last = borders[index] if index < len(borders) else float("inf")

        def is_inside(operation):
            return first < operation.invoked["time"] and (operation.ended or last) < last
        inside = [entry for entry in acknowledged if is_inside(entry[2])]
        here = [x for x in operations.values() if is_inside(x)]
        problems += misordered_between(inside, here)
        noticed = replaced[index - 1].noticed if index else {}
        problems += backwards(here, noticed)
    return problems


def backwards(operations, noticed):
    """The reads that show less than their process had read or written before they began. A node
    that shows a former history is left out until it has noticed."""
    problems = []
    processes = collections.defaultdict(list)
    for operation in operations:
        begins = noticed.get(operation.invoked["node"], 0)
        if operation.phase == "ok" and "sequence" in operation.more:
            if operation.invoked["time"] > begins:
                processes[operation.process].append(operation)
    for found in processes.values():
        found.sort(key=lambda x: x.ended)
        times, highest = [x.ended for x in found], []
        for operation in found:
            most = max(operation.more["sequence"], highest[-1] if highest else 0)
            highest.append(most)
        for operation in found:
            index = bisect.bisect_left(times, operation.invoked["time"])
            known = highest[index - 1] if index else 0
            if operation.kind != "write" and operation.more["sequence"] < known:
                problems.append(f"{operation.id} shows {operation.more['sequence']}, and its "
                                f"process has shown {known} before")
    return problems


def misordered_between(acknowledged, operations):
    problems = []
    acknowledged.sort(key=lambda entry: entry[0])
    times = [entry[0] for entry in acknowledged]
    highest, most = [], 0
    for _, sequence, _ in acknowledged:
        most = max(most, sequence)
        highest.append(most)

    def before(time):
        """The highest number that was acknowledged before a time."""
        index = bisect.bisect_left(times, time)
        return highest[index - 1] if index else 0

    for _, sequence, operation in acknowledged:
        if before(operation.invoked["time"]) >= sequence:
            problems.append(f"{operation.id} has a smaller number than an earlier one")
    for operation in operations:
        if operation.kind == "latest" and operation.phase == "ok":
            if operation.more["sequence"] < before(operation.invoked["time"]):
                problems.append(f"{operation.id} is not the latest")
    return problems


def replacement_begins(operations, last, time):
    """The time from which operations may have been given what was lost later."""
    return min([time, *(x.ended for x in operations.values()
                        if x.phase == "ok" and x.more.get("sequence", 0) > last)])


def main(directory, url, words):
    import psycopg

    import alterations
    import search

    replaced = [tuple(map(int, word.split(":"))) for word in words]
    operations, reports = read(directory)
    with psycopg.connect(url) as connection:
        log = Log(connection.cursor(), "skyros")
    problems, counts = check(operations, reports, log, replaced)
    until = min((replacement_begins(operations, last, time) for last, _, time in replaced),
                default=math.inf)
    unexplained, searched = search.explain(operations, until)
    problems += unexplained
    counts += searched
    if searched["searches that were given up"] > searched["searches"] // 20:
        problems.append("too many searches were given up")
    # Checks that find nothing must be able to find something.
    for name in alterations.unnoticed(operations, reports, log, replaced, until):
        problems.append(f"the checks do not notice: {name}")
    for problem in problems[:50]:
        print("problem:", problem)
    for name, count in sorted(counts.items()):
        print(f"{count:9,} {name}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
