"""Lets nodes of a store read and write at random while servers and nodes fail, and compares their
histories with the log that is left.

    Tests/Cluster/storm.py [--placement loopback|namespaces] [--kills N] [--others N]
                           [--threads N] [--seed N] PROGRAM

PROGRAM is the ClusterNode of a build with the trait Postgres. The primary is killed `kills` times,
and each other fault strikes `others` times, in an order that the seed decides. The exit code says
whether nothing acknowledged was lost, nothing was written twice, and no read was wrong.
"""

import argparse
import contextlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

from cluster import Cluster
from network import Failure
from store_nodes import NODES, Nodes

HERE = pathlib.Path(__file__).resolve().parent


class Storm:
    def __init__(self, cluster, nodes, seed):
        self.cluster = cluster
        self.nodes = nodes
        self.random = random.Random(seed)
        # The last event that was left for sure, the last one that may have been, and when.
        self.replaced = []

    def faults(self):
        """The faults besides the death of the primary, by their names."""
        found = {
            "standby killed": self.standby_killed, "primary paused": self.primary_paused,
            "postgres restarted": self.postgres_restarted,
            "postgres crashed": self.postgres_crashed, "writer killed": self.writer_killed,
            "reader killed": self.reader_killed, "commits cancelled": self.commits_cancelled,
            "postgres crashed while commits wait": self.crashed_while_commits_wait,
            "postgres restarted while commits wait": self.restarted_while_commits_wait,
            "primary and a standby killed": self.two_killed,
            "sessions ended": self.sessions_ended, "clock of a node ahead": self.clock_ahead,
            "clock of a node behind": self.clock_behind,
            "wrong promotion": self.wrong_promotion, "backup restored": self.backup_restored,
        }
        if self.cluster.network.isolates:
            found |= {
                "primary isolated": self.primary_isolated,
                "primary isolated from nodes": self.primary_isolated_from_nodes,
                "primary mute": self.primary_mute, "primary deaf": self.primary_deaf,
                "standby isolated": self.standby_isolated,
                "standby isolated, primary killed": self.standby_isolated_and_primary_killed,
                "disk of the primary full": self.disk_of_primary_full,
                "disk of a standby full": self.disk_of_standby_full,
            }
        return found

    # What takes away what was acknowledged. The search is for the time before that.
    REPLACING = ("wrong promotion", "backup restored")

    def plan(self, kills, names, others):
        """The names of faults in an order of chance; those that take events away in the last part,
        among some kills."""
        last = [name for name in names if name in self.REPLACING] * others
        first = [name for name in names if name not in self.REPLACING] * others
        late_kills = kills // 10 if last else 0
        first += ["primary killed"] * (kills - late_kills)
        last += ["primary killed"] * late_kills
        self.random.shuffle(first)
        self.random.shuffle(last)
        return first + last

    def calm(self):
        """Waits until all servers and nodes are there, and for some writes."""
        self.cluster.wait_until_ready()
        self.nodes.start()
        self.cluster.wait("the nodes have a store", lambda: self.last() > 0)
        first = self.last()
        self.cluster.wait("the nodes write", lambda: self.last() > first + 50)

    def last(self):
        """The last event on the primary."""
        return int(self.cluster.primary().query(self.LAST, database="skyros"))

    def primary_killed(self):
        primary = self.cluster.primary()
        self.cluster.kill(primary)
        try:
            self.cluster.wait_for_primary(other_than=primary, seconds_max=self.TAKE_OVER_SECONDS)
        except TimeoutError:
            # If the primary dies while Patroni changes the synchronous standby, none may take over.
            standby = self.cluster.synchronous_standby()
            print(f"     no server has taken over; the synchronous standby is {standby}")
        self.cluster.start_node(primary)

    # How long a failover may take before the primary is started again, as by an operator.
    TAKE_OVER_SECONDS = 60

    def standby_killed(self):
        standby = self.random.choice(self.cluster.standbys())
        self.cluster.kill(standby)
        time.sleep(self.random.uniform(0, 3))
        self.cluster.start_node(standby)

    def primary_paused(self):
        primary = self.cluster.primary()
        self.cluster.pause(primary)
        self.cluster.wait_for_primary(other_than=primary)
        time.sleep(self.random.uniform(0, 5))
        self.cluster.resume(primary)

    def postgres_restarted(self):
        self.cluster.restart_postgres(self.cluster.primary())

    def postgres_crashed(self):
        self.cluster.crash_postgres(self.cluster.primary())

    def writer_killed(self):
        writer = self.nodes.writer() or self.random.choice(NODES)
        self.nodes.kill(writer)
        time.sleep(self.random.uniform(0, 2))

    def reader_killed(self):
        writer = self.nodes.writer()
        self.nodes.kill(self.random.choice([name for name in NODES if name != writer]))

    def commits_cancelled(self):
        with self.waiting_commits():
            self.cluster.cancel_waiting_commits()
            time.sleep(self.random.uniform(0, 1))

    def crashed_while_commits_wait(self):
        """What has waited is visible then, and no standby has it."""
        with self.waiting_commits():
            self.cluster.crash_postgres(self.cluster.primary())
            time.sleep(self.random.uniform(0, 2))

    def restarted_while_commits_wait(self):
        with self.waiting_commits():
            self.cluster.restart_postgres(self.cluster.primary())

    def two_killed(self):
        """Nothing is acknowledged meanwhile, and the nodes read."""
        two = [self.cluster.primary(), self.random.choice(self.cluster.standbys())]
        for node in two:
            self.cluster.kill(node)
        self.nodes.wait_until_all_read(time.monotonic_ns())
        time.sleep(self.random.uniform(0, 5))
        for node in two:
            self.cluster.start_node(node)

    def sessions_ended(self):
        """All sessions of nodes end, and new ones begin with a time that is too short."""
        primary = self.cluster.primary()
        primary.query("ALTER ROLE skyros SET statement_timeout = 1")
        try:
            for _ in range(3):
                primary.query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE usename = 'skyros' AND backend_type = 'client backend'")
                time.sleep(self.random.uniform(0, 1))
        finally:
            primary.query("ALTER ROLE skyros RESET statement_timeout")

    def clock_ahead(self):
        """The node is refused: it would give times of the future to events."""
        name = self.random.choice(NODES)
        self.nodes.kill(name)
        now = time.monotonic_ns()
        self.nodes.start_one(name, ahead=600)
        self.nodes.wait_until_refused(name, "clockAhead", now)
        self.nodes.kill(name)

    def clock_behind(self):
        """It writes, if it gets the turn, with times that follow those of the others."""
        name = self.nodes.writer() or self.random.choice(NODES)
        for other in NODES:
            if other != name:
                self.nodes.kill(other)
        self.nodes.kill(name)
        self.nodes.start_one(name, ahead=-600)
        first = self.last()
        self.cluster.wait("a node whose clock is behind writes", lambda: self.last() > first)
        time.sleep(self.random.uniform(0, 2))
        self.nodes.kill(name)

    @contextlib.contextmanager
    def waiting_commits(self):
        """No standby takes anything meanwhile, and a commit waits for one."""
        with self.cluster.held_replication(self.cluster.standbys()):
            self.cluster.wait("a commit waits for a standby", self.cluster.waiting_commits)
            yield

    LAST = "SELECT coalesce(max(sequence), 0) FROM skyros.event"

    def wrong_promotion(self):
        primary, wrong = self.cluster.primary(), self.cluster.standbys()[1]
        self.cluster.hold_replication(wrong)
        time.sleep(self.random.uniform(0.2, 2))
        self.cluster.pause_failover()
        self.cluster.kill(primary)
        self.cluster.release_replication(wrong)
        left = int(wrong.query(self.LAST, database="skyros"))
        self.replaced.append((left, left, time.monotonic_ns()))
        self.cluster.promote(wrong)
        self.cluster.resume_failover()
        self.cluster.start_node(primary)

    def backup_restored(self):
        left = self.last()
        path = self.cluster.backup(f"backup{len(self.replaced)}")
        most = self.last()
        time.sleep(self.random.uniform(0.2, 2))
        self.replaced.append((left, most, time.monotonic_ns()))
        self.cluster.restore(path)

    def primary_isolated(self, **how):
        primary = self.cluster.primary()
        self.cluster.isolate(primary, **how)
        self.cluster.wait_for_primary(other_than=primary)
        time.sleep(self.random.uniform(0, 3))
        self.cluster.reconnect(primary)

    def primary_isolated_from_nodes(self):
        self.primary_isolated(clients=False)

    def primary_mute(self):
        self.primary_isolated(direction="out")

    def primary_deaf(self):
        self.primary_isolated(direction="in")

    def standby_isolated(self):
        standby = self.random.choice(self.cluster.standbys())
        self.cluster.isolate(standby)
        time.sleep(self.random.uniform(1, 5))
        self.cluster.reconnect(standby)

    def standby_isolated_and_primary_killed(self):
        """Another server takes over, or none until the primary is back: the synchronous standby may
        be the isolated one, or there may be none for a moment."""
        primary, standby = self.cluster.primary(), self.random.choice(self.cluster.standbys())
        self.cluster.isolate(standby)
        time.sleep(self.random.uniform(0, 8))
        self.cluster.kill(primary)
        time.sleep(self.random.uniform(0, 3))
        self.cluster.reconnect(standby)
        time.sleep(self.random.uniform(0, 15))
        self.cluster.start_node(primary)

    @contextlib.contextmanager
    def full_disk(self, node, is_noticed):
        """Fills the disk for WAL of a server for a while, and begins when that is noticed."""
        self.cluster.fill_wal_disk(node)
        try:
            self.cluster.wait("the full disk is noticed", is_noticed)
            yield
        finally:
            self.cluster.free_wal_disk(node)
        self.cluster.wait_until_ready()
        self.cluster.client("TRUNCATE filler")

    def disk_of_primary_full(self):
        """The server stops and starts again and again, and keeps the leader key."""
        with self.full_disk(self.cluster.primary(), self.cluster.primary_has_stopped):
            time.sleep(self.random.uniform(0, 8))

    def disk_of_standby_full(self):
        standby = self.cluster.synchronous_standby()
        with self.full_disk(standby, lambda: self.cluster.has_replaced(standby)):
            time.sleep(self.random.uniform(0, 2))


