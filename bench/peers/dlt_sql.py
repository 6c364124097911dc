"""How fast dlt copies a PostgreSQL table into DuckDB, by its documented fast paths.

    python3 -m venv /tmp/dlt && /tmp/dlt/bin/pip install 'dlt[duckdb,parquet]==1.31.0' pyarrow==26.0.1 \
        sqlalchemy==2.1.9 'psycopg[binary]==3.3.9' connectorx==0.4.6
    node bench/snapshots.ts 10000000 1 --keep           # leaves the source and prints its address
    /tmp/dlt/bin/python bench/peers/dlt_sql.py <address>
"""

import shutil
import sys
import tempfile
import time

import dlt
from dlt.sources.sql_database import sql_table

address = sys.argv[1]


def load(backend):
    folder = tempfile.mkdtemp(prefix="dlt-")
    try:
        pipeline = dlt.pipeline(
            pipeline_name=f"bench_{backend}",
            pipelines_dir=folder,
            destination=dlt.destinations.duckdb(f"{folder}/loaded.duckdb"),
            dataset_name="bench",
        )
        # connectorx takes the plain address, the other one a SQLAlchemy address.
        more = {"chunk_size": 200_000} if backend == "pyarrow" else {"backend_kwargs": {"return_type": "arrow"}}
        resource = sql_table(address, table="orders", schema="shop", backend=backend, reflection_level="full", **more)
        started = time.perf_counter()
        pipeline.run(resource, write_disposition="replace")
        seconds = time.perf_counter() - started
        with pipeline.sql_client() as client:
            loaded = client.execute_sql("SELECT count(*) FROM orders")[0][0]
        print(f"dlt {dlt.__version__}, {backend}: {loaded} rows in {seconds:.1f} s, {loaded / seconds:,.0f} rows/s")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


for one in ("connectorx", "pyarrow"):
    load(one)
