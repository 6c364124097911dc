#!/bin/sh
# Exports: write a table of 300,000 rows as Parquet, check its hash and import it again; write the answer to a query
# as several CSV files; write a workbook; cancel an export. Run it in the repository's folder while `npm start` is
# running.
#
#   sh docs/examples/export.sh
#
# It stops at the first failure and reports it.
set -eu
. "$(dirname "$0")/client.sh"
FOLDER=$(mktemp -d)
trap 'rm -rf "$FOLDER"' EXIT
rows() { call "$API/v1/query-executions" -d "{\"sql\": \"$1\", \"row_format\": \"rows\"}" | member rows; }
# Starts an export, waits until it has ended, and prints it.
export_rows() {
  EXPORT=$(call "$API/v1/exports" -d "$1" | member id)
  succeeds "$API/v1/exports/$EXPORT"
  call "$API/v1/exports/$EXPORT"
}
sha256() { node -p 'require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex")' "$1"; }

echo "1. Create a table of 300,000 trips."
PROJECT_ID=$(call "$API/v1/projects" -d '{"name": "Exports"}' | member id)
PROJECT="$API/v1/projects/$PROJECT_ID"
TABLE=$(call "$API/v1/grid/tables" -d '{"name": "exported_trips",
  "query": "SELECT range AS trip, [\u0027Porto\u0027, \u0027Lagos\u0027, \u0027Osaka\u0027][range % 3 + 1] AS city, CAST(range AS DECIMAL(18,2)) / 4 AS km FROM range(300000)"}' | member tableId)
RUN=$(call -X POST "$API/v1/grid/tables/$TABLE/materialize" | member id)
succeeds "$API/v1/grid/tables/$TABLE/runs/$RUN"

echo "2. Export it as Parquet, also as a file of the project. The hash matches the downloaded file."
PARQUET=$(export_rows "{\"table_id\": \"$TABLE\", \"format\": \"parquet\", \"project_id\": \"$PROJECT_ID\", \"path\": \"out/trips.parquet\"}")
curl -sS --fail -o "$FOLDER/trips.parquet" "$(printf '%s' "$PARQUET" | member files.0.url)"
expect "$(printf '%s' "$PARQUET" | member files.0.sha256)" "$(sha256 "$FOLDER/trips.parquet")"
echo "   $(printf '%s' "$PARQUET" | member rowsWritten) rows in $(printf '%s' "$PARQUET" | member files.0.name)"

echo "3. Import the file again. Both tables have the same rows."
IMPORT=$(call "$PROJECT/files/$(printf '%s' "$PARQUET" | member fileId)/imports" -d '{"table_name": "exported_trips_back"}' | member id)
succeeds "$API/v1/table-imports/$IMPORT"
rows "SELECT count(*) AS different FROM (FROM exported_trips EXCEPT ALL SELECT trip, city, km FROM exported_trips_back)"

echo "4. Export the answer to a query as CSV, in files of about a megabyte."
CSV=$(export_rows '{"sql": "SELECT trip, km FROM exported_trips ORDER BY trip", "format": "csv", "name": "trips", "max_file_bytes": 1048576}')
printf '%s' "$CSV" | node -e '
  const { files } = JSON.parse(require("fs").readFileSync(0)).data;
  for (const { name, sizeBytes } of files) console.log(`   ${name} ${sizeBytes > 1_000_000 ? "full" : "the rest"}`);'
curl -sS --fail -o "$FOLDER/trips.csv" "$(printf '%s' "$CSV" | member files.0.url)"
head -n 2 "$FOLDER/trips.csv"

echo "5. Export totals as a workbook."
BOOK=$(export_rows '{"sql": "SELECT city, sum(km) AS km FROM exported_trips GROUP BY city ORDER BY city", "format": "xlsx", "name": "totals"}')
echo "   $(printf '%s' "$BOOK" | member rowsWritten) rows in $(printf '%s' "$BOOK" | member files.0.name)"

echo "6. Cancel an export that would take hours. Nothing of it is kept."
ENDLESS=$(call "$API/v1/exports" -d '{"sql": "SELECT range AS n FROM range(100000000000)", "format": "csv"}' | member id)
call -X POST "$API/v1/exports/$ENDLESS/cancel?confirm=true" > /dev/null
succeeds "$API/v1/exports/$ENDLESS" cancelled

echo "7. List the exports of the organization, newest first."
call "$API/v1/exports?limit=4" | node -e '
  for (const { format, status, rowsWritten } of JSON.parse(require("fs").readFileSync(0)).items)
    console.log(`   ${format} ${status} ${rowsWritten}`);'
