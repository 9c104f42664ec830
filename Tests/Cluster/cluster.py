"""Three PostgreSQL servers with Patroni and etcd in a temporary directory, and what can happen to
them.

    Tests/Cluster/cluster.py --check [PLACEMENT]       each fault once; the exit code says whether
                                                       each one went as it should
    Tests/Cluster/cluster.py --run [PLACEMENT] WORDS   runs a program beside a cluster, whose URL is
                                                       in SKYROS_CLUSTER_URL

A placement is `loopback`, which needs no rights, or `namespaces`, which needs root and can cut
nodes off. The default is the second one for root. `scripts/setup --cluster` installs what is
needed. In Python:

    with Cluster("namespaces") as cluster:
        cluster.wait_until_ready()
        primary = cluster.primary()
        cluster.isolate(primary)
        cluster.wait_for_primary(other_than=primary)
        cluster.reconnect(primary)

Each fault has a counterpart that heals it. Every wait has a deadline. A cluster signals only its
own processes, by their ids, and removes only its own directory. When the harness ends, however it
ends, the processes end: see `supervisor.py`.
"""

import contextlib
import getpass
import json
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import configuration
import network
import supervisor
from faults import Faults
from network import Failure, run
from node import PROGRAMS, Node

PREFIX = "skyros-cluster-"
SCOPE = "skyros"
STOPPING = {signal.SIGINT, signal.SIGTERM}
# The longest wait, where no other time is given.
SECONDS_MAX = 120
SECONDS_BETWEEN_CHECKS = 0.1


