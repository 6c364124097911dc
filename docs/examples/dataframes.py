"""Data frames from and to the workspace: pip install requests pyarrow pandas polars; python3 dataframes.py

WORKSPACE_URL, WORKSPACE_CLIENT_ID and WORKSPACE_CLIENT_SECRET say where and who.
"""

import json
import os
import time

import pandas as pd
import polars as pl
import pyarrow as pa
import requests
from requests.adapters import HTTPAdapter, Retry

base = os.environ.get("WORKSPACE_URL", "http://127.0.0.1:8080")
session = requests.Session()
# Everything below may be sent twice: reads, pages of a batch, and a batch that is opened by its name.
again = Retry(total=8, backoff_factor=0.5, status_forcelist=[429, 502, 503, 504], allowed_methods=None)
session.mount("http", HTTPAdapter(max_retries=again))


def login():
    """A token of an hour; a longer program calls it again."""
    client = {"client_id": os.environ["WORKSPACE_CLIENT_ID"], "client_secret": os.environ["WORKSPACE_CLIENT_SECRET"]}
    token = session.post(f"{base}/v1/auth/m2m/token", data=client).json()["access_token"]
    session.headers["Authorization"] = f"Bearer {token}"


def call(method, path, body=None):
    """The `data` of an answer; a refusal is raised with what the service said."""
    answer = session.request(method, f"{base}{path}", json=body)
    if not answer.ok:
        raise RuntimeError(f"{answer.status_code}: {answer.text}")
    return answer.json()["data"]


def arrow(sql, **more) -> pa.Table:
    """The answer to a query, up to a million rows, with the types of its columns."""
    headers = {"Accept": "application/vnd.apache.arrow.stream"}
    body = {"sql": sql, **more}
    with session.post(f"{base}/v1/query-executions", json=body, headers=headers, stream=True) as answer:
        if not answer.ok:
            raise RuntimeError(f"{answer.status_code}: {answer.text}")
        # A stream that breaks is an IncompleteRead here, never a shorter table.
        return pa.ipc.open_stream(answer.raw).read_all()


def append_once(table_id, frame: pl.DataFrame, name: str):
    """
    Appends a frame with a column `s_id` whole and once. The same name again finds the same batch: a program that was
    killed is started again with the same frame.
    """
    batches = f"/v1/tables/{table_id}/ingestion-batches"
    batch = call("POST", batches, {"mode": "append", "client_batch_id": name})
    path = f"{batches}/{batch['id']}"
    if batch["status"] not in ("failed", "aborted", "expired"):
        # Of a batch that is complete already, the same pages are found again, and others are refused.
        pages = []
        for number, page in enumerate(frame.iter_slices(5_000), start=1):
            staged = call("PUT", f"{path}/pages/{number}", {"records": json.loads(page.write_json())})
            pages.append({"page_number": number, "sha256": staged["sha256"]})
        call("POST", f"{path}/complete", {"page_count": len(pages), "pages": pages})
    while (batch := call("GET", path))["status"] in ("completing", "applying"):
        time.sleep(0.2)
    if batch["status"] != "applied":
        raise RuntimeError(f"The batch is {batch['status']}: {batch['error']}")
    return batch


if __name__ == "__main__":
    login()
    columns = [
        {"name": "city", "data_type": "STRING"},
        {"name": "day", "data_type": "DATE"},
        {"name": "amount", "data_type": "DOUBLE"},
    ]
    name = f"sales_{int(time.time())}"
    table = call("POST", "/v1/grid/tables", {"name": name, "kind": "data", "columns": columns})
    count = 12_000
    frame = pl.DataFrame(
        {
            "s_id": range(count),
            "city": ["Porto", "Lagos", None] * (count // 3),
            "day": pl.date_range(pl.date(2026, 1, 1), pl.date(2026, 1, 12), eager=True).sample(
                count, with_replacement=True, seed=1
            ),
            "amount": [at / 4 for at in range(count)],
        }
    )
    for attempt in range(2):
        batch = append_once(table["tableId"], frame, "first load")
        print("applied", batch["rowsInserted"])

    polars = pl.from_arrow(arrow(f"FROM {name}")).select(frame.columns)
    assert polars.sort("s_id").equals(frame), "what came back is another frame"
    pandas = arrow(f"SELECT city, sum(amount) AS total FROM {name} GROUP BY city ORDER BY city").to_pandas()
    print(pandas.to_string(index=False))
    assert pandas["total"].sum() == pd.Series(frame["amount"]).sum()
    try:
        arrow("SELECT 1 FROM nothing")
    except RuntimeError as refused:
        print("refused", str(refused)[:4])
