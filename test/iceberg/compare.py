"""Compares tables as engines read them by the Iceberg catalog with what the service answers.

Reads a table's name from each line of the input, and writes a line of JSON: {"pyiceberg": fault, "duckdb": fault},
null where an engine reads the same rows as the service.
"""

import json
import os
import sys
import urllib.request
from glob import glob

import duckdb
import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog

base, token, tools = sys.argv[1:4]
catalog = RestCatalog("workspace", uri=f"{base}/v1/iceberg", token=token)


def extension(name):
    return glob(os.path.join(tools, "**", f"{name}.duckdb_extension"), recursive=True)[0]


engine = duckdb.connect(config={"allow_unsigned_extensions": "true"})
for name in ("httpfs", "avro", "iceberg"):
    engine.execute(f"LOAD '{extension(name)}'")
engine.execute("SET TimeZone = 'UTC'")
engine.execute(f"CREATE SECRET workspace (TYPE iceberg, TOKEN '{token}')")


def attach():
    engine.execute("DETACH DATABASE IF EXISTS lake")
    engine.execute(
        f"ATTACH 'workspace' AS lake (TYPE iceberg, SECRET workspace, "
        f"ENDPOINT '{base}/v1/iceberg', DEFAULT_SCHEMA 'main')"
    )


def answered(table):
    body = json.dumps({"sql": f'SELECT * FROM "{table}"'}).encode()
    headers = {
        "authorization": f"Bearer {token}",
        "content-type": "application/json",
        "accept": "application/vnd.apache.arrow.stream",
    }
    request = urllib.request.Request(f"{base}/v1/query-executions", body, headers)
    with urllib.request.urlopen(request) as response:
        return pa.ipc.open_stream(response).read_all()


def rows(relation, names):
    columns = ", ".join(f'CAST("{name}" AS VARCHAR)' for name in names)
    return sorted(engine.execute(f"SELECT {columns} FROM {relation}").fetchall(), key=repr)


def compare(relation, found_names, expected, names):
    if found_names != names:
        return f"columns {found_names}, not {names}"
    found = rows(relation, names)
    if found == expected:
        return None
    lacks = [row for row in expected if row not in found][:2]
    has = [row for row in found if row not in expected][:2]
    return f"{len(found)} rows, not {len(expected)}; lacks {lacks}, has {has}"


for line in sys.stdin:
    table = line.strip()
    faults = {}
    expected_table = answered(table)
    names = expected_table.column_names
    engine.register("expected_rows", expected_table)
    expected = rows("expected_rows", names)
    try:
        arrow = catalog.load_table(f"main.{table}").scan().to_arrow()
        engine.register("read_rows", arrow)
        faults["pyiceberg"] = compare("read_rows", arrow.column_names, expected, names)
    except Exception as error:
        faults["pyiceberg"] = repr(error)[:500]
    try:
        attach()
        described = engine.execute(f'DESCRIBE lake.main."{table}"').fetchall()
        found = [column[0] for column in described]
        faults["duckdb"] = compare(f'lake.main."{table}"', found, expected, names)
    except Exception as error:
        faults["duckdb"] = repr(error)[:500]
    print(json.dumps(faults), flush=True)
