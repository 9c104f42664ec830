"""Derives the configuration of a test node from the examples in docs/cluster.

So the examples are tested: a value that a test must change is replaced by its path, and everything
else is used as it is. A path that the example does not have is an error.
"""

import json
import pathlib
import re
from typing import NamedTuple

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cluster"
# The addresses and directories of the examples.
EXAMPLE_NETWORK = "10.0.0.0/24"
EXAMPLE_CERTIFICATES = re.compile(r"/etc/(?:patroni|etcd)/tls/")


class Timing(NamedTuple):
    """What decides how long a failover takes: the times of the example, in seconds, and the WAL
    timeouts in milliseconds."""

    ttl: int
    loop_wait: int
    retry_timeout: int
    wal_timeout: int


# As in the example.
PRODUCTION = Timing(ttl=30, loop_wait=10, retry_timeout=10, wal_timeout=10_000)
# For tests: as short as loop_wait + 2 * retry_timeout <= ttl allows, with a second to spare on a
# busy machine. A network between machines, and a disk that stalls, need those above.
TEST = Timing(ttl=8, loop_wait=1, retry_timeout=3, wal_timeout=4000)


class Document:
    """The lines of a YAML file that has mappings, lists and plain values only."""

    def __init__(self, text):
        self.lines = text.splitlines()

    def text(self):
        return "\n".join(self.lines) + "\n"

    def _range(self, path):
        """The lines of a path's key with all below it, and the indentation: two spaces a level."""
        start, end = 0, len(self.lines)
        for depth, word in enumerate(path.split(".")):
            key = f"{'  ' * depth}{word}:"
            found = [x for x in range(start, end) if (self.lines[x] + " ").startswith(key + " ")]
            if not found:
                raise KeyError(f"the example has no {path}")
            start = found[0]
            end = next((x for x in range(start + 1, end) if not self._is_below(x, depth)), end)
            start += 1
        return start - 1, end, 2 * depth

    def _is_below(self, index, depth):
        line = self.lines[index]
        return not line.strip() or len(line) - len(line.lstrip()) > 2 * depth

    def set(self, path, value):
        """Replaces a value, or all below a key."""
        start, end, indent = self._range(path)
        # JSON is YAML.
        key = path.split(".")[-1]
        self.lines[start:end] = [f"{' ' * indent}{key}: {json.dumps(value)}"]

    def add(self, path, value):
        """Adds a value that the example leaves out; its parent is there."""
        parent, key = path.rsplit(".", 1)
        start, _, indent = self._range(parent)
        self.lines.insert(start + 1, f"{' ' * (indent + 2)}{key}: {json.dumps(value)}")

    def replace(self, old, new):
        """Replaces a text wherever it occurs, at least once."""
        if old not in self.text():
            raise KeyError(f"the example has no {old}")
        self.lines = self.text().replace(old, new).splitlines()


def patroni(node, cluster):
    """The text of a node's Patroni configuration."""
    document = Document((EXAMPLES / "patroni.yml").read_text())
    ports, timing = cluster.network.ports, cluster.timing
    rest, postgres = f"{node.address}:{ports.rest}", f"{node.address}:{ports.postgres}"
    hosts = [f"{x.address}:{ports.etcd}" for x in cluster.nodes]
    dynamic = "bootstrap.dcs.postgresql.parameters"
    for path, value in {
        "name": node.name, "restapi.listen": rest, "restapi.connect_address": rest,
        "etcd.hosts": hosts,
        "bootstrap.dcs.ttl": timing.ttl, "bootstrap.dcs.loop_wait": timing.loop_wait,
        "bootstrap.dcs.retry_timeout": timing.retry_timeout,
        f"{dynamic}.wal_sender_timeout": timing.wal_timeout,
        f"{dynamic}.wal_receiver_timeout": timing.wal_timeout,
        # Little memory and little disk, so that a full disk is reached.
        f"{dynamic}.shared_buffers": "32MB", f"{dynamic}.max_wal_size": "48MB",
        f"{dynamic}.wal_keep_size": "32MB", f"{dynamic}.max_slot_wal_keep_size": "64MB",
        "postgresql.listen": postgres, "postgresql.connect_address": postgres,
        "postgresql.data_dir": str(node.data), "postgresql.pgpass": str(node.directory / "pgpass"),
        "postgresql.parameters.unix_socket_directories": str(node.directory),
        # A test must not restart the machine.
        "watchdog.mode": "off",
    }.items():
        document.set(path, value)
    for role, password in cluster.passwords.items():
        if role != "skyros":
            document.set(f"postgresql.authentication.{role}.password", password)
    document.replace(EXAMPLE_NETWORK, cluster.network.range)
    document.lines = [EXAMPLE_CERTIFICATES.sub(f"{cluster.certificates}/", x)
                      for x in document.lines]
    # In the data directory, which is removed, and not in /dev/shm, where a killed server leaves it.
    document.add("postgresql.parameters.dynamic_shared_memory_type", "mmap")
    document.set("bootstrap.initdb", [
        {"encoding": "UTF8"}, {"locale": "C"}, "data-checksums", {"wal-segsize": "1"},
        {"waldir": str(node.wal)}])
    document.add("postgresql.basebackup", [{"waldir": str(node.wal)}, {"checkpoint": "fast"}])
    return document.text()


def etcd(node, cluster):
    """The environment of a node's etcd."""
    ports = cluster.network.ports
    client, peer = f"https://{node.address}:{ports.etcd}", f"https://{node.address}:{ports.peer}"
    changes = {
        "ETCD_NAME": node.name, "ETCD_DATA_DIR": str(node.directory / "etcd"),
        "ETCD_LISTEN_PEER_URLS": peer, "ETCD_INITIAL_ADVERTISE_PEER_URLS": peer,
        "ETCD_LISTEN_CLIENT_URLS": client, "ETCD_ADVERTISE_CLIENT_URLS": client,
        "ETCD_INITIAL_CLUSTER": ",".join(
            f"{x.name}=https://{x.address}:{ports.peer}" for x in cluster.nodes),
    }
    example = dict(re.findall(r'^(\w+)="(.*)"$', (EXAMPLES / "etcd.env").read_text(), re.MULTILINE))
    if missing := changes.keys() - example.keys():
        raise KeyError(f"the example has no {sorted(missing)}")
    return {name: EXAMPLE_CERTIFICATES.sub(f"{cluster.certificates}/", changes.get(name, value))
            for name, value in example.items()}
