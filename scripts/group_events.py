"""Reads a file of events with polars and groups them by session: group_events.py FILE. Prints how long that
takes, and how many events and sessions there are. `POLARS_MAX_THREADS` says with how many threads.
Starting Python and loading polars are not counted."""

import json
import sys
import time

import polars

path = sys.argv[1]
read = polars.read_parquet if path.endswith(".parquet") else polars.read_ndjson
start = time.perf_counter()
sessions = read(path).group_by("session", maintain_order=True).agg(polars.all())
seconds = time.perf_counter() - start
events = sessions["message"].list.len().sum()
print(json.dumps({"seconds": seconds, "sessions": sessions.height, "events": events}))
