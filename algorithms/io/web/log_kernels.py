"""Compiled loops that split the lines of web logs, turn requests into numbers, and describe sessions.

A parser writes where the parts of each line lie: ``spans`` (lines, roles, 2) holds begin and end, -1 if absent.
``states`` says what a line is: ``REQUEST``, ``EMPTY`` (also a directive) or ``MALFORMED``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from algorithms.compiled.jit import called_by_loops, compiled
from algorithms.io.web.log_formats import (
    ADDRESS,
    AGENT,
    DATE,
    FALLBACK,
    LINE,
    METHOD,
    N_ROLES,
    PATH,
    QUERY,
    REFERRER,
    SIZE,
    STATUS,
    TIME,
)

EMPTY, REQUEST, MALFORMED = 0, 1, 2
IMAGE, EMBEDDED, ROBOTS, REFERRED, NIGHT, ERROR = 4, 8, 16, 32, 64, 128
"""Flags of a request. The two lowest bits are the method: GET, POST, HEAD, another one."""
OFFSET_BITS, DAY = 16, 86_400
"""The bits of a flag from ``OFFSET_BITS`` on are the seconds that local time is ahead of UTC, plus a ``DAY``."""
TOTAL, IMAGES, REPEATED, ERRORS, GET, POST, HEAD, BREADTH, DEPTH, BYTES, ROBOTS_ASKED, UNREFERRED, AT_NIGHT = range(13)
"""Columns of the table of sessions that :func:`describe` fills; all but breadth, depth and bytes are counts."""
N_ATTRIBUTES = 13
NIGHT_ENDS = 6
_OFFSET, _PRIME = -3750763034362895579, 1099511628211  # of the 64-bit hash FNV-1a


@called_by_loops
def _is_ip(data: Any, begin: int, end: int) -> bool:
    """Whether the text is an address: digits with three points, or hexadecimal digits with two colons or more."""
    points, colons, letters = 0, 0, 0
    for i in range(begin, end):
        c = data[i]
        if c == 46:
            points += 1
        elif c == 58:
            colons += 1
        elif 97 <= c <= 102 or 65 <= c <= 70:
            letters += 1
        elif not 48 <= c <= 57:
            return False
    return colons > 1 or (points == 3 and letters == 0)


@called_by_loops
def _quoted_end(data: Any, begin: int, end: int) -> int:
    """The place of the quote that closes a text from ``begin``; backslashes escape; -1 if none does."""
    i = begin
    while i < end:
        if data[i] == 92:
            i += 1
        elif data[i] == 34:
            return i
        i += 1
    return -1


@called_by_loops
def _word_end(data: Any, begin: int, end: int) -> int:
    """The end of a word: the next blank or tab."""
    i = begin
    while i < end and data[i] != 32 and data[i] != 9:
        i += 1
    return i


@called_by_loops
def _after_blanks(data: Any, begin: int, end: int) -> int:
    i = begin
    while i < end and (data[i] == 32 or data[i] == 9):
        i += 1
    return i


@called_by_loops
def _trimmed_end(data: Any, begin: int, end: int) -> int:
    while end > begin and (data[end - 1] == 13 or data[end - 1] == 32 or data[end - 1] == 9):
        end -= 1
    return end


@called_by_loops
def _common_line(data: Any, begin: int, end: int, span: Any) -> bool:
    """Whether the line is a request in Common or Combined Log Format, with or without the host in front."""
    bracket = begin
    while bracket + 4 < end and not (data[bracket] == 91 and data[bracket + 3] == 47):
        bracket += 1
    first = _word_end(data, begin, end)
    if bracket + 4 >= end or first >= bracket or first == begin:
        return False
    span[ADDRESS, 0], span[ADDRESS, 1] = begin, first
    if not _is_ip(data, begin, first):  # a host before the address?
        second = _after_blanks(data, first, bracket)
        third = _word_end(data, second, bracket)
        if third > second and _is_ip(data, second, third):
            span[ADDRESS, 0], span[ADDRESS, 1] = second, third
    close = bracket
    while close < end and data[close] != 93:
        close += 1
    span[TIME, 0], span[TIME, 1] = bracket + 1, close
    place = _after_blanks(data, close + 1, end)
    if place >= end or data[place] != 34:
        return False
    close = _quoted_end(data, place + 1, end)
    if close < 0:
        return False
    span[LINE, 0], span[LINE, 1] = place + 1, close
    for role in (STATUS, SIZE):
        place = _after_blanks(data, close + 1, end)
        close = _word_end(data, place, end)
        span[role, 0], span[role, 1] = place, close
    for role in (REFERRER, AGENT):
        place = _after_blanks(data, close, end)
        if place >= end or data[place] != 34:
            break
        close = _quoted_end(data, place + 1, end)
        if close < 0:
            break
        span[role, 0], span[role, 1] = place + 1, close
        close += 1
    return True


@compiled
def split_common(data: Any, begins: Any, ends: Any, spans: Any, states: Any) -> None:
    """Split lines in Common or Combined Log Format."""
    for i in range(len(begins)):
        begin = begins[i]
        end = _trimmed_end(data, begin, ends[i])
        states[i] = EMPTY
        if end > begin:
            states[i] = REQUEST if _common_line(data, begin, end, spans[i]) else MALFORMED


@compiled
def split_extended(data: Any, begins: Any, ends: Any, roles: Any, spans: Any, states: Any) -> None:
    """Split lines in W3C extended format; ``roles`` has the role of each field, or -1."""
    for i in range(len(begins)):
        begin = begins[i]
        end = _trimmed_end(data, begin, ends[i])
        states[i] = EMPTY
        if end == begin or data[begin] == 35:
            continue
        place, field = begin, 0
        while field < len(roles):
            place = _after_blanks(data, place, end)
            if place >= end:
                break
            quoted = data[place] == 34
            first = place + 1 if quoted else place
            place = _quoted_end(data, first, end) if quoted else _word_end(data, first, end)
            if place < 0:
                break
            if roles[field] >= 0:
                spans[i, roles[field], 0], spans[i, roles[field], 1] = first, place
            place += 1 if quoted else 0
            field += 1
        states[i] = REQUEST if field == len(roles) else MALFORMED


@called_by_loops
def _key_hash(data: Any, begin: int, end: int, above: Any) -> Any:
    """The hash of a key after that of the object around it; capitals count as small letters."""
    h = np.int64(above)
    for i in range(begin, end):
        c = np.int64(data[i])
        if 65 <= c <= 90:
            c += 32
        h = (h ^ c) * np.int64(_PRIME)
    return (h ^ np.int64(46)) * np.int64(_PRIME)


@called_by_loops
def _json_line(data: Any, begin: int, end: int, keys: Any, roles: Any, above: Any, span: Any) -> bool:
    """Whether the line is a JSON object; notes the values of known keys, of a list the first one.

    A role of ``FALLBACK`` and more counts where no other key has that role.
    """
    depth, place, is_key = 0, begin, False
    key: Any = np.int64(_OFFSET)
    while place < end:
        c = data[place]
        if c == 123 or c == 91:  # { [
            depth += 1
            if depth >= len(above):
                return False
            above[depth] = key if depth > 1 else np.int64(_OFFSET)
            is_key = c == 123
            key = above[depth] if is_key else key
            place += 1
        elif c == 125 or c == 93:  # } ]
            depth -= 1
            place += 1
            if depth <= 0:
                return depth == 0 and place == end
            key = above[depth]
        elif c == 44 or c == 58 or c == 32 or c == 9:  # , : blanks
            place += 1
        else:
            quoted = c == 34
            first = place + 1 if quoted else place
            if quoted:
                last = _quoted_end(data, first, end)
                if last < 0:
                    return False
                place = last + 1
            else:
                while place < end and not (
                    data[place] == 44 or data[place] == 125 or data[place] == 93 or data[place] == 32
                ):
                    place += 1
                last = place
                if last == first:
                    return False
            after = _after_blanks(data, place, end)
            if quoted and after < end and data[after] == 58:  # a key
                key = _key_hash(data, first, last, above[depth])
                place = after + 1
            else:
                at_key = np.searchsorted(keys, key)
                if at_key < len(keys) and keys[at_key] == key:
                    role = roles[at_key] & (FALLBACK - 1)
                    is_null = not quoted and data[first] == 110
                    if not is_null and (span[role, 0] < 0 or roles[at_key] < FALLBACK):
                        span[role, 0], span[role, 1] = first, last
                key = np.int64(0)
    return False


@compiled
def split_json(data: Any, begins: Any, ends: Any, keys: Any, roles: Any, spans: Any, states: Any) -> None:
    """Split lines of JSON; ``keys`` are ascending hashes of keys with their ``roles`` (:func:`hash_keys`)."""
    above = np.zeros(64, dtype=np.int64)
    for i in range(len(begins)):
        begin = _after_blanks(data, begins[i], ends[i])
        end = _trimmed_end(data, begin, ends[i])
        states[i] = EMPTY
        if end > begin:
            whole = data[begin] == 123 and _json_line(data, begin, end, keys, roles, above, spans[i])
            states[i] = REQUEST if whole else MALFORMED


@compiled
def hash_keys(data: Any, begins: Any, ends: Any, hashes: Any) -> None:
    """The hashes of keys; a key within an object is written "request.method"."""
    for i in range(len(begins)):
        hashes[i] = _key_hash(data, begins[i], ends[i], np.int64(_OFFSET))


@called_by_loops
def _digits(data: Any, begin: int, end: int) -> int:
    """The number of these digits; -1 if there is another character, none, or more than 18."""
    if end <= begin or end - begin > 18:
        return -1
    value = 0
    for i in range(begin, end):
        c = data[i]
        if not 48 <= c <= 57:
            return -1
        value = 10 * value + (c - 48)
    return value


@called_by_loops
def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a day of the Gregorian calendar."""
    y = year - 1 if month <= 2 else year
    m = month + 9 if month <= 2 else month - 3
    return 365 * y + y // 4 - y // 100 + y // 400 + (153 * m + 2) // 5 + day - 719469


