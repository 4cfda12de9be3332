"""Web logs of every format become sessions, with the attributes of the textbook's case study on web robots."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zipfile
from collections import defaultdict
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.io import reading
from algorithms.io.reading import ReadOptions, read, sniff
from algorithms.io.text.text_source import TextFile
from algorithms.io.web import sessions
from algorithms.io.web.sessions import HUMAN, ROBOT, visitor_of
from algorithms.learners.trees.c45 import C45
from tests.algorithms.io.helpers import cells, kinds, refused, table, written
from tests.algorithms.io.web.generated_logs import BEGIN, Request, combined_line, generated_requests
from tests.expected_texts import io as wording

BOOK = (
    ("160.11.11.11", "10:15:21", "~kumar", "-"),
    ("160.11.11.11", "10:15:34", "~kumar/MINDS", "http://www.cs.umn.edu/~kumar"),
    ("160.11.11.11", "10:15:41", "~kumar/MINDS/MINDS_papers.htm", "http://www.cs.umn.edu/~kumar/MINDS"),
    ("160.11.11.11", "10:16:11", "~kumar/papers/papers.html", "http://www.cs.umn.edu/~kumar"),
    ("35.9.2.2", "10:16:15", "~steinbac", "-"),
)
BOOK_LOG = "".join(
    f'{address} - - [08/Aug/2004:{clock} -0500] "GET http://www.cs.umn.edu/{page} HTTP/1.1" 200 6424 "{referrer}" '
    '"Mozilla/4.0 (compatible; MSIE 6.0)"\n'
    for address, clock, page, referrer in BOOK
)
SECONDS = "total time (s)"
FIREWALL = "#Fields: date time action src-ip\n2026-01-01 00:00:00 DROP 1.1.1.1\n"
OTHER_JSON = '{"a": 1, "status": 200}\n' * 3
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) Firefox/127.0"
SOME = tuple(islice(generated_requests(seed=3, sessions_an_hour=60), 3000))


def log_of(requests: tuple[Request, ...]) -> str:
    return "".join(map(combined_line, requests))


def values(data: Dataset, *leaving_out: str) -> dict[str, list[object]]:
    return {name: cells(data, name) for name in data.schema.names if name not in leaving_out}


def request(seconds: float, path: str = "/", address: str = "10.0.0.1", agent: str = BROWSER, referrer: str = "-",
            method: str = "GET", status: int = 200) -> str:  # fmt: skip
    return combined_line((seconds, address, method, path, status, 100, referrer, agent))


def test_the_first_session_of_the_book_has_depth_two_and_breadth_two(tmp_path: Path) -> None:
    data = table(tmp_path, BOOK_LOG, name="access.log")
    assert cells(data, "address") == ["160.11.11.11", "35.9.2.2"]
    assert cells(data, "depth") == [2, 0] and cells(data, "breadth") == [2, 1]
    assert cells(data, "total pages") == [4, 1] and cells(data, SECONDS) == [50, 0]
    assert cells(data, "start")[0] == 1091978121 - 5 * 3600  # 10:15:21 where the log was written
    assert data.schema.class_attribute.name == "visitor" and cells(data, "visitor") == [HUMAN, HUMAN]


def reckoned(requests: list[Request], pause: float) -> dict[tuple[str, str, int], dict[str, float]]:
    """Plain twin: what the requests of each session have in common, by address, agent and second of the beginning."""
    by_visitor: dict[tuple[str, str], list[Request]] = defaultdict(list)
    for one in requests:
        by_visitor[one[1], one[7]].append((float(int(one[0])), *one[1:]))
    found = {}
    for visitor, visits in by_visitor.items():
        visits.sort(key=lambda one: one[0])
        groups = [[visits[0]]]
        for before, one in pairwise(visits):
            if one[0] - before[0] > pause:
                groups.append([])
            groups[-1].append(one)
        for group in groups:
            found[(*visitor, int(group[0][0]))] = described(group)
    return found


def described(group: list[Request]) -> dict[str, float]:
    levels: dict[str, int] = {}
    seen, repeated = set(), 0
    for _, _, _, path, _, _, referrer, _ in group:
        repeated += path in seen
        if path not in seen and not path.endswith((".png", ".css")):
            above = levels.get(referrer.removeprefix("https://site.example"))
            levels[path] = 0 if not levels else 1 if above is None else above + 1
        seen.add(path)
    n, seconds = len(group), group[-1][0] - group[0][0]
    methods, depths = [one[2] for one in group], list(levels.values())

    def share(count: int) -> float:
        return 100 * count / n

    return {
        "total pages": n,
        "image pages": sum(one[3].endswith(".png") for one in group),
        "total time (s)": seconds,
        "repeated access (%)": share(repeated),
        "errors": sum(one[4] >= 400 for one in group),
        "GET (%)": share(methods.count("GET")),
        "POST (%)": share(methods.count("POST")),
        "HEAD (%)": share(methods.count("HEAD")),
        "breadth": max(map(depths.count, depths), default=0),
        "depth": max(depths, default=0),
        "bytes": sum(one[5] for one in group),
        "no referrer (%)": share(sum(one[6] == "-" for one in group)),
        "night (%)": share(sum(one[0] % 86400 < 6 * 3600 for one in group)),
        "requests a minute": 60 * (n - 1) / max(seconds, 1) if n > 1 else np.nan,
    }


@pytest.mark.parametrize("minutes", [2, 30])
def test_every_attribute_is_that_of_a_plain_twin(tmp_path: Path, minutes: float) -> None:
    data = table(tmp_path, log_of(SOME), ReadOptions(timeout=minutes), name="access.log")
    twin = reckoned(list(SOME), 60 * minutes)
    begin = BEGIN.timestamp()
    starts = data.column(data.schema.index_of("start")) - begin
    keys = [
        (str(address), str(agent), int(start))
        for address, agent, start in zip(cells(data, "address"), cells(data, "agent"), starts, strict=True)
    ]
    assert len(keys) == len(twin) and set(keys) == set(twin)
    for name in next(iter(twin.values())):
        expected = np.array([twin[key][name] for key in keys])
        np.testing.assert_allclose(data.column(data.schema.index_of(name)), expected, rtol=1e-12, err_msg=name)
    assert np.array_equal(np.array(cells(data, "robots.txt")) == "yes", robots_asked(keys, minutes))


def robots_asked(keys: list[tuple[str, str, int]], minutes: float) -> list[bool]:
    """Whether a request for /robots.txt falls into each session; only its first request is one here."""
    first = {(one[1], one[7], int(one[0])) for one in SOME if one[3] == "/robots.txt"}
    return [key in first for key in keys]


def common(one: Request) -> str:
    return combined_line(one).rsplit(' "', 2)[0] + "\n"


def with_host(one: Request) -> str:
    return f"www.site.example:443 {combined_line(one)}"


def nginx(one: Request) -> str:
    seconds, address, method, path, status, size, referrer, agent = one
    entry = {"time_iso8601": moment(seconds), "remote_addr": address, "request": f"{method} {path} HTTP/2.0"}
    return (
        json.dumps(
            {
                **entry,
                "status": str(status),
                "body_bytes_sent": size,
                "http_referer": referrer,
                "http_user_agent": agent,
            }
        )
        + "\n"
    )


def caddy(one: Request) -> str:
    seconds, address, method, path, status, size, referrer, agent = one
    headers = {"Accept": ["*/*", "q"], "User-Agent": [agent], **({"Referer": [referrer]} if referrer != "-" else {})}
    inner = {"remote_ip": "127.0.0.1", "client_ip": address, "method": method, "uri": path, "headers": headers}
    entry = {"level": "info", "ts": BEGIN.timestamp() + int(seconds), "msg": "handled request", "request": inner}
    return json.dumps({**entry, "size": size, "status": status, "resp_headers": {"Server": ["Caddy"]}}) + "\n"


def traefik(one: Request) -> str:
    seconds, address, method, path, status, size, referrer, agent = one
    entry = {"ClientAddr": f"{address}:4711", "ClientHost": address, "DownstreamContentSize": size}
    where = {"DownstreamStatus": status, "RequestMethod": method, "RequestPath": path, "OriginStatus": 0}
    sent = {"StartUTC": moment(seconds).replace("+00:00", ".123456789Z"), "request_User-Agent": agent}
    return json.dumps({**entry, **where, **sent, "request_Referer": referrer, "time": moment(seconds)}) + "\n"


def moment(seconds: float) -> str:
    return str(np.datetime64(int(BEGIN.timestamp()) + int(seconds), "s")) + "+00:00"


IIS_FIELDS = "date time s-ip cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) cs(Referer) sc-status sc-bytes"


def iis(one: Request) -> str:
    seconds, address, method, path, status, size, referrer, agent = one
    day, clock = moment(seconds)[:19].split("T")
    agent = agent.replace(" ", "+")
    return f"{day} {clock} 10.1.1.1 {method} {path} - {address} {agent} {referrer} {status} {size}\r\n"


def cloudfront(one: Request) -> str:
    seconds, address, method, path, status, size, referrer, agent = one
    day, clock = moment(seconds)[:19].split("T")
    agent = agent.replace(" ", "%20")
    return "\t".join([day, clock, "FRA1", str(size), address, method, path, str(status), referrer, agent, "-"]) + "\n"


CLOUDFRONT_FIELDS = (
    "date time x-edge-location sc-bytes c-ip cs-method cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query"
)


@pytest.mark.parametrize(
    ("write", "head"),
    [
        (with_host, ""),
        (nginx, ""),
        (caddy, ""),
        (traefik, ""),
        (iis, f"\ufeff#Software: IIS\r\n#Version: 1.0\r\n#Fields: {IIS_FIELDS}\r\n"),
        (cloudfront, f"#Version: 1.0\n#Fields: {CLOUDFRONT_FIELDS}\n"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_every_format_gives_the_same_sessions(tmp_path: Path, write: object, head: str) -> None:
    assert callable(write)
    whole = table(tmp_path, log_of(SOME), name="access.log")
    other = table(tmp_path, head + "".join(map(write, SOME)), name="other.txt")
    assert other.origin.description == whole.origin.description
    if write is not traefik:
        assert values(other) == values(whole)
    rough = ("start", "total time (s)", "requests a minute")
    assert values(other, *rough) == values(whole, *rough)


@pytest.mark.parametrize("zone", ["+02:00", "+0200", "+02", " +02"])
def test_an_offset_may_lack_its_minutes(tmp_path: Path, zone: str) -> None:
    """Hours without minutes counted as UTC; the start is the local time of the log, as the night is."""
    entry = {"remote_addr": "10.0.0.1", "request": "GET / HTTP/1.1", "status": 200, "http_user_agent": BROWSER}
    lines = [json.dumps({**entry, "time_iso8601": f"2026-03-01T06:30:0{k}{zone}"}) for k in range(3)]
    data = table(tmp_path, "\n".join(lines), name="access.log")
    assert cells(data, "start") == [1772346600.0] and cells(data, "night (%)") == [0.0]


def test_common_log_format_has_no_agent_and_no_class(tmp_path: Path) -> None:
    data = table(tmp_path, "".join(map(common, SOME)), name="access.log")
    assert data.schema.class_index is None
    absent = {"agent", "multiple addresses", "multiple agents", "no referrer (%)", "visitor"}
    whole = table(tmp_path, log_of(SOME), name="whole.log")
    assert set(whole.schema.names) - set(data.schema.names) == absent


def test_lines_that_are_no_requests_are_counted_and_named(tmp_path: Path) -> None:
    bad = ["x\n", request(1).replace("01/Mar", "41/Mar"), request(1).replace(" 200 ", " OK "), "\n", "{}\n"]
    lines = [request(0), *bad, *map(request, range(2, 9)), request(9)[:30]]
    data = table(tmp_path, "".join(lines), name="access.log")
    assert cells(data, "total pages") == [8]
    assert data.origin.description == wording.SESSIONS_WITH_BAD_LINES
    only_bad = "".join([*[request(0).replace("Mar", "Mrz")] * 3])
    assert refused(tmp_path, only_bad, name="access.log").place == wording.FIRST_LINE_OF_LOG


def test_an_odd_request_is_a_request_of_another_method(tmp_path: Path) -> None:
    line = request(0).replace("GET / HTTP/1.1", "-").replace(" 200 ", " 400 ")
    escaped = request(1).replace("GET /", 'GET /\\"a b\\"')
    data = table(tmp_path, line + escaped + request(2, method="PUT"), name="access.log")
    assert cells(data, "total pages") == [3] and cells(data, "errors") == [1]
    assert cells(data, "GET (%)") == [pytest.approx(100 / 3)]


def test_the_timeout_ends_sessions_and_must_be_one(tmp_path: Path) -> None:
    log = "".join(request(60 * minute, f"/{minute}") for minute in (0, 25, 54, 85))
    assert cells(table(tmp_path, log, name="a.log"), "total pages") == [3, 1]
    assert cells(table(tmp_path, log, ReadOptions(timeout=28), name="a.log"), "total pages") == [2, 1, 1]
    assert sniff(written(tmp_path, log, "a.log")).timeout == 30
    for minutes in (0, -1, 1e9, float("nan")):
        refused(tmp_path, log, ReadOptions(timeout=minutes), name="a.log")


def test_portions_blocks_and_gzip_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_of(SOME)
    whole = table(tmp_path, log, name="access.log")
    monkeypatch.setattr(sessions, "PORTION", 300)
    monkeypatch.setattr(sessions, "BLOCK", 1 << 15)
    monkeypatch.setattr("algorithms.io.text.text_source.READ_SIZE", 1000)
    packed = table(tmp_path, gzip.compress(log.encode()), name="access.log.gz")
    assert values(packed) == values(whole) and packed.origin.description == whole.origin.description
    extended = f"#Fields: {IIS_FIELDS}\n" + "".join(map(iis, SOME))
    assert values(table(tmp_path, extended, name="iis.log")) == values(whole)


def test_sessions_end_where_too_many_requests_are_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "PORTION", 300)
    monkeypatch.setattr(sessions, "MOST_OPEN", 50)
    monkeypatch.setattr(sessions, "BLOCK", 1 << 15)
    monkeypatch.setattr("algorithms.io.text.text_source.READ_SIZE", 1000)
    data = table(tmp_path, log_of(SOME), name="access.log")
    assert sum(data.column(data.schema.index_of("total pages"))) == len(SOME)
    assert wording.ALL_SESSIONS_ENDED in data.origin.description


def test_logs_in_an_archive_are_chosen_and_read_with_the_timeout(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("first.log", BOOK_LOG)
        archive.writestr("second.log", log_of(SOME))
    options = ReadOptions(sheet="second.log", timeout=2)
    alone = table(tmp_path, log_of(SOME), ReadOptions(timeout=2), name="access.log")
    assert values(read(path, RunContext(), options)) == values(alone)
    found = sniff(path, options)
    assert (found.sheet, found.timeout) == ("second.log", 2)
    assert cells(read(path, RunContext()), "breadth") == [2, 1]


def test_fields_may_change_within_a_log(tmp_path: Path) -> None:
    n = len(SOME) // 2
    second = "#Fields: " + CLOUDFRONT_FIELDS + "\n" + "".join(map(cloudfront, SOME[n:]))
    log = f"#Fields: {IIS_FIELDS}\n" + "".join(map(iis, SOME[:n])) + "#Software: IIS\n" + second
    assert values(table(tmp_path, log, name="a.log")) == values(table(tmp_path, log_of(SOME), name="b.log"))


def test_a_very_long_line_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "BLOCK", 1 << 15)
    monkeypatch.setattr(sessions, "LONGEST_LINE", 1 << 14)
    monkeypatch.setattr("algorithms.io.text.text_source.READ_SIZE", 1000)
    log = request(0) + request(1, "/" + "a" * 200_000) + request(2)
    data = table(tmp_path, log, name="access.log")
    assert cells(data, "total pages") == [2] and data.origin.description.endswith(wording.SECOND_LINE_LEFT_OUT)


def test_lines_out_of_order_and_logs_one_after_the_other_are_put_in_order(tmp_path: Path) -> None:
    whole = table(tmp_path, log_of(SOME), name="access.log")
    shuffled = [SOME[i] for i in np.random.default_rng(1).permutation(len(SOME))]
    again = table(tmp_path, log_of(tuple(shuffled)), name="mixed.log")
    unsure = ("breadth", "depth", "repeated access (%)", "start")  # the order within a second is that of the file
    key = ("address", "total pages", "total time (s)", "bytes")
    assert sorted(zip(*(values(again, *unsure)[name] for name in key), strict=True)) == sorted(
        zip(*(values(whole, *unsure)[name] for name in key), strict=True)
    )


def test_other_addresses_of_the_network_and_other_agents_at_the_same_time_are_noticed(tmp_path: Path) -> None:
    farm = [request(i, f"/{i}", address=f"10.0.0.{1 + i % 2}", agent="FarmBot") for i in range(10)]
    several = [request(i, f"/{i}", address="10.9.0.1", agent=("A", "B")[i % 2]) for i in range(10)]
    later = [request(9000 + i, address="10.0.0.3", agent="FarmBot") for i in range(3)]
    alone = [request(i, address="10.5.0.1") for i in range(3)]
    data = table(tmp_path, "".join([*farm, *several, *alone, *later]), name="access.log")
    rows = zip(*(cells(data, name) for name in ("address", "multiple addresses", "multiple agents")), strict=True)
    assert sorted(rows) == [
        ("10.0.0.1", "yes", "no"), ("10.0.0.2", "yes", "no"), ("10.0.0.3", "no", "no"), ("10.5.0.1", "no", "no"),
        ("10.9.0.1", "no", "yes"), ("10.9.0.1", "no", "yes"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("agent", "label"),
    [
        (BROWSER, HUMAN),
        ("Mozilla/5.0 (Linux; Android 14; CUBOT KINGKONG) Chrome/125.0", HUMAN),
        ("Opera/9.80 (Windows NT 6.1)", HUMAN),
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", ROBOT),
        ("Mozilla/5.0 HeadlessChrome/126", ROBOT),
        ("python-requests/2.32", ROBOT),
        ("Wget/1.21", ROBOT),
        ("ACME reader", None),
        ("", None),
    ],
)
def test_agents_name_themselves(agent: str, label: str | None) -> None:
    assert visitor_of(agent) == label


def test_an_agent_that_names_neither_has_no_class(tmp_path: Path) -> None:
    data = table(tmp_path, request(0, agent="ACME") + request(0, address="10.0.0.2"), name="access.log")
    assert cells(data, "visitor") == [None, HUMAN]
    assert data.origin.description.endswith(wording.ONE_UNKNOWN_AGENT)
    nameless = table(tmp_path, request(0, agent="-") + request(0, address="10.0.0.2"), name="access.log")
    assert cells(nameless, "agent") == [None, BROWSER]


def test_a_tree_separates_robots_from_people(tmp_path: Path) -> None:
    log = "".join(map(combined_line, islice(generated_requests(seed=5, sessions_an_hour=400), 20_000)))
    data = table(tmp_path, log, name="access.log").labelled()
    order = np.random.default_rng(1).permutation(len(data))
    tested, trained = order[: len(data) // 3], order[len(data) // 3 :]
    context = RunContext()
    model = C45().fit(data.take(trained), context)
    accuracy = np.mean(model.predict(data.take(tested)) == data.take(tested).class_codes)
    baseline = np.bincount(data.take(tested).class_codes).max() / len(tested)
    assert len(tested) > 300 and accuracy > 0.95 > baseline + 0.25


def test_the_content_decides_what_is_a_web_log(tmp_path: Path) -> None:
    def format_of(content: str, name: str) -> object:
        with TextFile(written(tmp_path, content, name)) as source:
            return reading.format_of(source)

    assert format_of(log_of(SOME), "table.csv") is reading.WEB_LOG
    assert format_of("a,b\n1,2\n", "table.log") is reading.TEXT
    assert format_of(FIREWALL, "f.log") is reading.TEXT
    assert format_of(OTHER_JSON, "x.log") is not reading.WEB_LOG
    assert kinds(table(tmp_path, "a,b\n1.5,x\n2.5,y\n", name="t.log"))["a"] is AttributeKind.NUMERIC


def test_records_whose_status_is_none_of_http_are_no_log(tmp_path: Path) -> None:
    for states in (("ok", "bad"), (True, False), (7, 8)):
        lines = [
            json.dumps({"ip": "10.0.0.1", "date": "2026-03-01T10:00:00", "url": "/", "status": state})
            for state in states * 20
        ]
        assert len(table(tmp_path, "\n".join(lines), name="orders.jsonl")) == 40


def test_a_host_of_hexadecimal_letters_is_not_taken_for_the_address(tmp_path: Path) -> None:
    lines = [f"cafe.de:443 {request(second, address=f'10.0.{second}.1')}" for second in range(4)]
    assert len(table(tmp_path, "".join(lines), name="access.log")) == 4


def test_blank_and_short_lines_are_counted_but_take_little_memory(tmp_path: Path) -> None:
    lines = [*map(request, range(400)), "\n \r\nbad\n" * 100_000, request(400)]
    path = written(tmp_path, "".join(lines), name="access.log")
    read(path, RunContext())  # what it imports is not measured
    tracemalloc.start()
    data = read(path, RunContext())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert cells(data, "total pages") == [401] and peak < 300_000 * 100
    assert wording.LINES_LEFT_OUT_AFTER_BLANKS in data.origin.description


def test_a_given_class_and_given_kinds_hold(tmp_path: Path) -> None:
    options = ReadOptions(class_name="robots.txt", kinds={"agent": AttributeKind.NOMINAL, "absent": AttributeKind.TEXT})
    data = table(tmp_path, log_of(SOME), options, name="access.log")
    assert data.schema.class_attribute.name == "robots.txt" and kinds(data)["agent"] is AttributeKind.NOMINAL
    assert table(tmp_path, log_of(SOME), ReadOptions(class_name=""), name="a.log").schema.class_index is None


def test_reading_stops_and_shows_its_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "BLOCK", 1 << 15)
    monkeypatch.setattr("algorithms.io.text.text_source.READ_SIZE", 1000)
    path = written(tmp_path, log_of(SOME), "access.log")
    context, shares = RunContext(), list[float]()

    def stop(requests: object) -> None:
        shares.append(context.progress() or 0.0)
        if len(shares) > 3:
            context.cancel()

    monkeypatch.setattr(sessions._Gathering, "add", lambda self, part: stop(part))
    with pytest.raises(Cancelled):
        read(path, context)
    assert 0 < shares[2] < shares[3] < 0.5
