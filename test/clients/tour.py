"""The tour with a client that openapi-python-client made: python3 tour.py URL CLIENT_ID CLIENT_SECRET"""

import json
import sys
import time

import httpx
from workspace_client import AuthenticatedClient, Client
from workspace_client.api.auth import exchange_client_credentials
from workspace_client.api.exports import create_export, get_export
from workspace_client.api.files import (
    create_file_upload,
    finalize_file_upload,
    get_table_import,
    import_file,
    preview_asset,
)
from workspace_client.api.grid import create_grid_table
from workspace_client.api.projects import create_project
from workspace_client.api.query_executions import run_query
from workspace_client.api.tables import append_rows, delete_table, get_table, list_tables, read_rows, upsert_rows
from workspace_client.models import (
    AppendRowsBody,
    CreateExportStatement,
    ExportFormat,
    CreateGridTableData,
    CreateGridTableDataColumnsItem,
    CreateGridTableDataKind,
    CreateProjectBody,
    DeleteTableConfirm,
    ExchangeClientCredentialsBody,
    FinalizeFileUploadBody,
    ImportFileByName,
    PreviewAssetBody,
    Problem,
    RunQueryBody,
    RunQueryRowFormat,
    TableKind,
    UpsertRowsBody,
    ValidationError,
)
from workspace_client.types import UNSET

url, client_id, client_secret = sys.argv[1:]


def ok(answer):
    """What was answered; a problem is raised."""
    if isinstance(answer, (Problem, ValidationError)):
        raise RuntimeError(f"It was refused: {answer}")
    return answer


def ended(look):
    """Looks five times a second for a minute, until the work has ended."""
    for _ in range(300):
        seen = ok(look()).data
        if seen.status not in ("queued", "running"):
            return seen
        time.sleep(0.2)
    raise TimeoutError("It has not ended within a minute.")


def said(what, value):
    print(what, json.dumps(value, separators=(",", ":")))


# A token.
credentials = ExchangeClientCredentialsBody(client_id=client_id, client_secret=client_secret)
token = ok(exchange_client_credentials.sync(client=Client(base_url=url, raise_on_unexpected_status=True), body=credentials))
client = AuthenticatedClient(base_url=url, token=token.access_token, raise_on_unexpected_status=True)

# A file, uploaded straight to storage.
project = ok(create_project.sync(client=client, body=CreateProjectBody(name="Tour"))).data
upload = ok(create_file_upload.sync(project.id, client=client)).data
csv = "order_no,city,amount\nA-1,Porto,12.5\nA-2,Lagos,8\nA-3,Porto,2.5\n"
stored = httpx.post(upload.url, data=upload.fields.to_dict(), files={"file": csv.encode()})
said("uploaded", stored.is_success)
body = FinalizeFileUploadBody(path="orders.csv")
file = ok(finalize_file_upload.sync(project.id, upload.upload_id, client=client, body=body)).data

# How it would be read, and its import.
preview = ok(preview_asset.sync(file.id, client=client, body=PreviewAssetBody(page_size=2))).data
said("columns", {column.target_name: column.data_type for column in preview.columns})
body = ImportFileByName.from_dict(
    {"table_name": "orders", "column_mappings": [mapping.to_dict() for mapping in preview.column_mappings]}
)
started = ok(import_file.sync(project.id, file.id, client=client, body=body)).data
imported = ended(lambda: get_table_import.sync(started.id, client=client))
said("import", [imported.status, imported.rows_imported])

# A question.
sql = "SELECT city, count(*) AS orders FROM orders GROUP BY ALL ORDER BY city"
body = RunQueryBody(sql=sql, row_format=RunQueryRowFormat.ROWS)
answer = ok(run_query.sync(client=client, body=body)).data
said("orders", [row.to_dict() for row in answer.rows])

# A table of one's own rows: appended to, upserted, read page by page.
body = CreateGridTableData(
    name="targets",
    kind=CreateGridTableDataKind.DATA,
    columns=[
        CreateGridTableDataColumnsItem(name="city"),
        CreateGridTableDataColumnsItem(name="target", data_type="INTEGER"),
    ],
    key_columns=["city"],
)
table_id = ok(create_grid_table.sync(client=client, body=body)).data.table_id
body = AppendRowsBody.from_dict({"rows": [{"s_id": 1, "city": "Porto", "target": 10}]})
said("appended", ok(append_rows.sync(table_id, client=client, body=body)).data.rows_written)
body = UpsertRowsBody.from_dict(
    {"rows": [{"city": "Porto", "target": 20}, {"s_id": 2, "city": "Lagos", "target": 5}]}
)
upserted = ok(upsert_rows.sync(table_id, client=client, body=body, idempotency_key="targets-2")).data
said("upserted", [upserted.inserted, upserted.updated])
cursor = UNSET
while cursor is not None:
    page = ok(read_rows.sync(table_id, client=client, limit=1, cursor=cursor))
    said("page", [[row["city"], row["target"]] for row in page.items])
    cursor = page.next_cursor
own = [table for table in ok(list_tables.sync(client=client)).tables if table.kind != TableKind.SYSTEM]
said("tables", sorted(f"{table.name} {table.kind}" for table in own))

# An export, downloaded from storage.
body = CreateExportStatement(
    sql="SELECT city, target FROM targets ORDER BY city", format_=ExportFormat.CSV
)
asked = ok(create_export.sync(client=client, body=body)).data
exported = ended(lambda: get_export.sync(asked.id, client=client))
said("export", [exported.status, exported.rows_written])
for part in exported.files:
    said("content", httpx.get(part.url).text)

# The end of the table: it is not found any more.
ok(delete_table.sync(table_id, client=client, confirm=DeleteTableConfirm.TRUE))
gone = get_table.sync_detailed(table_id, client=client)
problem = gone.parsed
assert isinstance(problem, Problem), problem
said("gone", [gone.headers["content-type"], problem.status, problem.code])
