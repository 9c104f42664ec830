"""What can happen to a cluster, each fault with what heals it.

| fault | healed by |
|---|---|
| `kill` | `start_node` |
| `pause` | `resume` |
| `restart_postgres`, `crash_postgres` | Patroni |
| `isolate` | `reconnect` |
| `hold_replication` | `release_replication` |
| `cancel_waiting_commits` | nothing: what was cancelled counts as committed |
| `promote` | `resume_failover`, and `start_node` for what was killed |
| `fill_wal_disk` | `free_wal_disk` |
| `restore` | `start_node` is part of it |
"""

import contextlib
import json
import shutil
import signal

import supervisor
from network import Failure, run

# What the sets of network.Namespaces.RULES drop.
DROPPED = {
    "both": ("from_node", "to_node"), "out": ("from_node",), "in": ("to_node",),
}
DROPPED_FOR_CLIENTS = {
    "out": ("from_node_to_clients",), "in": ("from_clients_to_node",),
}


class Faults:
    """The faults of a `Cluster`."""

    # MARK: Processes

    def kill(self, node):
        """Ends all processes of a node without warning, as a power cut of its machine does, but
        that the disk keeps what was not flushed."""
        node.kill()

    def start_node(self, node):
        node.start()

    def pause(self, node):
        """Stops all processes of a node. They keep their connections."""
        node.pause()

    def resume(self, node):
        node.resume()

    def restart_postgres(self, node):
        """Restarts PostgreSQL in an orderly way, as `patronictl restart` does. A commit that waits
        for a standby gets a warning and loses its connection, and is there afterwards."""
        self.patroni(node, "restart", {}, "POST", seconds_max=60)

    def crash_postgres(self, node):
        """Kills PostgreSQL only. Patroni starts it again."""
        postmaster = node.postmaster()
        if not postmaster:
            raise Failure(f"PostgreSQL does not run on {node}")
        # The others end when the first one is gone.
        supervisor.send(postmaster, signal.SIGKILL)

        def gone():
            now = supervisor.process(postmaster.id)
            return not now or now.started != postmaster.started or now.state == "Z"
        self.wait("the end of PostgreSQL", gone)

    # MARK: Network

    def isolate(self, node, direction="both", clients=True):
        """Cuts a node off: from the other nodes, and from clients too unless `clients` is false.
        Clients on its own machine always reach it.

        `direction` is what is lost: `both`; `out`, what the node sends; `in`, what it is sent.
        """
        self._require_namespaces()
        if clients and direction == "both":
            self.network.set_link(node.number, False)
            return
        sets = DROPPED[direction] + (DROPPED_FOR_CLIENTS[direction] if clients else ())
        self.network.drop(node.number, sets)

    def reconnect(self, node):
        self.network.heal(node.number)

    def _require_namespaces(self):
        if not self.network.isolates:
            raise Failure("this needs the placement namespaces, and root")

    # MARK: Replication

    def hold_replication(self, node):
        """Stops what receives WAL on a standby, and nothing else there, so that it falls behind;
        returns when the primary has given it up, after `wal_sender_timeout`. What is committed
        from now on does not reach it."""
        def held():
            receivers = node.wal_receivers()
            for receiver in receivers:
                supervisor.send(receiver, signal.SIGSTOP)
            return receivers and all(x.state in "Tt" for x in node.wal_receivers())
        self.wait(f"{node} receives no WAL", held)
        sql = f"SELECT count(*) FROM pg_stat_replication WHERE application_name = '{node.name}'"
        self.wait(f"the primary gives up {node}", lambda: self.primary().query(sql) == "0")

    def release_replication(self, node):
        for receiver in node.wal_receivers():
            supervisor.send(receiver, signal.SIGCONT)

    @contextlib.contextmanager
    def held_replication(self, standbys):
        """Holds the replication of some standbys for a while."""
        for standby in standbys:
            self.hold_replication(standby)
        try:
            yield
        finally:
            for standby in standbys:
                self.release_replication(standby)

    def waiting_commits(self):
        """How many commits of the primary wait for a standby."""
        return int(self.primary().query(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))

    def cancel_waiting_commits(self):
        """Cancels the wait of commits: they succeed with a warning, without a standby."""
        return int(self.primary().query(
            "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity"
            " WHERE wait_event = 'SyncRep'"))

    # MARK: Promotion

    def pause_failover(self):
        """Patroni promotes and demotes nothing by itself: `patronictl pause`."""
        self._set_pause(True)

    def resume_failover(self):
        self._set_pause(None)

    def _set_pause(self, value):
        running = [node for node in self.nodes if node.processes()]
        self.wait("a node that takes the setting", lambda: any(
            self.patroni(node, "config", {"pause": value}, "PATCH") for node in running))

        def known():
            states = [json.loads(self.patroni(node, "patroni")) for node in running]
            return all(bool(state.get("pause")) == bool(value) for state in states)
        self.wait("all nodes know the setting", known)

    def promote(self, node):
        """Promotes a standby by hand, whatever Patroni thinks of it. Call `pause_failover` first,
        and kill the primary, or there are two."""
        node.query("SELECT pg_promote(true, 30)", seconds_max=40)
        # Patroni 3.0.2 lets other nodes rewind from one that it has promoted itself, or when it has
        # just started.
        node.kill(only="patroni")
        node.start()
        self.wait(f"{node} is the primary", lambda: self.primary() is node)

    # MARK: Disks

    def fill_wal_disk(self, node):
        """Takes all free space of the disk for WAL. It is noticed when much is written."""
        self._require_namespaces()
        self.client("CREATE TABLE IF NOT EXISTS filler (text text)")
        ballast = node.wal_disk / "ballast"
        # It ends with an error when the disk is full.
        node.run("sh", "-c", 'dd if=/dev/zero of="$0" bs=64k 2>/dev/null || true', ballast)

    def _write_much(self):
        self.client(
            "INSERT INTO filler SELECT md5(x::text) FROM generate_series(1, 200000) AS x", 60)

    def primary_has_stopped(self):
        """Writes much; whether the primary cannot."""
        try:
            self._write_much()
        except (Failure, TimeoutError):
            return True
        return False

    def has_replaced(self, standby):
        """Writes much, but no more than the primary keeps for a standby that does not take it;
        whether another standby is the synchronous one."""
        sql = f"""SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) < 24 << 20
            FROM pg_replication_slots WHERE slot_name = '{standby.name}'"""
        if self.primary().query(sql) == "t":
            self._write_much()
        return self.synchronous_standby() not in (None, standby)

    def free_wal_disk(self, node):
        node.run("rm", "-f", "--", self.owned(node.wal_disk / "ballast"))

    def backup(self, name="backup"):
        """A base backup of the primary, in the cluster's directory; returns its path."""
        path = self.owned(self.directory / name)
        primary = self.primary()
        words = ["pg_basebackup", "-D", path, "-h", primary.directory, "-p",
                 self.network.ports.postgres, "-U", "postgres", "-X", "stream", "-c", "fast",
                 "--no-sync"]
        environment = {**self.environment, "PGPASSWORD": self.passwords["superuser"]}
        run(self.as_user([str(word) for word in words]), 120, env=environment)
        return path

    def restore(self, path):
        """Replaces the server's data by an older backup, as an administrator does who follows
        docs/cluster.md: what was committed since then is gone."""
        first, *others = self.nodes
        for node in self.nodes:
            node.kill(but="etcd")
        self._remove_from_etcd(first)
        for node in self.nodes:
            node.remove_data()
        first.run("cp", "-a", "--", self.owned(path), first.data)
        first.run("mv", "--", first.data / "pg_wal", first.wal)
        first.run("ln", "-s", "--", first.wal, first.data / "pg_wal")
        first.start()
        self.wait(f"{first} is the primary", lambda: self.primary() is first)
        for node in others:
            node.start()
        shutil.rmtree(self.owned(path))

    def _remove_from_etcd(self, node):
        """`patronictl remove`: the cluster's state without its leader."""
        self.wait("the leader key expires", lambda: self._key("leader") is None or None)
        words = ["patronictl", "-c", str(node.settings), "remove", "skyros"]
        run(self.client_command(self.as_user(words)), 60, env=self.environment,
            input="skyros\nYes I am aware\n")