def check(cluster, directory, replaced):
    """Runs the check where it reaches the servers; returns its exit code."""
    python = str(HERE.parents[1] / ".build" / "python" / "bin" / "python3")
    words = [os.environ.get("SKYROS_PYTHON", python), str(HERE / "histories.py"), str(directory),
             f"{cluster.url()}&target_session_attrs=read-write",
             *(":".join(map(str, triple)) for triple in replaced)]
    return subprocess.run(cluster.client_command(words)).returncode


def run(options):
    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(32)
    print(f"seed {seed}, {options.kills} kills of the primary, {options.others} of each other "
          "fault")
    with Cluster(options.placement) as cluster:
        cluster.wait_until_ready()
        directory = cluster.directory / "histories"
        directory.mkdir(mode=0o755)
        nodes = Nodes(cluster, options.program, directory, options.threads, seed)
        storm = Storm(cluster, nodes, seed)
        faults = storm.faults()
        plan = storm.plan(options.kills, options.only or faults, options.others)
        try:
            nodes.start()
            storm.calm()
            for number, name in enumerate(plan, start=1):
                start = time.monotonic()
                faults.get(name, storm.primary_killed)()
                storm.calm()
                print(f"{number:4} of {len(plan)}: {name}, calm after "
                      f"{time.monotonic() - start:.1f} s", flush=True)
            nodes.wait_until_all_show(storm.last())
        except (Failure, TimeoutError) as error:
            nodes.ended.append(f"the storm has ended early: {error}")
        finally:
            nodes.stop()
        for problem in nodes.ended:
            print("problem:", problem)
        code = check(cluster, directory, storm.replaced) or (1 if nodes.ended else 0)
        if code and options.keep:
            shutil.copytree(directory, options.keep, ignore=shutil.ignore_patterns("*.cache"))
            for node in cluster.nodes:
                shutil.copytree(node.directory, f"{options.keep}/{node.name}",
                                ignore=lambda _, names: {x for x in names if "log" not in x})
        return code


def main():
    parser = argparse.ArgumentParser()
    placement = "namespaces" if os.getuid() == 0 else "loopback"
    parser.add_argument("--placement", choices=("loopback", "namespaces"), default=placement)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--others", type=int, default=1)
    parser.add_argument("--threads", type=int, default=3)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--only", action="append", help="this fault besides; may be repeated")
    parser.add_argument("--keep", help="a new directory for the histories, if there are problems")
    parser.add_argument("program")
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
