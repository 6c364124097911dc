"""Builds the dbt project of the current folder, and prints what each of its tests found as JSON.

Values are texts: what the tests store is compared with what another service stores.
"""

import json
import os
import sys
from pathlib import Path

os.environ["DBT_SEND_ANONYMOUS_USAGE_STATS"] = "false"
os.environ["DO_NOT_TRACK"] = "1"

import duckdb  # noqa: E402
from dbt.cli.main import dbtRunner  # noqa: E402

answer = dbtRunner().invoke(["build", "--profiles-dir", ".", "--project-dir", ".", "--quiet"])
if answer.exception is not None:
    raise answer.exception


def stored(lake, relation):
    found = lake.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {relation}")
    names = [column[0] for column in found.description]
    return [dict(zip(names, row)) for row in found.fetchall()]


results = json.loads(Path("target/run_results.json").read_text())["results"]
with duckdb.connect("compared.duckdb") as lake:
    found = {
        result["unique_id"].split(".")[2]: {
            "status": result["status"],
            "failures": result["failures"],
            "rows": stored(lake, result["relation_name"]),
        }
        for result in results
        if result["unique_id"].startswith("test.")
    }
Path(sys.argv[1]).write_text(json.dumps(found))
