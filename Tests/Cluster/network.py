"""Where the nodes of a cluster have their addresses.

`Loopback` takes addresses of 127.77.0.0/16, which need no rights. `Namespaces` gives each node a
network namespace, and connects these by a bridge, so that nodes can be cut off. It needs root.
Nothing of it has a name in the system: `ip netns list` shows nothing, and all of it is gone when
the last process is.
"""

import concurrent.futures
import ctypes
import os
import pathlib
import socket
import subprocess
from typing import NamedTuple

from supervisor import LIBC

CLONE_NEWNET = 0x4000_0000


class Ports(NamedTuple):
    postgres: int
    etcd: int
    peer: int
    rest: int


class Failure(Exception):
    """A program that the harness has run has failed."""


def run(words, seconds_max=60, **options):
    """The output of a program; throws unless it ends well and in time."""
    try:
        done = subprocess.run(
            words, stdin=None if "input" in options else subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds_max, cwd="/",
            **options)
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(f"{words[-1]} takes more than {seconds_max} s") from error
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, words[:4]))} …: {done.stdout.strip()}")
    return done.stdout


class Loopback:
    """Three addresses of the loopback interface, which no other cluster uses at the same time."""

    name = "loopback"
    isolates = False
    # Not those of servers that a machine may have, since these may listen on all addresses, and
    # below those that the system gives to clients.
    ports = Ports(postgres=25432, etcd=22379, peer=22380, rest=28008)
    # Whatever they connect to, clients of this interface come from 127.0.0.1.
    range = "127.0.0.0/8"

    def __init__(self):
        self.claim, self.number = self._claim()

    @classmethod
    def _claim(cls):
        """A socket that keeps other clusters away, and the third byte of the addresses."""
        for number in range(1, 255):
            try:
                claim = socket.create_server((f"127.77.{number}.254", cls.ports.rest))
            except OSError:
                continue
            if all(cls._is_free(f"127.77.{number}.{x}") for x in (1, 2, 3)):
                return claim, number
            claim.close()
        raise Failure(f"no addresses are free: a server uses a port of {cls.ports}")

    @classmethod
    def _is_free(cls, address):
        try:
            for port in cls.ports:
                socket.create_server((address, port)).close()
        except OSError:
            return False
        return True

    def address(self, number):
        return f"127.77.{self.number}.{number}"

    def start(self, directory):
        pass

    def attach(self, number, supervisor):
        pass

    def machine_command(self, words):
        """The words that start a new machine with this program on it."""
        return words

    def files_command(self, words):
        """The words that run a program which sees the nodes' disks."""
        return words

    def client_command(self, words, beside=None):
        return words

    def call(self, function, *arguments):
        """Calls a function that connects to nodes."""
        return function(*arguments)

    def stop(self):
        self.claim.close()


class Namespaces:
    """A network namespace for each node, and one with a bridge, which clients are in."""

    name = "namespaces"
    isolates = True
    ports = Ports(postgres=5432, etcd=2379, peer=2380, rest=8008)
    range = "10.77.0.0/24"

    # Frames from and to a port of the bridge, between nodes and between nodes and clients. A set
    # holds those that are dropped.
    RULES = """
        table bridge skyros {
            set from_node { type ifname; }
            set to_node { type ifname; }
            set from_node_to_clients { type ifname; }
            set from_clients_to_node { type ifname; }
            chain between_nodes {
                type filter hook forward priority 0;
                iifname @from_node drop
                oifname @to_node drop
            }
            chain to_clients {
                type filter hook input priority 0;
                iifname @from_node_to_clients drop
            }
            chain from_clients {
                type filter hook output priority 0;
                oifname @from_clients_to_node drop
            }
        }
        """

    def __init__(self):
        if os.getuid() != 0:
            raise PermissionError("network namespaces need root; use the placement loopback")
        self.hub = None
        self.machines = {}
        self.threads = None

    def address(self, number):
        return f"10.77.0.{number}"

    def start(self, directory):
        # It waits for the end of its input, so it ends with the harness.
        self.hub = subprocess.Popen(
            ["unshare", "--net", "--mount", "--propagation", "private", "sh", "-c",
             "echo ready && exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/",
            start_new_session=True)
        if self.hub.stdout.readline() != "ready\n":
            raise Failure("unshare cannot make namespaces")
        self._configure(f"""
            link set lo up
            link add bridge type bridge
            address add {self.address(254)}/24 dev bridge
            link set bridge up
            """)
        run(self._enter(self.hub.pid, "net", ["nft", "-f", "-"]), input=self.RULES)
        # One thread is in the namespace. Sockets stay in the one in which they were made.
        self.threads = concurrent.futures.ThreadPoolExecutor(1, initializer=self._join)

    def _join(self):
        with open(f"/proc/{self.hub.pid}/ns/net", "rb") as file:
            if LIBC.setns(file.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "cannot enter the network namespace")

    @staticmethod
    def _enter(pid, kind, words):
        return ["nsenter", f"--target={pid}", f"--{kind}", "--", *words]

    def _configure(self, lines, pid=None):
        run(self._enter(pid or self.hub.pid, "net", ["ip", "-batch", "-"]), input=lines)

    def attach(self, number, supervisor):
        """Connects a machine, whose supervisor runs, to the bridge."""
        self.machines[number] = supervisor
        self._configure(f"""
            link add {self.port(number)} type veth peer name eth0 netns {supervisor}
            link set {self.port(number)} master bridge up
            """)
        self._configure(f"""
            link set lo up
            address add {self.address(number)}/24 dev eth0
            link set eth0 up
            """, supervisor)

    @staticmethod
    def port(number):
        return f"node{number}"

    def machine_command(self, words):
        return ["nsenter", f"--target={self.hub.pid}", "--net", "--mount", "--",
                "unshare", "--net", "--", *words]

    def files_command(self, words):
        return self._enter(self.hub.pid, "mount", words)

    def client_command(self, words, beside=None):
        """The words that run a client in the cluster's network: on another machine, or on the
        machine of a node, with which it is cut off."""
        return self._enter(self.machines[beside] if beside else self.hub.pid, "net", words)

    def call(self, function, *arguments):
        return self.threads.submit(function, *arguments).result()

    # MARK: Faults

    def set_link(self, number, is_up):
        self._configure(f"link set {self.port(number)} {'up' if is_up else 'down'}\n")

    def drop(self, number, sets):
        """Drops frames from or to a node; see RULES."""
        for name in sets:
            self._nft(f'add element bridge skyros {name} {{ "{self.port(number)}" }}')

    def heal(self, number):
        self.set_link(number, True)
        # An element that is added twice is one, so each can be removed.
        for name in ("from_node", "to_node", "from_node_to_clients", "from_clients_to_node"):
            element = f'element bridge skyros {name} {{ "{self.port(number)}" }}'
            self._nft(f"add {element}; delete {element}")

    def _nft(self, text):
        run(self._enter(self.hub.pid, "net", ["nft", text]))

    def mount(self, directory, mebibytes):
        """Mounts a small disk that only processes of the cluster see."""
        run(self.files_command(
            ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=0755", "tmpfs",
             str(pathlib.Path(directory))]))

    def stop(self):
        if self.threads:
            self.threads.shutdown()
        if self.hub:
            self.hub.stdin.close()
            self.hub.wait(timeout=30)
            self.hub.stdout.close()