@called_by_loops
def _month(data: Any, begin: int) -> int:
    """The month of an English name of three letters; 0 if it is none."""
    code = ((data[begin] | 32) << 16) | ((data[begin + 1] | 32) << 8) | (data[begin + 2] | 32)
    names = (
        6971758, 6710626, 7168370, 6385778, 7168377, 6976878, 6976876, 6387047, 7562608, 7299956, 7237494, 6579555,
    )  # fmt: skip
    for i in range(12):
        if names[i] == code:
            return i + 1
    return 0


@called_by_loops
def _zone(data: Any, begin: int, end: int) -> int:
    """Seconds east of Greenwich of "+0200", "-07:00", "+02", "Z" or nothing."""
    place = _after_blanks(data, begin, end)
    if end - place < 3 or (data[place] != 43 and data[place] != 45):
        return 0
    hours = _digits(data, place + 1, place + 3)
    minutes = _digits(data, end - 2, end) if end - place >= 5 else 0
    if hours < 0 or minutes < 0:
        return 0
    seconds = 3600 * hours + 60 * minutes
    return -seconds if data[place] == 45 else seconds


@called_by_loops
def _clock(data: Any, begin: int, end: int) -> tuple[float, int]:
    """The seconds since midnight of "13:55:36.5" and the place after it; -1 if it is none."""
    if end - begin < 8 or data[begin + 2] != 58 or data[begin + 5] != 58:
        return -1.0, begin
    hour = _digits(data, begin, begin + 2)
    minute = _digits(data, begin + 3, begin + 5)
    second = _digits(data, begin + 6, begin + 8)
    if hour < 0 or hour > 24 or minute < 0 or minute > 59 or second < 0 or second > 60:
        return -1.0, begin
    seconds, place = 3600.0 * hour + 60.0 * minute + second, begin + 8
    if place < end and (data[place] == 46 or data[place] == 44):
        place, scale = place + 1, 0.1
        while place < end and 48 <= data[place] <= 57:
            seconds += scale * (data[place] - 48)
            scale *= 0.1
            place += 1
    return seconds, place


