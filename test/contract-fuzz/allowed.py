"""
Failures of Schemathesis' checks that are not faults: rules that JSON Schema cannot express, and intended differences.
Each names the check's failure, the operations, the answer and the reason. Every other failure counts.
"""

import json
import re
from dataclasses import dataclass


@dataclass
class Allowed:
    operations: str
    """A pattern of `METHOD /path`."""
    answer: str
    """A pattern of a problem's code, or of faults as `location: type` with indexes as #; all must match."""
    reason: str
    failure: str = "RejectedPositiveData"
    """The check's name for it; by default, that a request allowed by the document was refused."""


ALLOWED = [
    Allowed(
        r"(POST|PUT|PATCH|DELETE) .*",
        r"header\.idempotency-key: value_error",
        "A key that was used with another request is refused; cases share keys.",
    ),
    Allowed(
        r"(GET|PATCH) /v1/(projects/{project_id}.*|tables/{table_id}/ingestion-batches/{batch_id})",
        r".*",
        "A deleted project is archived and an aborted batch has ended: both are still shown.",
        failure="UseAfterFree",
    ),
    Allowed(
        r"(PATCH /v1/tables/{table_id}/catalog|POST /v1/tables/{table_id}/ingestion-batches/{batch_id}/complete)",
        r"body\.(semantics|checkpoint)\..*: value_error",
        "No text holds NUL, at any depth of a free-form value: a schema could say so only of each depth by itself.",
    ),
    Allowed(
        r"GET .*",
        r"query\.cursor: value_error",
        "A cursor is opaque: only those that a page before gave are taken.",
    ),
    Allowed(
        r"POST /v1/auth/(device/code|device/token|token|revoke|register)",
        r"invalid_request|invalid_client|invalid_scope|invalid_grant|unsupported_grant_type",
        "Which fields each grant needs is in the RFCs, and which codes and tokens there are is not in the document.",
    ),
    Allowed(
        r"POST /v1/auth/m2m/clients",
        r"body\.expires_at: value_error",
        "A time in the future is not a rule of a schema.",
    ),
    Allowed(
        r"POST /v1/query-executions",
        r"query_failed|query_not_read_only|query_timeout|query_too_large",
        "Not every text is a statement, and not every statement is a SELECT that runs.",
    ),
    Allowed(
        r"POST /v1/query-executions",
        r"body\.at_versions\..*: value_error|version_expired",
        "The tables and versions that can be read back depend on what is there.",
    ),
    Allowed(
        r"POST /v1/query-executions",
        r"body\.limit: less_than_equal",
        "An answer in JSON has fewer rows than a stream, and only the Accept header tells which is asked for.",
    ),
    Allowed(
        r"GET /v1/tables/{table_id}/rows",
        r"version_expired",
        "The versions that are kept.",
    ),
    Allowed(
        r"POST /v1/grid/tables",
        r"body\.(key_columns(\.#)?|columns\.#\.name): value_error",
        "Key columns are among the columns, and names differ ignoring case; a schema compares no values.",
    ),
    Allowed(
        r"(POST|PATCH) /v1/grid/tables/.*",
        r"body\.(name|data_type|nullable): value_error",
        "What a column can become depends on the table and its rows.",
    ),
    Allowed(
        r"PATCH /v1/tables/{table_id}/catalog",
        r"body\.columns\.#\.name: value_error|body\.owner_user_id: value_error",
        "The columns and people that there are.",
    ),
    Allowed(
        r"POST /v1/(table-imports|projects/.*/imports|assets/.*/previews)",
        r"body\.(csv\..*|column_mappings\.#\..*): value_error",
        "Encodings and date formats have too many names for a schema, and separators must differ from each other.",
    ),
    Allowed(
        r"POST /v1/(table-imports|projects/.*/imports|assets/.*/previews)",
        r"unsupported_option|body\.format: .*",
        "The format of a file is told by its name where it is left out.",
    ),
    Allowed(
        r"POST /v1/tables/{table_id}/ingestion-batches",
        r"body\.sync_id: value_error",
        "The data syncs that the table has.",
    ),
    Allowed(
        r"(POST|PUT) /v1/(tables/{table_id}/(rows|ingestion-batches/.*)|data-syncs/.*/pages)",
        r"body\.(rows|records)\.#\.(?!s_id: missing).*",
        "The columns that the table has, and their types.",
    ),
    Allowed(
        r"PUT /v1/tables/{table_id}/ingestion-batches/.*|POST /v1/tables/{table_id}/ingestion-batches/.*/complete",
        r"unsupported_option",
        "What a batch takes depends on the mode it was opened in.",
    ),
    Allowed(
        r"POST /v1/tables/{table_id}/ingestion-batches/.*/complete",
        r"body\.pages: value_error",
        "A page is named once; a schema compares whole items only.",
    ),
    Allowed(
        r"POST /v1/sum-apps",
        r"body\.url: value_error",
        "What can be fetched, and which addresses may be reached, is not a rule of a schema.",
    ),
    Allowed(
        r"(POST|PATCH) /v1/connections/app(/{connection_id})?",
        r"unsupported_option|body\.(url|secrets(\..*)?): (value_error|missing)",
        "Whether an address is one that can be connected to, and which settings an operator allows.",
    ),
    Allowed(
        r"GET /v1/connections/app/{connection_id}/tools",
        r"source_failed",
        "The server is asked again, and answers or not.",
    ),
    Allowed(
        r"(POST|PATCH) /v1/projects/{project_id}/playbooks(/{playbook_id})?",
        r"body\.(instructions|output\..*|parameters\..*|model): (value_error|.*_type|string_too_long|enum)",
        "The parameters that texts name, defaults of their types, and the models that are offered.",
    ),
    Allowed(
        r"POST /v1/projects/{project_id}/playbooks/{playbook_id}/runs",
        r"body\.params(\..*)?: .*",
        "The parameters that the playbook has.",
    ),
    Allowed(
        r"POST /v1/projects/{project_id}/(reports|conversations(/{conversation_id}/messages)?)",
        r"body\.model: enum",
        "The models that are offered.",
    ),
    Allowed(
        r"(POST|PATCH) /v1/connections/data(/{connection_id})?",
        r"unsupported_option|body\.(config|secrets)(\..*)?: .*|body\.snapshot_config\..*: (value_error|missing)",
        "The settings and secrets that a type has, those that apply beside the others, and what a policy's parts say of each other.",
    ),
    Allowed(
        r"POST /v1/connections/data/{connection_id}/resources",
        r"source_failed|body\.cursor: value_error",
        "The source is asked, and answers or not; a cursor is one that a page before gave.",
    ),
    Allowed(
        r"(POST|PATCH) /v1/connections/data/{connection_id}/datasets(/{dataset_id})?",
        r"unsupported_option|invalid_cadence|body\.(resource|mode|cursor|key_columns): (value_error|missing)|body\.schedule\..*: .*",
        "What the connection has, what a mode needs, and the fields that belong to a kind of cadence.",
    ),
    Allowed(
        r"(POST|PUT) /v1/schedules(/{schedule_id})?",
        r"invalid_cadence|body\.(schedule|target|config\.params)(\..*)?: .*|body\.config\.output_folder: value_error",
        "The fields that belong to a kind of cadence, the playbooks there are, the parameters that one has, and what is no path.",
    ),
    Allowed(
        r"(POST|PUT) /v1/workflows(/{workflow_id})?",
        r"invalid_cadence|body\.triggers\.#\..*: .*|body\.(project_id|output_folder|graph\..*): value_error",
        "What belongs to a type of trigger, the projects there are, what is no path of a file, and NUL at any depth of a graph.",
    ),
    Allowed(
        r"POST /v1/workflows/{workflow_id}/activation",
        r"body\.(graph|triggers)(\..*)?: .*",
        "A draft may be incomplete; an active version may not.",
    ),
    Allowed(
        r"POST /v1/workflows/{workflow_id}/runs",
        r"body\.params(\..*)?: .*",
        "The parameters that the active version has.",
    ),
    Allowed(
        r"POST /v1/exports",
        r"body\.(table_id|sql|max_file_bytes|byte_order_mark|project_id|path): (extra_forbidden|missing)|query_failed|query_not_read_only|query_timeout",
        "An export has a statement or a table, goes to a project as one file or not, and reads the tables that there are.",
    ),
    Allowed(
        r"POST /v1/grid/tables",
        r"body\.query: value_error",
        "The query of a calculated table reads the tables that there are.",
    ),
    Allowed(
        r"POST /v1/verification-tests/(effective-set/previews|overlays|runs)",
        r"body\.(overlays\.#\.)?(project_id|table_id|table_ids|definition_ids): extra_forbidden",
        "Tables, a project or definitions: one of them.",
    ),
    Allowed(
        r"POST /v1/data-syncs",
        r"body\.key_columns\.#: value_error",
        "The columns that the table has.",
    ),
]


def reason_for(failure, operation: str, response) -> str | None:
    """Why this is allowed, or None."""
    told = answers_of(response)
    for one in ALLOWED:
        is_meant = type(failure).__name__ == one.failure and re.fullmatch(one.operations, operation)
        if is_meant and all(re.fullmatch(one.answer, text, re.DOTALL) for text in told):
            return one.reason
    return None


def answers_of(response) -> list[str]:
    """Never empty, because every pattern would match an empty list."""
    try:
        body = json.loads(response.content)
    except ValueError:
        return ["no JSON"]
    if isinstance(body.get("code"), str):
        return [body["code"]]
    faults = body.get("detail", [])
    if not isinstance(faults, list) or faults == []:
        return [str(response.status_code)]
    return [f"{place_of(fault['loc'])}: {fault['type']}" for fault in faults]


def place_of(loc: list) -> str:
    return ".".join("#" if isinstance(part, int) else part for part in loc)
