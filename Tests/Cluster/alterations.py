"""Alters a history in each way that its checks are for: each must be noticed."""

import contextlib

import histories
import search


@contextlib.contextmanager
def changed(object_, name, value):
    """Sets an attribute, or a value of a dictionary, for a while."""
    if isinstance(object_, dict):
        missing = name not in object_
        former, object_[name] = object_.get(name), value
    else:
        missing, former = False, getattr(object_, name)
        setattr(object_, name, value)
    try:
        yield
    finally:
        if missing:
            del object_[name]
        elif isinstance(object_, dict):
            object_[name] = former
        else:
            setattr(object_, name, former)


def last(operations, until, condition):
    """The last operation before a time that has succeeded, and fulfils a condition."""
    found = [x for x in operations.values()
             if x.phase == "ok" and x.ended < until and condition(x)]
    return max(found, key=lambda x: x.ended, default=None)


def all_alterations(operations, log, until):
    """Names, and contexts in which the history is altered; None where it has nothing to alter."""
    def is_write(x):
        return x.kind == "write" and x.more.get("sequence") is not None

    def is_read(x):
        return x.kind in ("read", "latest", "token") and x.more["value"]
    writes = [x for x in operations.values() if x.phase == "ok" and is_write(x)]
    first = min((x.ended for x in writes), default=0)
    write = last(operations, until, is_write)
    read = last(operations, until, is_read)
    digests = {}
    for x in operations.values():
        if x.phase == "ok" and x.ended < until and x.more.get("digest"):
            digests.setdefault(x.more["sequence"], []).append(x)
    twin = next((pair[0] for pair in digests.values() if len(pair) > 1), None)
    latest = last(
        operations, until, lambda x: x.kind == "latest" and x.invoked["time"] > first)
    token = last(operations, until, lambda x: x.kind == "token")

    def at_beginning(x):
        return {**x.more, "sequence": 0, "value": "", "moved": 0, "digest": ""}
    if write:
        sequence = write.more["sequence"]
        yield "a lost write", changed(log.positions, write.id, [])
        yield "a write that is there twice", changed(log.positions, write.id, [sequence] * 2)
        yield "a refused write that is there", changed(write, "phase", "fail")
        yield "another number", changed(write.more, "sequence", sequence - 1)
    if read:
        yield "another value", changed(read.more, "value", read.more["value"] + "x")
        yield "another sum", changed(read.more, "moved", 1)
    if twin:
        yield "another digest", changed(twin.more, "digest", "x" + twin.more["digest"])
    if latest:
        yield "a latest state that is old", changed(latest, "more", at_beginning(latest))
    if token:
        yield "a state before its token", changed(token, "more", at_beginning(token))


def blind_alterations(operations, until):
    """Those that are to be noticed without a log."""
    seen = {}
    for x in sorted(operations.values(), key=lambda x: x.invoked["time"]):
        is_append = x.invoked.get("kind") == "append" and "value" in x.more
        if x.phase == "ok" and x.ended < until and is_append:
            seen.setdefault(x.invoked["number"], []).append(x)
    # Later ones have seen it.
    appended = next((calls[0] for calls in seen.values() if len(calls) > 8), None)
    latest = last(operations, until, lambda x: x.kind == "latest" and x.more["value"])
    if appended:
        yield "a refused write that was seen", changed(appended, "phase", "fail")
        yield "another answer", changed(
            appended.more, "value", appended.more["value"] + ",x")
    if latest:
        yield "a latest state that nobody wrote", changed(latest.more, "value", "x")


def unnoticed(operations, reports, log, replaced, until):
    """The names of the alterations that the checks do not notice."""
    for name, alteration in all_alterations(operations, log, until):
        with alteration:
            if not histories.check(operations, reports, log, replaced)[0]:
                yield name
    for name, alteration in blind_alterations(operations, until):
        with alteration:
            if not search.explain(operations, until)[0]:
                yield name