@called_by_loops
def _epoch(data: Any, begin: int, end: int) -> float:
    """The seconds since 1970 of a number in seconds, milli-, micro- or nanoseconds, also as 1.7e9; NaN if none."""
    value, scale, is_fraction, exponent, i = 0.0, 0.1, False, 0, begin
    if end - begin > 40:
        return np.nan
    while i < end:
        c = data[i]
        if 48 <= c <= 57:
            value = value + scale * (c - 48) if is_fraction else 10.0 * value + (c - 48)
            scale = 0.1 * scale if is_fraction else scale
        elif c == 46 and not is_fraction:
            is_fraction = True
        elif (c == 101 or c == 69) and i + 1 < end and i > begin:
            exponent = _digits(data, i + 2 if data[i + 1] == 43 else i + 1, end)
            if exponent < 0 or exponent > 20:
                return np.nan
            break
        else:
            return np.nan
        i += 1
    for _ in range(exponent):
        value *= 10.0
    while value > 2e11:
        value *= 1e-3
    return value


@called_by_loops
def _moment(data: Any, span: Any) -> tuple[float, int]:
    """Seconds since 1970 UTC and the offset of the local time; NaN if the time cannot be read."""
    begin, end = span[TIME, 0], span[TIME, 1]
    date, day_ends, offset = begin, end, 0
    if span[DATE, 0] >= 0:
        date, day_ends = span[DATE, 0], span[DATE, 1]
    if begin < 0 or day_ends - date < 10:
        return np.nan, 0
    if data[date + 2] == 47:  # 10/Oct/2000:13:55:36 -0700
        if day_ends - date < 20:
            return np.nan, 0
        year, month, day = _digits(data, date + 7, date + 11), _month(data, date + 3), _digits(data, date, date + 2)
        place = date + 12
    elif data[date + 4] == 45 and data[date + 7] == 45:  # 2000-10-10T13:55:36-07:00
        year, month = _digits(data, date, date + 4), _digits(data, date + 5, date + 7)
        day = _digits(data, date + 8, date + 10)
        place = begin if span[DATE, 0] >= 0 else date + 11
    else:
        return _epoch(data, begin, end), 0
    seconds, place = _clock(data, place, end)
    if year < 1970 or month < 1 or month > 12 or day < 1 or day > 31 or seconds < 0.0:
        return np.nan, 0
    offset = _zone(data, place, end)
    return 86400.0 * _days(year, month, day) + seconds - offset, offset


