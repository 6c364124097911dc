"""Constructs the job events of a file with OpenLineage's own classes, and prints them as its client writes them.

The classes are generated from the published schema: a member that they do not have, or one that is missing, ends
the program.
"""

import json
import sys
import types
from pathlib import Path

# The package itself would load its transports, and what they need.
package = types.ModuleType("openlineage.client")
package.__path__ = [
    str(found) for folder in sys.path if (found := Path(folder) / "openlineage" / "client").is_dir()
]
sys.modules["openlineage.client"] = package

from openlineage.client import event_v2 as events  # noqa: E402
from openlineage.client.generated import (  # noqa: E402
    column_lineage_dataset as lineage,
    job_type_job,
    schema_dataset,
    sql_job,
)
from openlineage.client.serde import Serde  # noqa: E402


def input_of(transformations, **more):
    made = [lineage.Transformation(**each) for each in transformations]
    return lineage.InputField(transformations=made, **more)


def column_lineage(fields, **more):
    def field_of(inputFields, **rest):
        inputs = [input_of(**given) for given in inputFields]
        return lineage.Fields(inputFields=inputs, **rest)

    made = {name: field_of(**field) for name, field in fields.items()}
    return lineage.ColumnLineageDatasetFacet(fields=made, **more)


def schema(fields, **more):
    made = [schema_dataset.SchemaDatasetFacetFields(**field) for field in fields]
    return schema_dataset.SchemaDatasetFacet(fields=made, **more)


facets = {
    "columnLineage": column_lineage,
    "schema": schema,
    "jobType": job_type_job.JobTypeJobFacet,
    "sql": sql_job.SQLJobFacet,
}


def with_facets(given):
    """The address of the schema is the class's own."""
    made = {}
    for name, content in given.get("facets", {}).items():
        members = {key: value for key, value in content.items() if not key.startswith("_")}
        made[name] = facets[name](**members, producer=content["_producer"])
    return {**given, "facets": made}


def event_of(given):
    members = {key: value for key, value in given.items() if key != "schemaURL"}
    return events.JobEvent(
        **{
            **members,
            "job": events.Job(**with_facets(given["job"])),
            "inputs": [events.InputDataset(**with_facets(each)) for each in given["inputs"]],
            "outputs": [events.OutputDataset(**with_facets(each)) for each in given["outputs"]],
        }
    )


def without_empty(value):
    """Without the empty lists and objects that stand for members that were not given."""
    if isinstance(value, list):
        return [without_empty(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: without_empty(each) for key, each in value.items() if each not in ([], {})}


given = json.loads(Path(sys.argv[1]).read_text())
print(json.dumps([without_empty(json.loads(Serde.to_json(event_of(each)))) for each in given]))
