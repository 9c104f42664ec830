"""The processes of the nodes of a store, which read and write at random."""

import contextlib
import json
import random
import signal
import subprocess

NODES = ("one", "two", "three")
SECONDS_OF_A_NODE = 36_000


class Nodes:
    """The processes of the nodes of the store. One that has ended is started again."""

    def __init__(self, cluster, program, directory, threads, seed):
        self.cluster = cluster
        self.program = program
        self.directory = directory
        self.threads = threads
        self.random = random.Random(seed)
        self.processes = {}
        # Those that have ended by themselves, which none should.
        self.ended = []

    def start(self):
        for name in NODES:
            process = self.processes.get(name)
            if process and process.poll() is None:
                continue
            if process and process.returncode != -signal.SIGKILL:
                self.ended.append(f"{name} has ended by itself, with {process.returncode}")
            self.start_one(name)

    def start_one(self, name, ahead=0):
        """Starts a node, whose clock is some seconds ahead."""
        words = [
            self.program, self.cluster.url(), str(self.directory), name, str(SECONDS_OF_A_NODE),
            str(self.threads), str(self.random.getrandbits(60)), str(ahead)]
        with open(self.directory / f"{name}.output", "a") as output:
            self.processes[name] = subprocess.Popen(
                self.cluster.client_command(["setpriv", "--pdeathsig", "KILL", "--", *words]),
                stdout=output, stderr=output)

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def lines(self, name):
        """The newest part of a node's history."""
        path = self.directory / f"{name}.history"
        with open(path, "rb") as file:
            file.seek(max(0, path.stat().st_size - 1_000_000))
            lines = file.read().split(b"\n")[1:-1]
        found = []
        for line in lines:
            with contextlib.suppress(json.JSONDecodeError):  # Of a process that was killed.
                found.append(json.loads(line))
        return found

    def shown(self, name):
        """The newest reads of a node."""
        return [x for x in self.lines(name) if x["phase"] == "ok" and "basket" in x]

    def shows(self, name):
        """The last event that a node has shown to a reader."""
        return max((line["sequence"] for line in self.shown(name)[-20:]), default=0)

    def wait_until_all_read(self, since):
        """Each node reads, whatever the servers do."""
        self.cluster.wait("each node reads", lambda: all(
            any(line["time"] > since for line in self.shown(x)) for x in NODES))

    def wait_until_refused(self, name, code, since):
        self.cluster.wait(f"{name} is refused", lambda: any(
            x["id"] == "opening" and x.get("code") == code and x["time"] > since
            for x in self.lines(name)))

    def wait_until_all_show(self, last):
        """A node that does not follow any more would give right answers, about old states."""
        self.cluster.wait(
            "each node shows the last event", lambda: all(self.shows(x) >= last for x in NODES))

    def stop(self):
        for process in self.processes.values():
            process.kill()
            process.wait()

    def writer(self):
        """The node that holds the turn, as the server says; None if none does."""
        found = self.cluster.primary().query(
            "SELECT application_name FROM pg_stat_activity AS a JOIN pg_locks AS l USING (pid) "
            "WHERE l.locktype = 'advisory' AND l.granted", database="skyros")
        return found if found in NODES else None
