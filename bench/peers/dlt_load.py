"""How fast dlt loads the same NDJSON into DuckDB, by its record path and by its Arrow path.

    python3 -m venv /tmp/dlt && /tmp/dlt/bin/pip install 'dlt[duckdb,parquet]==1.31.0' pyarrow==26.0.1
    node bench/ingestion.ts 1000000 4 1 --keep          # leaves the file and prints its name
    /tmp/dlt/bin/python bench/peers/dlt_load.py <file> [records of the record path]
"""

import itertools
import json
import shutil
import sys
import tempfile
import time

import dlt
import pyarrow.json

path = sys.argv[1]
limit = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
page = 5_000


def records():
    with open(path, encoding="utf-8") as lines:
        taken = itertools.islice(lines, limit)
        while batch := [json.loads(line) for line in itertools.islice(taken, page)]:
            yield batch


def tables():
    yield pyarrow.json.read_json(path)


def load(name, resource, count=None):
    folder = tempfile.mkdtemp(prefix="dlt-")
    try:
        pipeline = dlt.pipeline(
            pipeline_name=f"bench_{name}",
            pipelines_dir=folder,
            destination=dlt.destinations.duckdb(f"{folder}/loaded.duckdb"),
            dataset_name="bench",
        )
        started = time.perf_counter()
        pipeline.run(resource(), table_name="records", write_disposition="replace")
        seconds = time.perf_counter() - started
        with pipeline.sql_client() as client:
            loaded = client.execute_sql("SELECT count(*) FROM records")[0][0]
        print(f"{name}: {loaded} records in {seconds:.1f} s, {loaded / seconds:,.0f} rows/s")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


print(f"dlt {dlt.__version__}, {path}")
load("arrow", tables)
load("records", records)