@called_by_loops
def _text_hash(data: Any, begin: int, end: int) -> Any:
    h = np.int64(_OFFSET)
    for i in range(begin, end):
        h = (h ^ np.int64(data[i])) * np.int64(_PRIME)
    return h ^ (h >> np.int64(29))


@called_by_loops
def _path_begin(data: Any, begin: int, end: int) -> int:
    """Where the path of an address begins, after "https://host"."""
    i, colon = begin, -1
    while i < end and i - begin < 12:
        if data[i] == 47:
            break
        if data[i] == 58:
            colon = i
            break
        i += 1
    if colon < 0:
        return begin
    i = colon + 1
    slashes = 0
    while i < end and slashes < 3:
        slashes += data[i] == 47
        if slashes < 3:
            i += 1
    return i


@called_by_loops
def _page_end(data: Any, begin: int, end: int) -> int:
    """Where an address ends without its fragment."""
    i = begin
    while i < end and data[i] != 35:
        i += 1
    return i


@called_by_loops
def _page(data: Any, begin: int, end: int, query_begin: int, query_end: int) -> Any:
    """The hash of path and query; a slash at the end of the path does not count."""
    if query_begin < 0:
        query_begin = begin
        while query_begin < end and data[query_begin] != 63:
            query_begin += 1
        query_end = end
        end = query_begin
        query_begin = min(query_begin + 1, query_end)
    while end > begin and data[end - 1] == 47:
        end -= 1
    h = np.int64(_OFFSET)
    for i in range(begin, end):
        c = data[i]
        if c == 92 and i + 1 < end and data[i + 1] == 47:  # JSON may write a slash so
            continue
        h = (h ^ np.int64(c)) * np.int64(_PRIME)
    if query_end > query_begin and not (query_end - query_begin == 1 and data[query_begin] == 45):
        h = (h ^ np.int64(63)) * np.int64(_PRIME)
        for i in range(query_begin, query_end):
            h = (h ^ np.int64(data[i])) * np.int64(_PRIME)
    h ^= h >> np.int64(29)
    return h if h != 0 else np.int64(1)


@called_by_loops
def _extension(data: Any, begin: int, end: int) -> Any:
    """The extension of a path as a number, 0 if it has none of 1 to 5 characters."""
    code: Any = np.int64(0)
    shift, i = 0, end - 1
    while i >= begin and shift <= 40:
        c = np.int64(data[i])
        if c == 46:
            return code
        if 65 <= c <= 90:
            c += 32
        if not (97 <= c <= 122 or 48 <= c <= 57):
            return 0
        code |= c << shift
        shift += 8
        i -= 1
    return 0


