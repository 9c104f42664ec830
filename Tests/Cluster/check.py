"""Strikes a cluster with each fault once, and says how long it took to recover.

A row is acknowledged if its commit has succeeded without a warning. After each fault all
acknowledged rows must be there, except where a wrong promotion or an old backup has taken them.
"""

import pathlib
import shutil
import subprocess
import tempfile
import time

import configuration
import supervisor
from cluster import Cluster
from network import Failure, run
from node import PROGRAMS

# A commit that must not be acknowledged is given this time to prove the opposite.
REFUSAL_SECONDS = 6


class Rows:
    """Rows that a client inserts, and those of them that were acknowledged."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.last = 0
        self.acknowledged = set()
        cluster.client("CREATE TABLE entry (id int PRIMARY KEY)")

    def sql(self):
        self.last += 1
        return f"INSERT INTO entry VALUES ({self.last}) ON CONFLICT DO NOTHING"

    def add(self):
        """Inserts a row, trying again until it is acknowledged."""
        sql = self.sql()
        self.cluster.wait("a commit", lambda: self.cluster.client(sql, 30) == "" or None)
        self.acknowledged.add(self.last)

    def expect_refusal(self, insert):
        """Runs an insertion that must not be acknowledged. The row may be there later."""
        try:
            text = insert(self.sql(), REFUSAL_SECONDS)
        except (Failure, TimeoutError):
            return
        expect("WARNING" in text, f"row {self.last} was acknowledged: {text}")

    def missing(self):
        """The acknowledged rows that the primary does not have."""
        found = self.cluster.client("SELECT id FROM entry")
        return self.acknowledged - {int(line) for line in found.split()}


def expect(condition, message):
    if not condition:
        raise Failure(message)


class Clock:
    def __init__(self):
        self.start = time.monotonic()

    def __str__(self):
        return f"{time.monotonic() - self.start:.1f} s"


def fail_over(cluster, rows, fault, heal):
    """Strikes the primary; another node must take over with all rows."""
    primary = cluster.primary()
    rows.add()
    clock = Clock()
    fault(primary)
    successor = cluster.wait_for_primary(other_than=primary)
    note = f"{primary} -> {successor} after {clock}"
    rows.add()
    note += f", first commit after {clock}"
    expect(not rows.missing(), f"lost: {rows.missing()}")
    clock = Clock()
    heal(primary)
    cluster.wait_until_ready()
    return f"{note}, three nodes {clock} after healing"


# MARK: The faults

def outsiders_refused(cluster, _):
    """No fault, but it must hold: a connection needs a password, and TLS."""
    url = f"{cluster.url()}&target_session_attrs=any"
    socket = f"host={cluster.nodes[0].directory} port={cluster.network.ports.postgres}"
    attempts = {
        "no TLS": url.replace("sslmode=verify-full", "sslmode=disable"),
        "a wrong password": url.replace(cluster.passwords["skyros"], "wrong"),
        "another database": url.replace("/skyros?", "/postgres?"),
        "no password": f"{socket} user=postgres dbname=postgres",
    }
    for name, connection in attempts.items():
        words = [str(PROGRAMS / "psql"), "-XqAtw", "-d", connection, "-c", "SELECT 1"]
        try:
            run(cluster.client_command(words), 30, env=cluster.environment)
        except Failure as error:
            expect("pg_hba.conf" in str(error) or "password" in str(error), error)
            continue
        raise Failure(f"accepted: {name}")
    return f"refused: {', '.join(attempts)}"


def primary_killed(cluster, rows):
    return fail_over(cluster, rows, cluster.kill, cluster.start_node)


def primary_paused(cluster, rows):
    def heal(zombie):
        cluster.resume(zombie)
        rows.expect_refusal(lambda sql, seconds: zombie.query(sql, seconds, "skyros"))
    return fail_over(cluster, rows, cluster.pause, heal)


def standby_killed(cluster, rows):
    standby = cluster.synchronous_standby()
    clock = Clock()
    cluster.kill(standby)
    rows.add()
    note = f"{standby}, the synchronous one; first commit after {clock}"
    cluster.start_node(standby)
    cluster.wait_until_ready()
    return note


def two_killed(cluster, rows):
    first, second = cluster.standbys()
    cluster.kill(first)
    cluster.kill(second)
    rows.expect_refusal(cluster.client)
    clock = Clock()
    cluster.start_node(first)
    cluster.wait_until_ready(standbys=1)
    rows.add()
    note = f"no commit without a standby; first commit {clock} after one is back"
    cluster.start_node(second)
    cluster.wait_until_ready()
    return note


def postgres_restarted(cluster, rows):
    primary = cluster.primary()
    clock = Clock()
    cluster.restart_postgres(primary)
    rows.add()
    note = f"first commit after {clock}"
    cluster.wait_until_ready()
    return note


def postgres_crashed(cluster, rows):
    primary = cluster.primary()
    clock = Clock()
    cluster.crash_postgres(primary)
    rows.add()
    note = f"first commit after {clock} on {cluster.primary()}, it was {primary}"
    cluster.wait_until_ready()
    return note


def primary_isolated(cluster, rows):
    def heal(node):
        def beside(sql, seconds):
            return cluster.client(sql, seconds, beside=node)
        rows.expect_refusal(beside)
        cluster.reconnect(node)
    return fail_over(cluster, rows, cluster.isolate, heal)


def primary_isolated_from_nodes(cluster, rows):
    def isolate(node):
        cluster.isolate(node, clients=False)
        # The client still reaches the old primary.
        rows.expect_refusal(cluster.client)
    return fail_over(cluster, rows, isolate, cluster.reconnect)


def primary_mute(cluster, rows):
    return fail_over(
        cluster, rows, lambda node: cluster.isolate(node, "out"), cluster.reconnect)


def primary_deaf(cluster, rows):
    return fail_over(cluster, rows, lambda node: cluster.isolate(node, "in"), cluster.reconnect)


def standby_isolated(cluster, rows):
    standby = cluster.synchronous_standby()
    clock = Clock()
    cluster.isolate(standby)
    rows.add()
    note = f"{standby}, the synchronous one; first commit after {clock}"
    cluster.reconnect(standby)
    cluster.wait_until_ready()
    return note


def commits_cancelled(cluster, rows):
    with cluster.held_replication(cluster.standbys()):
        client = subprocess.Popen(
            cluster.client_words(rows.sql()), text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd="/", env=cluster.environment)
        try:
            cluster.wait("the commit waits for a standby", cluster.waiting_commits)
            cluster.cancel_waiting_commits()
            text, _ = client.communicate(timeout=30)
        finally:
            client.kill()
    expect("WARNING" in text, f"no warning: {text}")
    cluster.wait_until_ready()
    return text.splitlines()[0]


def wrong_promotion(cluster, rows):
    primary = cluster.primary()
    wrong = cluster.standbys()[1]
    cluster.hold_replication(wrong)
    rows.add()
    cluster.pause_failover()
    cluster.kill(primary)
    cluster.release_replication(wrong)
    cluster.promote(wrong)
    cluster.resume_failover()
    cluster.start_node(primary)
    clock = Clock()
    cluster.wait_until_ready()
    missing = rows.missing()
    expect(missing, "the wrong standby has all rows")
    rows.acknowledged -= missing
    return f"{wrong} instead of a synchronous standby: {len(missing)} acknowledged row is gone;" \
        f" three nodes after {clock}"


def wal_disk_of_primary_full(cluster, rows):
    primary = cluster.primary()
    cluster.fill_wal_disk(primary)
    cluster.wait("the disk is full", cluster.primary_has_stopped)
    # Patroni starts PostgreSQL there again and again, and keeps the leader key.
    try:
        other = cluster.wait_for_primary(primary, seconds_max=2 * cluster.timing.ttl)
        raise Failure(f"{other} has taken over")
    except TimeoutError:
        note = f"{primary} stops, and no other takes over in {2 * cluster.timing.ttl} s"
    clock = Clock()
    cluster.free_wal_disk(primary)
    rows.add()
    note += f"; first commit {clock} after space is free, on {cluster.primary()}"
    cluster.wait_until_ready()
    cluster.client("TRUNCATE filler")
    return note


def wal_disk_of_standby_full(cluster, rows):
    standby = cluster.synchronous_standby()
    cluster.fill_wal_disk(standby)
    cluster.wait(
        "another standby is the synchronous one", lambda: cluster.has_replaced(standby))
    clock = Clock()
    rows.add()
    note = f"{standby} is replaced by {cluster.synchronous_standby()}; commit in {clock}"
    cluster.free_wal_disk(standby)
    cluster.wait_until_ready()
    cluster.client("TRUNCATE filler")
    return note


def backup_restored(cluster, rows):
    path = cluster.backup()
    rows.add()
    clock = Clock()
    cluster.restore(path)
    cluster.wait_until_ready()
    missing = rows.missing()
    expect(missing == {rows.last}, f"gone: {missing}")
    rows.acknowledged -= missing
    return f"what was committed after the backup is gone; three nodes after {clock}"


ANYWHERE = [
    outsiders_refused, primary_killed, primary_paused, standby_killed, two_killed,
    postgres_restarted, postgres_crashed, commits_cancelled, wrong_promotion, backup_restored,
]
WITH_NAMESPACES = [
    primary_isolated, primary_isolated_from_nodes, primary_mute, primary_deaf, standby_isolated,
    wal_disk_of_primary_full, wal_disk_of_standby_full,
]


# MARK: The run

def report(outcome, clock, name, text):
    print(f"{outcome:7} {str(clock):>8}  {name}: {text}", flush=True)


def strike(cluster, rows, function):
    """Whether one fault went as it should."""
    clock, name = Clock(), function.__name__.replace("_", " ")
    try:
        note = function(cluster, rows)
        rows.add()
        expect(not rows.missing(), f"lost: {rows.missing()}")
    except (Failure, OSError, subprocess.SubprocessError) as error:
        report("FAILED", clock, name, error)
        return False
    report("ok", clock, name, note)
    return True


def leftovers(directory):
    """What a cluster has left that has stopped."""
    found = [f"process {x.id}" for x in supervisor.descendants(1)
             if str(directory) in " ".join(supervisor.command(x.id))]
    return found + ([str(directory)] if directory.exists() else [])


def keep_logs(cluster):
    """Copies the nodes' logs to where they can be read when the cluster is gone."""
    target = pathlib.Path(tempfile.mkdtemp(prefix="skyros-cluster-logs-"))
    for node in cluster.nodes:
        for path in node.logs():
            shutil.copy(path, target / f"{node}-{path.name}")
    print(f"the logs of the nodes are in {target}", flush=True)


def main(placement):
    timing = configuration.TEST
    print(f"placement {placement}, {timing}", flush=True)
    clock, total = Clock(), Clock()
    failures = 0
    with Cluster(placement) as cluster:
        cluster.wait_until_ready()
        report("ok", clock, "start", "three nodes, one of two standbys synchronous")
        rows = Rows(cluster)
        for function in ANYWHERE + WITH_NAMESPACES:
            if function in WITH_NAMESPACES and not cluster.network.isolates:
                report("skipped", Clock(), function.__name__.replace("_", " "),
                       "needs namespaces")
            elif not strike(cluster, rows, function):
                failures += 1
                keep_logs(cluster)
                break
        clock = Clock()
    left = leftovers(cluster.directory)
    report("FAILED" if left else "ok", clock, "stop", ", ".join(left) or "nothing is left")
    print(f"{'FAILED' if failures or left else 'All passed'} after {total}")
    return 1 if failures or left else 0
