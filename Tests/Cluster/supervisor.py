"""Runs the processes of one node, and ends them all when its standard input is closed.

Each line on standard input is a JSON object, answered by one on standard output:

    {"start": ["etcd"], "environment": {…}, "log": "/path"}     answered by {"id": 4711}

The supervisor adopts orphans (`PR_SET_CHILD_SUBREAPER`), so a server that has detached itself, as
PostgreSQL does from Patroni, is still one of its descendants. It is no part of the node itself:
faults strike its descendants only. It needs no rights.

`processes` and the functions after it are also used by the harness.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from typing import NamedTuple

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
IPC_RMID = 0
SECONDS_BETWEEN_CHECKS = 0.05
# The end of the standard input ends the supervisor, and nothing else does.
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class ProcessState(NamedTuple):
    """A process as /proc shows it. The id and the time of its start identify it for ever."""

    id: int
    parent: int
    state: str
    started: int


def process(pid):
    """The state of a process; None if there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    # The name, in parentheses, may hold anything.
    fields = text[text.rindex(")") + 2:].split()
    return ProcessState(int(pid), int(fields[1]), fields[0], int(fields[19]))


def command(pid):
    """The words of a process's command line."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def descendants(pid):
    """All processes below this one, without zombies."""
    children = {}
    for name in os.listdir("/proc"):
        found = process(name) if name.isdecimal() else None
        if found:
            children.setdefault(found.parent, []).append(found)
    result, pending = [], [pid]
    while pending:
        below = children.get(pending.pop(), [])
        pending += [child.id for child in below]
        result += [child for child in below if child.state not in "ZX"]
    return result


def send(target, number):
    """Sends a signal to exactly this process, and to no other that has got its id since."""
    try:
        descriptor = os.pidfd_open(target.id)
    except ProcessLookupError:
        return
    try:
        now = process(target.id)
        if now and now.started == target.started:
            signal.pidfd_send_signal(descriptor, number)
    except ProcessLookupError:
        pass
    finally:
        os.close(descriptor)


def signal_all(pid, number, is_done, seconds_max=30):
    """Signals the descendants until each one is in the wanted state: one may start others
    meanwhile."""
    deadline = time.monotonic() + seconds_max
    while True:
        pending = [x for x in descendants(pid) if not is_done(x)]
        if not pending:
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"processes {[x.id for x in pending]} ignore signal {number}")
        for target in pending:
            send(target, number)
        time.sleep(SECONDS_BETWEEN_CHECKS)


def kill_all(pid, is_spared=lambda x: False):
    """Ends the descendants but for some, and removes the shared memory that they leave."""
    creators = {x.id for x in descendants(pid)}
    signal_all(pid, signal.SIGKILL, is_spared)
    remove_shared_memory(creators)


def remove_shared_memory(creators):
    """Removes the segments that these processes have made. A postmaster makes a small one, which
    nothing removes after a SIGKILL."""
    with open("/proc/sysvipc/shm", encoding="ascii") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    for row in rows:
        # Columns: key, id, permissions, size, creator, last user, number of users.
        if int(row[4]) in creators and row[6] == "0":
            LIBC.shmctl(int(row[1]), IPC_RMID, None)


def start(words, environment, log):
    def prepare():
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # What is ignored stays ignored in a new program.
        for number in IGNORED:
            signal.signal(number, signal.SIG_DFL)

    with open(log, "ab") as output:
        child = subprocess.Popen(
            words, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            cwd=os.path.dirname(log), start_new_session=True, preexec_fn=prepare)
    # The signal handler reaps it.
    child.returncode = 0
    return child.pid


def reap(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def main():
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, reap)
    try:
        for line in sys.stdin:
            request = json.loads(line)
            try:
                pid = start(request["start"], request["environment"], request["log"])
                answer = {"id": pid}
            except OSError as error:
                answer = {"error": str(error)}
            print(json.dumps(answer), flush=True)
    finally:
        kill_all(os.getpid())


if __name__ == "__main__":
    main()
