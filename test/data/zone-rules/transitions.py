"""Prints, as JSON, what every zone of a folder says in a span: [[zone, instant, offset after it], ...].

The first entry of a zone is its offset at the start. Instants and offsets are seconds.
"""

import json
import sys
import zoneinfo
from datetime import datetime, timedelta, timezone

folder, start, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
zoneinfo.reset_tzpath([folder])
epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
step = 3 * 86_400


def offset_at(zone, at):
    return int((epoch + timedelta(seconds=at)).astimezone(zone).utcoffset().total_seconds())


found = []
for name in sorted(zoneinfo.available_timezones()):
    zone = zoneinfo.ZoneInfo(name)
    at = start
    offset = offset_at(zone, at)
    found.append([name, at, offset])
    while at < end:
        later = min(at + step, end)
        if offset_at(zone, later) == offset:
            at = later
            continue
        low, high = at, later
        while high - low > 1:
            middle = (low + high) // 2
            if offset_at(zone, middle) == offset:
                low = middle
            else:
                high = middle
        at, offset = high, offset_at(zone, high)
        found.append([name, at, offset])
json.dump(found, sys.stdout)
