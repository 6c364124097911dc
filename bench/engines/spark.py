"""Reads every table with Spark by the Iceberg catalog, and writes one in all ways that Spark has."""

import json
import sys
import time
import urllib.parse
import urllib.request
from glob import glob

from pyspark.sql import SparkSession

base, client_id, client_secret, jars = sys.argv[1:5]


def post(path, body, headers):
    with urllib.request.urlopen(urllib.request.Request(base + path, body, headers)) as response:
        return json.loads(response.read())


form = urllib.parse.urlencode({"client_id": client_id, "client_secret": client_secret}).encode()
token = post("/v1/auth/m2m/token", form, {})["access_token"]


def answered(sql):
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    asked = {"sql": sql, "row_format": "rows_with_column_order"}
    answer = post("/v1/query-executions", json.dumps(asked).encode(), headers)
    return [tuple(cell["value"] for cell in row) for row in answer["data"]["rows_with_column_order"]]


builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
extensions = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
settings = {
    "spark.jars": ",".join(glob(f"{jars}/*.jar")),
    "spark.sql.extensions": extensions,
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "rest",
    "spark.sql.catalog.lake.uri": f"{base}/v1/iceberg",
    "spark.sql.catalog.lake.credential": f"{client_id}:{client_secret}",
    "spark.sql.catalog.lake.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
    "spark.sql.catalog.lake.header.X-Iceberg-Access-Delegation": "vended-credentials",
}
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
differences = 0


def compare(what, table, measure):
    global differences
    ours = answered(f'SELECT {measure} FROM "{table}"')
    theirs = [tuple(row) for row in spark.sql(f"SELECT {measure} FROM lake.main.`{table}`").collect()]
    differences += ours != theirs
    print("same" if ours == theirs else "DIFFERENT", what, ours, theirs)


for _, table, _ in spark.sql("SHOW TABLES IN lake.main").collect():
    compare(f"read {table}", table, "count(*)")

table = f"spark_{int(time.time())}"
own = f"lake.main.{table}"
statements = [
    f"CREATE TABLE {own} (id BIGINT, v STRING, d DECIMAL(10,2), at TIMESTAMP)",
    f"INSERT INTO {own} VALUES (1, 'a', 1.5, TIMESTAMP '2026-01-01 00:00:00'), (2, 'b', 2.5, NULL), (3, 'c', NULL, NULL)",
    f"DELETE FROM {own} WHERE id = 2",
    f"UPDATE {own} SET v = 'z' WHERE id = 3",
    f"MERGE INTO {own} t USING (SELECT 3 AS id, 'm' AS v UNION ALL SELECT 9, 'n') s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)",
    f"INSERT OVERWRITE {own} SELECT id + 100, v, d, at FROM {own}",
]
for statement in statements:
    spark.sql(statement)
    compare(statement.split(own)[0].strip(), table, "count(*), sum(id), max(v)")
spark.sql(f"CREATE TABLE {own}_copy AS SELECT * FROM {own}")
compare("CREATE TABLE AS", f"{table}_copy", "count(*), sum(id), max(v)")
spark.sql(f"DROP TABLE {own}_copy")
spark.sql(f"DROP TABLE {own}")
spark.stop()
sys.exit(1 if differences else 0)
