"""One node of a cluster: a member of etcd, Patroni, and the PostgreSQL server that Patroni runs."""

import json
import os
import pathlib
import signal
import subprocess

import configuration
import supervisor
from network import Failure, run

PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
# Debian's, which has Patroni's packages and is there for every user.
PYTHON = "/usr/bin/python3"
# The disk for WAL, where a node has one for it.
WAL_DISK_MEBIBYTES = 192
# The longest path of a socket is 107 bytes.
SOCKET_PATH_BYTES_MAX = 107


class Node:
    """A node's files and processes. Faults are methods of `Cluster`."""

    def __init__(self, number, cluster):
        self.cluster = cluster
        self.number = number
        self.name = f"node{number}"
        self.address = cluster.network.address(number)
        self.directory = cluster.directory / self.name
        self.data = self.directory / "data"
        self.wal_disk = self.directory / "wal-disk"
        self.wal = self.wal_disk / "wal"
        self.settings = self.directory / "patroni.yml"
        self.supervisor = None

    def __repr__(self):
        return self.name

    # MARK: Files

    def make_files(self):
        cluster = self.cluster
        socket = self.directory / f".s.PGSQL.{cluster.network.ports.postgres}"
        if len(bytes(socket)) > SOCKET_PATH_BYTES_MAX:
            raise Failure(f"{socket} is too long for a socket: set TMPDIR to a shorter directory")
        for directory in (self.directory, self.wal_disk):
            directory.mkdir()
            cluster.give(directory)
        if cluster.network.isolates:
            cluster.network.mount(self.wal_disk, WAL_DISK_MEBIBYTES)
            # The root of that disk, which is another directory.
            run(cluster.network.files_command(["chown", cluster.user, str(self.wal_disk)]))
        self.settings.write_text(configuration.patroni(self, cluster))
        self.settings.chmod(0o600)
        cluster.give(self.settings)

    def run(self, *words, seconds_max=120):
        """The output of a program that sees the node's disks, as the user of its processes."""
        words = self.cluster.as_user([str(word) for word in words])
        return run(
            self.cluster.network.files_command(words), seconds_max, env=self.cluster.environment)

    def remove_data(self):
        """Removes the server's data, when it does not run."""
        for path in (self.data, self.wal):
            self.run("rm", "-rf", "--", self.cluster.owned(path))

    # MARK: Processes

    def start_supervisor(self):
        """Starts the machine: nothing runs on it yet."""
        cluster = self.cluster
        words = cluster.as_user([PYTHON, "-I", str(cluster.directory / "supervisor.py")])
        self.supervisor = subprocess.Popen(
            cluster.network.machine_command(words), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, cwd="/", env=cluster.environment, start_new_session=True)
        # It answers when it runs as that user in its namespace.
        self._start("machine", ["true"])
        cluster.network.attach(self.number, self.supervisor.pid)

    def start(self):
        """Starts the processes that do not run."""
        self.start_etcd()
        if not self.runs("patroni"):
            self._start("patroni", ["/usr/bin/patroni", str(self.settings)])

    def start_etcd(self):
        if not self.runs("etcd"):
            self._start("etcd", ["/usr/bin/etcd"], configuration.etcd(self, self.cluster))

    def _start(self, name, words, environment=None):
        request = {
            "start": words, "log": str(self.directory / f"{name}.log"),
            "environment": {**self.cluster.environment, **(environment or {})},
        }
        self.supervisor.stdin.write(json.dumps(request) + "\n")
        self.supervisor.stdin.flush()
        answer = json.loads(self.supervisor.stdout.readline() or '{"error": "no supervisor"}')
        if "error" in answer:
            raise Failure(f"{self}: {answer['error']}")

    def stop(self):
        if not self.supervisor:
            return
        supervisor.kill_all(self.supervisor.pid)
        self.supervisor.stdin.close()
        self.supervisor.wait(timeout=30)
        self.supervisor.stdout.close()

    def processes(self):
        return supervisor.descendants(self.supervisor.pid)

    @staticmethod
    def program(one):
        """The name of the program that a process runs: that of a script, not its interpreter's."""
        try:
            name = pathlib.Path(os.readlink(f"/proc/{one.id}/exe")).name
        except OSError:
            return ""
        words = supervisor.command(one.id)
        return pathlib.Path(words[1]).name if name.startswith("python") and words[1:] else name

    def runs(self, program):
        return any(self.program(one) == program for one in self.processes())

    def kill(self, only=None, but=None):
        """Ends all processes with SIGKILL, or those of one program, or all but those."""
        def is_spared(one):
            program = self.program(one) if only or but else None
            return (only is not None and program != only) or (but is not None and program == but)
        supervisor.kill_all(self.supervisor.pid, is_spared)

    def pause(self):
        supervisor.signal_all(self.supervisor.pid, signal.SIGSTOP, lambda x: x.state in "Tt")

    def resume(self):
        supervisor.signal_all(self.supervisor.pid, signal.SIGCONT, lambda x: x.state not in "Tt")

    def postmaster(self):
        """The first process of the server; None if it does not run."""
        try:
            pid = int((self.data / "postmaster.pid").read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return None
        return next((x for x in self.processes() if x.id == pid), None)

    def wal_receivers(self):
        return [x for x in self.processes()
                if "walreceiver" in " ".join(supervisor.command(x.id))]

    # MARK: SQL

    def query(self, sql, seconds_max=20, database="postgres"):
        """The output of SQL that the administrator runs here, through a socket: also when the node
        is cut off."""
        environment = {
            **self.cluster.environment, "PGCONNECT_TIMEOUT": "5",
            "PGPASSWORD": self.cluster.passwords["superuser"],
        }
        return run(
            [PROGRAMS / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", self.directory,
             "-p", str(self.cluster.network.ports.postgres), "-U", "postgres", "-d", database,
             "-c", sql], seconds_max, env=environment).strip()

    def logs(self):
        """What the node's programs have printed."""
        return sorted(self.directory.glob("*.log"))
