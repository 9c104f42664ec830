"""Measures stores on one PostgreSQL server and on a cluster of three, beside libpq alone.

    Tests/Cluster/benchmark.py PROGRAM [OPTIONS]

PROGRAM is the benchmark of a build with the trait Postgres; the options are for it, `--cluster`
among them. `scripts/benchmark --cluster` calls this. All servers are on this machine.
"""

import signal
import subprocess
import sys

from cluster import Cluster
from one_server import one_server


def main(program, *options):
    # The servers are ended after this signal too, by the error that it throws.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with one_server() as one, Cluster("loopback") as cluster:
        cluster.wait_until_ready()
        words = [program, "--one", one, "--three", cluster.url(), *options]
        return subprocess.run(["setpriv", "--pdeathsig", "KILL", "--", *words]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