@called_by_loops
def _method(data: Any, begin: int, end: int) -> int:
    n = end - begin
    if n == 3 and data[begin] == 71 and data[begin + 1] == 69:
        return 0
    if n == 4 and data[begin] == 80 and data[begin + 1] == 79:
        return 1
    return 2 if n == 4 and data[begin] == 72 else 3


@called_by_loops
def _split_line(data: Any, span: Any) -> None:
    """Split "GET /page HTTP/1.1" into method and path, unless the line has them."""
    begin, end = span[LINE, 0], span[LINE, 1]
    first = _word_end(data, begin, end)
    last = end
    while last > first and data[last - 1] != 32:
        last -= 1
    path = _after_blanks(data, first, end)
    last = last - 1 if last - 1 > path and end - last >= 4 and data[last] == 72 else end
    span[METHOD, 0], span[METHOD, 1] = begin, first
    span[PATH, 0], span[PATH, 1] = min(path, last), last


@called_by_loops
def _is_absent(data: Any, begin: int, end: int) -> bool:
    """Whether a part is absent, empty or "-"."""
    return begin < 0 or end <= begin or (end - begin == 1 and data[begin] == 45)


@called_by_loops
def _without_port(data: Any, span: Any) -> None:
    """Shorten an address to what stands before its port or within its brackets."""
    begin, end = span[ADDRESS, 0], span[ADDRESS, 1]
    colons, colon, bracket = 0, end, end
    for i in range(begin, end):
        if data[i] == 58:
            colons, colon = colons + 1, i
        elif data[i] == 93:
            bracket = i
    if begin < end and data[begin] == 91:
        span[ADDRESS, 0], span[ADDRESS, 1] = begin + 1, max(bracket, begin + 1)
    elif colons == 1:
        span[ADDRESS, 1] = colon


@compiled
def digest(data: Any, images: Any, embedded: Any, robots: Any, spans: Any, states: Any, keys: Any, times: Any,
           sizes: Any, flags: Any) -> int:  # fmt: skip
    """Turn the parts of each request into numbers; returns how many requests there are.

    They fill the first rows of ``keys`` (address, agent, page, referrer as hashes, 0 for no referrer; number of the
    line), ``times``, ``sizes`` and ``flags``. ``images`` and ``embedded`` are file extensions as numbers, ``robots``
    the bytes of "/robots.txt". A line without address, time, path or status becomes malformed.
    """
    n = 0
    for i in range(len(states)):
        if states[i] != REQUEST:
            continue
        span = spans[i]
        if span[LINE, 0] >= 0 and span[PATH, 0] < 0:
            _split_line(data, span)
        if span[ADDRESS, 0] >= 0:
            _without_port(data, span)
        time, offset = _moment(data, span)
        status = _digits(data, span[STATUS, 0], span[STATUS, 1]) if span[STATUS, 0] >= 0 else -1
        is_whole = span[PATH, 0] >= 0 and span[ADDRESS, 1] > span[ADDRESS, 0] >= 0
        if math.isnan(time) or status < 0 or status > 999 or not is_whole:
            states[i] = MALFORMED
            continue
        end = _page_end(data, span[PATH, 0], span[PATH, 1])
        begin = _path_begin(data, span[PATH, 0], end)
        keys[n, 0] = _text_hash(data, span[ADDRESS, 0], span[ADDRESS, 1])
        is_anonymous = _is_absent(data, span[AGENT, 0], span[AGENT, 1])
        keys[n, 1] = 0 if is_anonymous else _text_hash(data, span[AGENT, 0], span[AGENT, 1])
        keys[n, 2] = _page(data, begin, end, span[QUERY, 0], span[QUERY, 1])
        keys[n, 3], keys[n, 4] = 0, i
        flag = _method(data, span[METHOD, 0], span[METHOD, 1]) if span[METHOD, 0] >= 0 else 3
        if not _is_absent(data, span[REFERRER, 0], span[REFERRER, 1]):
            flag |= REFERRED
            last = _page_end(data, span[REFERRER, 0], span[REFERRER, 1])
            keys[n, 3] = _page(data, _path_begin(data, span[REFERRER, 0], last), last, -1, -1)
        bare = begin
        while bare < end and data[bare] != 63:
            bare += 1
        extension = _extension(data, begin, bare)
        for known in images:
            flag |= IMAGE if known == extension else 0
        for known in embedded:
            flag |= EMBEDDED if known == extension else 0
        same = bare - begin == len(robots)
        place = 0
        while same and place < len(robots):
            same = data[begin + place] == robots[place]
            place += 1
        flag |= ROBOTS if same else 0
        flag |= ERROR if status >= 400 else 0
        flag |= NIGHT if (time + offset) % 86400.0 < 3600.0 * NIGHT_ENDS else 0
        flag |= (offset + DAY) << OFFSET_BITS
        size = _digits(data, span[SIZE, 0], span[SIZE, 1]) if span[SIZE, 0] >= 0 else -1
        times[n], sizes[n], flags[n] = time, max(size, 0), flag
        n += 1
    return n


