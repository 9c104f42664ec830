"""Lets three nodes import the history of a git repository into one store on three servers, and
kills the primary and the node that writes, in turns.

    Tests/Cluster/demo.py PROGRAM REPOSITORY

PROGRAM is git-history of a build with the trait Postgres. `scripts/demo-cluster` builds it and
calls this. The exit code says whether all nodes have the same history as git.
"""

import queue
import re
import signal
import subprocess
import sys
import threading
import time

from cluster import Cluster

KILLS = 5
CHECKED_STATES = 20
# The servers, and what a node needs to become the writer.
SECONDS_MAX = 120


class Node:
    """A process that imports when it may write."""

    def __init__(self, name, program, repository, cluster):
        self.name = name
        self.words = cluster.client_command([
            "setpriv", "--pdeathsig", "KILL", "--", program, repository, cluster.url(),
            "--node", name, "--cache", str(cluster.directory / "caches" / name),
            "--check", str(CHECKED_STATES)])
        self.process = None

    def start(self, lines, limit):
        self.process = subprocess.Popen(
            self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, bufsize=1)
        # Lines of a process that was killed are not mistaken for those of the next one.
        threading.Thread(target=self._read, args=(self.process, lines), daemon=True).start()
        self.allow(limit)

    def _read(self, process, lines):
        for line in process.stdout:
            lines.put((self, line.strip()))
        lines.put((self, f"{self.name}: ended with {process.wait()}"))

    def allow(self, limit):
        """Lets the node import the commits up to this one."""
        try:
            self.process.stdin.write(f"{limit}\n")
        except BrokenPipeError:
            pass

    def kill(self):
        self.process.kill()
        self.process.wait()


class Demo:
    def __init__(self, cluster, nodes, total):
        self.cluster = cluster
        self.nodes = nodes
        self.total = total
        self.limit = 0
        self.lines = queue.Queue()
        self.writer = None
        self.done = 0
        self.digests = {}

    def start(self, node):
        node.start(self.lines, self.limit)

    def read(self, condition):
        """Reads what the nodes print, until the condition holds."""
        deadline = time.monotonic() + SECONDS_MAX
        while not condition():
            try:
                node, line = self.lines.get(timeout=max(0.1, deadline - time.monotonic()))
            except queue.Empty:
                raise TimeoutError(f"the nodes did nothing for {SECONDS_MAX} s") from None
            if found := re.fullmatch(r".*: commit (\d+)", line):
                self.done = max(self.done, int(found[1]))
                self.writer = node
            elif found := re.fullmatch(r".* agree with git; digest (\S+)", line):
                print(f"   {line}", flush=True)
                self.digests[node.name] = found[1]
            elif ended := re.fullmatch(r".*: ended with (-?\d+)", line):
                if int(ended[1]) not in (0, -signal.SIGKILL):
                    # It could not connect in the middle of a failover.
                    print(f"   {line}; it is started again", flush=True)
                    self.start(node)
            else:
                print(f"   {line}", flush=True)

    def advance(self, share):
        """Lets the nodes import a share of all commits."""
        goal = int(self.total * share)
        # More than is waited for, so that what is killed is writing.
        self.limit = goal + max(2, self.total // 50)
        for node in self.nodes:
            node.allow(self.limit)
        self.read(lambda: self.done >= goal)

    def run(self):
        for node in self.nodes:
            self.start(node)
        for number in range(KILLS):
            self.advance((2 * number + 1) / (2 * KILLS + 1))
            primary = self.cluster.primary()
            print(f"-- {self.done} commits are written; killing the primary, {primary.name}")
            self.cluster.kill(primary)
            self.advance((2 * number + 2) / (2 * KILLS + 1))
            self.cluster.start_node(primary)
            print(f"-- {self.done} commits are written; killing the writer, {self.writer.name}")
            writer = self.writer
            writer.kill()
            self.start(writer)
            self.cluster.wait_until_ready(standbys=1)
        self.limit = self.total
        for node in self.nodes:
            node.allow(self.limit)
        print("-- comparing")
        self.read(lambda: len(self.digests) == len(self.nodes))
        return 0 if len(set(self.digests.values())) == 1 else 1


def main(program, repository):
    # The cluster is cleaned up after this signal too, by the error that it throws.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    total = int(subprocess.check_output(
        ["git", "-C", repository, "rev-list", "--count", "--first-parent", "HEAD"]))
    start = time.monotonic()
    with Cluster("loopback") as cluster:
        print("== starting three servers")
        cluster.wait_until_ready()
        (cluster.directory / "caches").mkdir()
        nodes = [Node(name, program, repository, cluster) for name in ("one", "two", "three")]
        print(f"== importing {total} commits by three nodes, with {KILLS} kills of the primary and "
              f"{KILLS} of the writer", flush=True)
        demo = Demo(cluster, nodes, total)
        try:
            code = demo.run()
        finally:
            for node in nodes:
                if node.process:
                    node.kill()
    print(f"== {'all nodes have the history of git' if code == 0 else 'the nodes differ'}, after "
          f"{time.monotonic() - start:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
