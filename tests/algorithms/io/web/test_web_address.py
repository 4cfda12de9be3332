"""Files on the web are fetched over https or, if allowed, http, and read as any file is."""

from __future__ import annotations

import io
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from algorithms.cli import main
from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.io.reading import ReadOptions, read, sniff
from algorithms.io.servers import is_web_address, source_name
from algorithms.io.web import web_address
from tests.expected_texts import io as wording
from tests.waiting import PATIENCE

TABLE = "size,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(60))
ALLOWED = ReadOptions(allows_http=True)


class Answers(BaseHTTPRequestHandler):
    """A server on this machine whose paths say what it does."""

    released, holds, gave_up = threading.Event(), threading.Event(), threading.Event()
    """To let go of a connection; it holds one; it let go of one that nobody released."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", path.removeprefix("/to/"))
            self.end_headers()
            return
        if path == "/bare":  # as servers do that speak HTTP/2
            self.wfile.write(b"HTTP/1.0 404 \r\n\r\n")
            return
        if path in ("/404", "/403"):
            self.send_error(int(path[1:]))
            return
        body = TABLE.encode()
        self.send_response(200)
        if path != "/unknown-length.csv":
            self.send_header("Content-Length", str(len(body) + (100 if path == "/cut.csv" else 0)))
        self.end_headers()
        self.wfile.write(body)
        if path == "/slow.csv" or path == "/unknown-length.csv":
            self.wfile.flush()
        if path == "/cut.csv" and "wait" in self.path:
            self.holds.set()
            if not self.released.wait(10):
                self.gave_up.set()

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of the server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        Answers.released.set()
        running.shutdown()
        thread.join()


def test_addresses_are_told_from_paths_and_databases() -> None:
    assert is_web_address("https://example.org/a.csv") and is_web_address("file:///etc/passwd")
    assert not is_web_address("C:/a.csv") and not is_web_address("postgresql://host/db") and not is_web_address("a.csv")
    assert source_name("https://example.org/x/my%20table.csv?token=1") == wording.MY_TABLE_CSV


@pytest.mark.parametrize("path", ["/table.csv", "/unknown-length.csv", "/to//table.csv"])
def test_a_table_is_fetched_and_keeps_its_address(server: str, path: str) -> None:
    data = read(server + path, RunContext(), ALLOWED)
    assert len(data) == 60 and data.schema.names == ("size", "class")
    assert data.origin.path == server + path and "coppice" not in data.origin.name
    assert sniff(server + path, ALLOWED).delimiter == ","


def test_progress_is_the_share_of_bytes(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, context = list[float | None](), RunContext()
    advance = context.advance

    def noted(done: int, total: int | None = None) -> None:
        advance(done, total)
        seen.append(context.progress())

    monkeypatch.setattr(web_address, "PIECE", 100)
    monkeypatch.setattr(context, "advance", noted)
    with web_address.fetched(f"{server}/table.csv", context, allows_http=True) as path:
        assert path.read_text() == TABLE and path.name == "table.csv"
    assert len(seen) > 3 and seen == sorted(filter(None, seen)) and seen[-1] == 1.0
    assert not path.exists()


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9/a.csv",
        "file:///etc/passwd",
        "ftp://127.0.0.1/a.csv",
        "data://text,a",
        "https://ada:geheim@127.0.0.1/a.csv",
        "https://",
        "https://[x/a.csv",
    ],
)
def test_other_addresses_than_https_are_refused(address: str) -> None:
    with pytest.raises(DataError) as caught:
        read(address, RunContext())
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/a.csv", "https://a:geheim@127.0.0.1/a", "https://[::1"]
)
def test_a_server_may_not_lead_elsewhere(server: str, target: str) -> None:
    with pytest.raises(DataError):
        read(f"{server}/to/{target}", RunContext(), ALLOWED)


def test_a_redirect_from_https_to_http_is_refused() -> None:
    redirects: Any = web_address._Redirects(allows_http=False)
    with pytest.raises(DataError, match=wording.REDIRECTS_WITHOUT_ENCRYPTION):
        redirects.redirect_request(None, io.BytesIO(), 302, "", None, "http://example.org/a.csv")


def test_a_certificate_that_is_not_trusted_is_refused(server: str) -> None:
    with pytest.raises(DataError, match=wording.DOES_NOT_GIVE_THE_FILE):
        read(server.replace("http:", "https:") + "/table.csv", RunContext())
    assert ssl.create_default_context().verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize("path", ["/404", "/403", "/cut.csv"])
def test_what_a_server_does_not_give_is_said(server: str, path: str) -> None:
    with pytest.raises(DataError) as caught:
        read(server + path, RunContext(), ALLOWED)
    assert path.strip("/").partition(".")[0] in str(caught.value) and caught.value.remedy


def test_a_refusal_without_words_is_said(server: str) -> None:
    with pytest.raises(DataError, match="404"):
        read(f"{server}/bare", RunContext(), ALLOWED)


@pytest.mark.parametrize("path", ["/Größe der Blätter.csv", f"/{'€' * 120}.csv", "/a.csv?q=ä b#part"])
def test_an_address_may_have_any_letters(server: str, path: str) -> None:
    assert len(read(server + path, RunContext(), ALLOWED)) == 60


@pytest.mark.parametrize("path", ["/table.csv", "/unknown-length.csv"])
def test_what_is_too_large_is_refused(server: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_address, "LARGEST", 100)
    monkeypatch.setattr(web_address, "PIECE", 50)
    with pytest.raises(DataError, match=wording.ARE_FETCHED):
        read(server + path, RunContext(), ALLOWED)


def test_a_stop_ends_the_connection(server: str) -> None:
    context = RunContext()
    stopping = threading.Thread(target=lambda: Answers.holds.wait(PATIENCE) and context.cancel())
    stopping.start()
    with pytest.raises(Cancelled):
        read(f"{server}/cut.csv?wait", context, ALLOWED)
    assert Answers.holds.is_set() and not Answers.gave_up.is_set(), "it did not wait for the server"
    stopping.join()


def test_the_command_line_reads_a_web_address(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["evaluate", f"{server}/table.csv", "--learner", "zero-r"]
    assert main(arguments) == 1
    assert wording.WITHOUT_ENCRYPTION in capsys.readouterr().err
    assert main([*arguments, "--http"]) == 0