class Cluster(Faults):
    """Three nodes, and clients. `Faults` has what can happen to them."""

    def __init__(self, placement="loopback", timing=configuration.TEST):
        self.timing = timing
        self.user = "postgres" if os.getuid() == 0 else getpass.getuser()
        for program in ("/usr/bin/etcd", "/usr/bin/patroni", PROGRAMS / "postgres"):
            if not os.access(program, os.X_OK):
                raise Failure(f"{program} is missing: run scripts/setup --cluster")
        kinds = {"loopback": network.Loopback, "namespaces": network.Namespaces}
        self.network = kinds[placement]()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.certificates = self.directory / "tls"
        self.passwords = {role: secrets.token_hex(8)
                          for role in ("superuser", "replication", "rewind", "skyros")}
        self.environment = {
            "PATH": f"{PROGRAMS}:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
            "HOME": str(self.directory),
        }
        self.nodes = [Node(number, self) for number in (1, 2, 3)]

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    # MARK: Start and stop

    def start(self):
        """Starts all nodes; `wait_until_ready` waits for them."""
        self.directory.chmod(0o711)
        self.give(self.directory)
        self.certificates.mkdir(mode=0o711)
        self._make_certificates()
        source = pathlib.Path(supervisor.__file__)
        # The user of the nodes may not be able to read the checkout.
        shutil.copy(source, self.directory / "supervisor.py")
        (self.directory / "supervisor.py").chmod(0o644)
        self.network.start(self.directory)
        for node in self.nodes:
            node.make_files()
            node.start_supervisor()
        for node in self.nodes:
            node.start_etcd()
        # Patroni waits for seconds when it finds no etcd.
        self.wait("etcd has a majority", lambda: self._key("leader") is None)
        for node in self.nodes:
            node.start()

    def stop(self):
        """Ends all processes, and removes the directory, also if something of it fails."""
        # A second Ctrl-C would leave the directory.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        try:
            with contextlib.ExitStack() as stack:
                stack.callback(shutil.rmtree, self.owned(self.directory))
                stack.callback(self.network.stop)
                for node in self.nodes:
                    stack.callback(node.stop)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)

    def _make_certificates(self):
        """A certificate authority, and one certificate for all nodes."""
        # etcd compares the address from which a member comes with its certificate.
        addresses = ",".join(f"IP:{x}" for x in ["127.0.0.1", *(x.address for x in self.nodes)])
        request = ["openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "30",
                   "-pkeyopt", "ec_paramgen_curve:P-256"]
        folder = self.certificates
        run([*request, "-subj", "/CN=skyros test authority", "-keyout", folder / "ca.key",
             "-out", folder / "ca.crt"])
        run([*request, "-subj", "/CN=node", "-CA", folder / "ca.crt", "-CAkey", folder / "ca.key",
             "-extensions", "usr_cert", "-addext", f"subjectAltName={addresses}",
             "-keyout", folder / "node.key", "-out", folder / "node.crt"])
        for path in folder.iterdir():
            path.chmod(0o644 if path.suffix == ".crt" else 0o600)
            self.give(path)

    def give(self, path):
        """Makes the user of the nodes the owner of a file."""
        if os.getuid() == 0:
            shutil.chown(self.owned(path), self.user, pwd.getpwnam(self.user).pw_gid)

    def as_user(self, words):
        if os.getuid() != 0:
            return words
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--init-groups", "--",
                *words]

    def owned(self, path):
        """The path, which is checked to be this cluster's directory, or in it."""
        path, directory = pathlib.Path(path), self.directory
        assert directory.name.startswith(PREFIX) and directory.is_absolute(), directory
        assert path.is_relative_to(directory) and ".." not in path.parts, path
        return path

    # MARK: State

    @staticmethod
    def wait(goal, function, seconds_max=None):
        """The first value of a function that counts as true."""
        seconds_max = seconds_max or SECONDS_MAX
        deadline = time.monotonic() + seconds_max
        problem = None
        while True:
            try:
                if value := function():
                    return value
            except (Failure, OSError) as error:
                problem = error
            if time.monotonic() > deadline:
                raise TimeoutError(f"not in {seconds_max} s: {goal}" + (
                    f"; {problem}" if problem else ""))
            time.sleep(SECONDS_BETWEEN_CHECKS)

    def _request(self, url, body=None, method=None, seconds_max=3):
        """The text of an HTTP answer."""
        context = ssl.create_default_context(cafile=self.certificates / "ca.crt")
        context.load_cert_chain(self.certificates / "node.crt", self.certificates / "node.key")
        request = urllib.request.Request(
            url, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})

        def answer():
            with urllib.request.urlopen(request, timeout=seconds_max, context=context) as response:
                return response.read().decode()
        return self.network.call(answer)

    def patroni(self, node, path, body=None, method=None, seconds_max=3):
        """The answer of a node's Patroni."""
        url = f"https://{node.address}:{self.network.ports.rest}/{path}"
        return self._request(url, body, method, seconds_max)

    def _key(self, name):
        """The value of a key that a majority of etcd's members agrees on; None without one."""
        problem = Failure("no node runs")
        for node in self.nodes:
            url = (f"https://{node.address}:{self.network.ports.etcd}"
                   f"/v2/keys/service/{SCOPE}/{name}?quorum=true")
            try:
                return json.loads(self._request(url))["node"]["value"]
            except urllib.error.HTTPError as error:
                if error.code == 404:
                    return None
                problem = error
            except OSError as error:
                problem = error
        raise problem

    def node(self, name):
        return next(node for node in self.nodes if node.name == name)

    def primary(self):
        """The node that has the leader key, and takes writes."""
        name = self._key("leader")
        if not name or self.node(name).query("SELECT pg_is_in_recovery()") != "f":
            raise Failure("there is no primary")
        return self.node(name)

    def synchronous_standby(self):
        """The only node that may be promoted; None if there is none."""
        state = json.loads(self._key("sync") or "{}")
        return self.node(state["sync_standby"]) if state.get("sync_standby") else None

    def standbys(self):
        """The synchronous one first."""
        primary, synchronous = self.primary(), self.synchronous_standby()
        others = [node for node in self.nodes if node is not primary]
        return sorted(others, key=lambda node: node is not synchronous)

    def wait_for_primary(self, other_than=None, seconds_max=None):
        def found():
            primary = self.primary()
            return primary if primary is not other_than else None
        return self.wait("a new primary", found, seconds_max)

    def wait_until_ready(self, standbys=2, seconds_max=None):
        """Waits for a primary that acknowledges commits, and for standbys that stream; returns the
        primary."""
        sql = """SELECT count(*), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')
            AND application_name = '{}') FROM pg_stat_replication WHERE state = 'streaming'"""

        def ready():
            primary, synchronous = self.primary(), self.synchronous_standby()
            if not synchronous or synchronous is primary:
                return None
            counts = primary.query(sql.format(synchronous.name)).split("|")
            return primary if int(counts[0]) >= standbys and counts[1] == "1" else None
        primary = self.wait("a primary with a synchronous standby", ready, seconds_max)
        self._make_database(primary)
        return primary

    def _make_database(self, primary):
        """The app's role and database, as docs/cluster.md has it, on all nodes: libpq does not try
        another host when a standby does not have the database yet."""
        sql = "SELECT count(*) FROM pg_database WHERE datname = 'skyros'"
        if primary.query(sql) == "1":
            return
        primary.query(f"CREATE ROLE skyros LOGIN PASSWORD '{self.passwords['skyros']}'")
        primary.query("CREATE DATABASE skyros OWNER skyros")
        self.wait("all nodes have the database", lambda: all(
            node.query(sql) == "1" for node in self.nodes if node.processes()))

    # MARK: Clients

    def url(self, database="skyros"):
        """All nodes, as libpq takes them. `target_session_attrs` is left to the client."""
        hosts = ",".join(f"{x.address}:{self.network.ports.postgres}" for x in self.nodes)
        return (f"postgresql://skyros:{self.passwords['skyros']}@{hosts}/{database}"
                f"?sslmode=verify-full&sslrootcert={self.certificates}/ca.crt")

    def client_command(self, words, beside=None):
        """The words that start a client where it reaches the nodes: on another machine, or on that
        of a node, whose clients lose the others with it."""
        return self.network.client_command(words, beside.number if beside else None)

    def client_words(self, sql, beside=None):
        """The words that run SQL as a client, by psql: it connects to the primary."""
        url = f"{self.url()}&target_session_attrs=read-write&connect_timeout=3"
        words = [str(PROGRAMS / "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql]
        return self.client_command(words, beside)

    def client(self, sql, seconds_max=SECONDS_MAX, beside=None):
        """What SQL that a client runs has printed: nothing if a commit was acknowledged."""
        words = self.client_words(sql, beside)
        return run(words, seconds_max, env=self.environment).strip()


def main(words):
    option, *words = words or [""]
    if option not in ("--check", "--run") or (option == "--run" and not words):
        sys.exit(__doc__)
    placement = "namespaces" if os.getuid() == 0 else "loopback"
    if words and words[0] in ("loopback", "namespaces"):
        placement, *words = words
    # The cluster is cleaned up after this signal too, by the error that it throws.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if option == "--check":
        import check
        return check.main(placement)
    with Cluster(placement) as cluster:
        cluster.wait_until_ready()
        environment = {**os.environ, "SKYROS_CLUSTER_URL": cluster.url()}
        # The program ends with the harness too.
        words = ["setpriv", "--pdeathsig", "KILL", "--", *words]
        return subprocess.run(cluster.client_command(words), env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