@compiled
def describe(order: Any, begins: Any, ends: Any, keys: Any, sizes: Any, flags: Any, table: Any) -> None:
    """Count what the requests of each session have in common, and measure the tree of its pages.

    ``order`` are the requests by session and time; each session reaches from its place in ``begins`` to ``ends``. The
    first page is the root. Any other page lies below the one that refers to it, else below the root, where it was
    first requested; images and embedded files are no pages. Depth is the longest path from the root in links, breadth
    the largest number of pages in one level.
    """
    longest = 1
    for s in range(len(begins)):
        longest = max(longest, ends[s] - begins[s])
    capacity = 4
    while capacity < 2 * longest:
        capacity *= 2
    mask = capacity - 1
    pages = np.zeros(capacity, dtype=np.int64)
    levels = np.zeros(capacity, dtype=np.int64)
    stamps = np.full(capacity, -1, dtype=np.int64)
    widths = np.zeros(longest + 1, dtype=np.int64)
    for s in range(len(begins)):
        row = table[s]
        row[:] = 0.0
        deepest = -1
        for place in range(begins[s], ends[s]):
            request = order[place]
            flag = flags[request]
            row[TOTAL] += 1.0
            row[IMAGES] += 1.0 if flag & IMAGE else 0.0
            row[ERRORS] += 1.0 if flag & ERROR else 0.0
            method = flag & 3
            if method < 3:
                row[GET + method] += 1.0
            row[BYTES] += sizes[request]
            row[ROBOTS_ASKED] += 1.0 if flag & ROBOTS else 0.0
            row[UNREFERRED] += 0.0 if flag & REFERRED else 1.0
            row[AT_NIGHT] += 1.0 if flag & NIGHT else 0.0
            page = keys[request, 2]
            slot = page & mask
            while stamps[slot] == s and pages[slot] != page:
                slot = (slot + 1) & mask
            if stamps[slot] == s:
                row[REPEATED] += 1.0
                continue
            level = -1
            if not flag & (IMAGE | EMBEDDED):
                level = 0 if deepest < 0 else 1
                referrer = keys[request, 3]
                if deepest >= 0 and referrer != 0:
                    above = referrer & mask
                    while stamps[above] == s and pages[above] != referrer:
                        above = (above + 1) & mask
                    if stamps[above] == s and levels[above] >= 0:
                        level = levels[above] + 1
                widths[level] += 1
                deepest = max(deepest, level)
            stamps[slot], pages[slot], levels[slot] = s, page, level
        row[DEPTH] = max(deepest, 0)
        for level in range(deepest + 1):
            row[BREADTH] = max(row[BREADTH], widths[level])
            widths[level] = 0


def warm_up() -> None:
    """Compile all loops by calling them."""
    data = np.frombuffer(b"\n", dtype=np.uint8)
    place, none = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    spans, states = np.full((1, N_ROLES, 2), -1, dtype=np.int64), np.zeros(1, dtype=np.int8)
    split_common(data, place, none, spans, states)
    split_extended(data, place, none, np.zeros(1, dtype=np.int64), spans, states)
    split_json(data, place, none, none, none, spans, states)
    hash_keys(data, place, none, none.copy())
    keys, times, sizes = np.zeros((1, 5), dtype=np.int64), np.zeros(1), np.zeros(1, dtype=np.int64)
    flags = np.zeros(1, dtype=np.int64)
    digest(data, none, none, data, spans, states, keys, times, sizes, flags)
    describe(none, none, none, keys, sizes, flags, np.zeros((1, N_ATTRIBUTES)))
