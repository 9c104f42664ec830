"""A PostgreSQL server on this machine, in a temporary directory, with its default settings.

    Tests/Cluster/one_server.py WORDS    runs a program beside it, whose URL is in SKYROS_TEST_LOG

It listens on a socket in its directory, and ends with the program.
"""

import contextlib
import getpass
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile

from network import run
from node import PROGRAMS


@contextlib.contextmanager
def one_server():
    """Starts the server, and gives its URL."""
    is_root = os.getuid() == 0
    user = "postgres" if is_root else getpass.getuser()
    with tempfile.TemporaryDirectory(prefix="skyros-server-") as name:
        directory = pathlib.Path(name)
        if is_root:
            shutil.chown(directory, user, pwd.getpwnam(user).pw_gid)
        data = directory / "data"

        def call(seconds_max, program, *arguments):
            words = [str(PROGRAMS / program), *map(str, arguments)]
            if is_root:
                words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--",
                         *words]
            run(words, seconds_max)
        call(120, "initdb", "-D", data, "-U", "skyros", "-A", "trust", "--no-sync")
        settings = f"-c listen_addresses='' -c unix_socket_directories={directory}"
        call(60, "pg_ctl", "-D", data, "-l", directory / "log", "-w", "-o", settings, "start")
        try:
            yield f"postgresql://skyros@/postgres?host={directory}"
        finally:
            call(60, "pg_ctl", "-D", data, "-w", "-m", "fast", "stop")


def main(*words):
    # The server is ended after this signal too, by the error that it throws.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with one_server() as url:
        environment = {**os.environ, "SKYROS_TEST_LOG": url}
        return subprocess.run(
            ["setpriv", "--pdeathsig", "KILL", "--", *words], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
