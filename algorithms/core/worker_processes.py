"""A Dask scheduler with workers in processes of this computer, below a child process that ends them.

The child runs this module. It gets the number of workers and a key by its standard input, and ends the workers when its
input ends: also if the program is killed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final

from algorithms.core.errors import ClusterError

HUNG_SECONDS: Final = 30
"""Seconds without a heartbeat after which processes of this computer are replaced; Dask's own default is 300."""
_PACKAGES: Final = Path(__file__).resolve().parents[2]


def silence_dask() -> None:
    """Turn off Dask's own messages on standard error; the program tells the user what matters."""
    logging = dict.fromkeys(("distributed", "distributed.client", "tornado", "tornado.application"), "critical")
    config: Any = import_module("dask.config")
    config.set({"logging": logging})
    versions: Any = import_module("distributed.versions")
    warnings.filterwarnings("ignore", category=versions.VersionMismatchWarning)


@contextmanager
def processes_of_this_computer(n: int) -> Iterator[tuple[str, Any]]:
    """Context manager: a scheduler with n workers in processes of this computer; its address and security.

    They run below a child process, which ends them when its input ends: also if this program is killed.
    """
    security: Any = import_module("distributed").Security.temporary()
    with tempfile.TemporaryFile() as complaints:
        child = _started(complaints)
        try:
            assert child.stdin is not None and child.stdout is not None
            request = {"n": n, "certificate": security.tls_ca_file, "key": security.tls_client_key}
            with suppress(OSError):  # if the child has ended already, reading its output tells
                child.stdin.write(json.dumps(request).encode() + b"\n")
                child.stdin.flush()
            line = child.stdout.readline()
            if not line.endswith(b"\n"):
                complaints.seek(0)
                why = complaints.read().decode(errors="replace").strip().rpartition("\n")[2]
                raise ClusterError(f"The worker processes could not be started: {why or 'no reason was given'}.")
            yield json.loads(line)["address"], security
        finally:
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def _started(complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    paths = [str(_PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW
    try:
        return subprocess.Popen(
            [sys.executable or "python", "-P", "-m", "algorithms.core.worker_processes"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            start_new_session=True,  # Ctrl-C in the terminal is for this program, which asks the workers to stop
            creationflags=flags,
        )
    except OSError as error:
        raise ClusterError(f"The worker processes could not be started: {error.strerror or error}.") from error


def serve_processes() -> None:
    """Answer the request on standard input with the address of a scheduler; end it and its workers with the input."""
    request = json.loads(sys.stdin.buffer.readline())
    silence_dask()
    config: Any = import_module("dask.config")
    distributed: Any = import_module("distributed")
    nothing = {"target": False, "spill": False, "pause": False}  # no files of pickled data, else a pause may never end
    config.set({"distributed.worker.memory": {**config.get("distributed.worker.memory"), **nothing}})
    config.set({"distributed.worker.http.routes": [], "distributed.scheduler.http.routes": []})
    if config.get("distributed.scheduler.worker-ttl") == "5 minutes":
        config.set({"distributed.scheduler.worker-ttl": f"{HUNG_SECONDS}s"})
    certificate, key = request["certificate"], request["key"]
    roles = ("client", "scheduler", "worker")
    own = {f"tls_{role}_{kind}": text for role in roles for kind, text in (("cert", certificate), ("key", key))}
    security = distributed.Security(require_encryption=True, tls_ca_file=certificate, **own)
    with (
        tempfile.TemporaryDirectory(prefix="coppice-workers-") as folder,
        distributed.LocalCluster(
            n_workers=request["n"],
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            security=security,
            local_directory=folder,
            silence_logs=False,
        ) as cluster,
    ):
        sys.stdout.buffer.write(json.dumps({"address": cluster.scheduler_address}).encode() + b"\n")
        sys.stdout.buffer.flush()
        sys.stdin.buffer.read()


if __name__ == "__main__":
    serve_processes()
