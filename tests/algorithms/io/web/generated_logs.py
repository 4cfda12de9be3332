"""Generated web logs: people who follow links with a browser, and robots of several habits.

``python -m tests.algorithms.io.web.generated_logs FILE LINES`` writes a log of so many lines.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
BROWSERS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari",
    "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
    "Mozilla/5.0 (Linux; Android 14; CUBOT KINGKONG) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0 Mobile",
)
ROBOTS = (
    "Mozilla/5.0 (compatible; ExampleBot/2.1; +http://www.example.com/bot.html)",
    "ShopSpider/1.0",
    "python-requests/2.32.3",
    "curl/8.7.1",
)
SECTIONS, PAGES, PICTURES = 12, 40, 3

Request = tuple[float, str, str, str, int, int, str, str]
"""Seconds since the beginning, address, method, path, status, bytes, referrer and agent."""


def _page(random: random.Random) -> str:
    return f"/s{random.randrange(SECTIONS)}/p{random.randrange(PAGES)}.html"


def person(start: float, random: random.Random) -> Iterator[Request]:
    """A visit of some pages, each with its pictures unless the browser has kept them."""
    address = f"10.{random.randrange(200)}.{random.randrange(250)}.{random.randrange(250)}"
    agent = random.choice(BROWSERS)
    keeps_pictures = random.random() < 0.15
    path, referrer, seconds = (
        random.choice(["/", _page(random)]),
        random.choice(["-", "https://search.example/"]),
        start,
    )
    for _ in range(1 + min(int(random.expovariate(0.25)), 30)):
        method = "POST" if random.random() < 0.05 else "GET"
        status = 404 if random.random() < 0.02 else 200
        yield seconds, address, method, path, status, random.randrange(900, 30000), referrer, agent
        here = f"https://site.example{path}"
        if not keeps_pictures:
            yield seconds + 0.2, address, "GET", "/style.css", 200, 4000, here, agent
            for number in range(random.randrange(PICTURES + 1)):
                picture = f"/img/{path.strip('/').replace('/', '-') or 'home'}-{number}.png"
                yield seconds + 0.3, address, "GET", picture, 200, random.randrange(2000, 90000), here, agent
        seconds += 4 + random.expovariate(1 / 40)
        referrer, path = here, "/" if random.random() < 0.1 else _page(random)


def robot(start: float, random: random.Random) -> Iterator[Request]:
    """A robot that fetches many pages, or few; most do not say where they come from, some fetch pictures."""
    address = f"192.0.{random.randrange(250)}.{random.randrange(250)}"
    agent = random.choice(ROBOTS)
    names_referrer, fetches_pictures = random.random() < 0.15, random.random() < 0.1
    seconds, referrer = start, "-"
    if random.random() < 0.5:
        yield seconds, address, "GET", "/robots.txt", 200, 120, "-", agent
        seconds += 1
    method = "HEAD" if random.random() < 0.2 else "GET"
    for _ in range(1 + min(int(random.expovariate(0.08)), 200)):
        path, status = (_page(random), 200) if random.random() < 0.93 else (f"/old/{random.randrange(999)}.html", 404)
        yield seconds, address, method, path, status, random.randrange(900, 30000), referrer, agent
        here = f"https://site.example{path}"
        if fetches_pictures:
            yield seconds + 0.1, address, "GET", f"/img/{random.randrange(999)}.png", 200, 5000, "-", agent
        referrer = here if names_referrer else "-"
        seconds += random.choice([0.5, 1, 2, 10])


def generated_requests(seed: int, sessions_an_hour: int = 2000, robots: float = 0.4) -> Iterator[Request]:
    """Requests without end in the order of their times."""
    draw = random.Random(seed)
    waiting: list[Request] = []
    hour = 0
    while True:
        for _ in range(sessions_an_hour):
            start = 3600 * (hour + draw.random())
            waiting.extend((robot if draw.random() < robots else person)(start, draw))
        hour += 1
        waiting.sort()
        n = next((i for i, request in enumerate(waiting) if request[0] >= 3600 * hour), len(waiting))
        yield from waiting[:n]
        waiting = waiting[n:]


def combined_line(request: Request) -> str:
    seconds, address, method, path, status, size, referrer, agent = request
    moment = (BEGIN + timedelta(seconds=int(seconds))).strftime("%d/%b/%Y:%H:%M:%S +0000")
    return f'{address} - - [{moment}] "{method} {path} HTTP/1.1" {status} {size} "{referrer}" "{agent}"\n'


def write_log(path: Path, n_lines: int, seed: int, sessions_an_hour: int = 2000) -> None:
    requests = generated_requests(seed, sessions_an_hour)
    with path.open("w", encoding="utf-8") as file:
        for _, request in zip(range(n_lines), requests, strict=False):
            file.write(combined_line(request))


if __name__ == "__main__":
    write_log(Path(sys.argv[1]), int(sys.argv[2]), seed=1, sessions_an_hour=20_000)
