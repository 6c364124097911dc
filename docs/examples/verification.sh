#!/bin/sh
# Tests of a table: import a file, refuse the next file by a test before anybody sees it, read the failing rows
# with SQL, lower the test to a warning with an overlay, and run all tests. Run it in the repository's folder while
# `npm start` is running.
#
#   sh docs/examples/verification.sh
#
# It stops at the first failure and reports it.
set -eu
. "$(dirname "$0")/client.sh"
TESTS="$API/v1/verification-tests"
rows() { call "$API/v1/query-executions" -d "{\"sql\": \"$1\", \"row_format\": \"rows\"}" | member rows; }
# Writes a CSV file and prints its id.
file() { printf '{"content": "%s"}' "$2" | call -X PUT "$PROJECT/files/content?path=$1" -d @- | member id; }
# Imports a file by its id. Waits until the import has ended with `succeeded`, or the given status.
import() {
  IMPORT=$(call "$PROJECT/files/$1/imports" -d "{\"table_name\": \"verified_orders\", \"mode\": \"$2\"}" | member id)
  succeeds "$API/v1/table-imports/$IMPORT" "${3:-succeeded}"
}
define() { call "$TESTS/definitions" -d "$1" | member id; }
# Prints the results of tests of a run or a table, one per line.
results() { node -e '
  for (const one of JSON.parse(require("fs").readFileSync(0)).data.results)
    console.log(`   ${one.status}  ${one.name}  ${one.failingRows} failing`);'; }

echo "1. Import a file of orders."
PROJECT="$API/v1/projects/$(call "$API/v1/projects" -d '{"name": "Verification"}' | member id)"
import "$(file monday.csv 'order_no,city,amount\n1,Porto,50\n2,Lagos,70\n3,Osaka,20\n')" create
TABLE=$(call "$API/v1/table-imports/$IMPORT" | member tableId)

echo "2. Define a test that blocks new content, and one that warns, for all tables with a matching name."
POSITIVE=$(define "{\"name\": \"amounts are positive\", \"kind\": \"expression\", \"blocking\": true,
  \"params\": {\"expression\": \"amount > 0\"}, \"target\": {\"table_id\": \"$TABLE\"}}")
ONCE=$(define '{"name": "orders occur once", "kind": "unique", "severity": "warn",
  "params": {"columns": ["order_no"]}, "target": {"selector": {"name_pattern": "^verified_orders$"}}}')

echo "3. Import a file with two bad rows. It is refused, and the table stays as it was."
TUESDAY=$(file tuesday.csv 'order_no,city,amount\n3,Osaka,40\n4,Porto,-10\n5,Lagos,\n')
import "$TUESDAY" append failed
REFUSED=$(call "$API/v1/table-imports/$IMPORT")
printf '%s' "$REFUSED" | member error.message
expect verification_failed "$(printf '%s' "$REFUSED" | member error.code)"
expect "[\"$POSITIVE\"]" "$(printf '%s' "$REFUSED" | member error.definitionIds)"
expect '[{"orders":3}]' "$(rows "SELECT count(*) AS orders FROM verified_orders")"

echo "4. Read the failing rows, which are kept in a table for 30 days. The run of the tests has a sample of them."
FAILURES=$(call "$API/v1/tables/$(printf '%s' "$REFUSED" | member error.failuresTableIds.0)" | member name)
rows "SELECT order_no, city, amount FROM $FAILURES ORDER BY order_no"
GATE=$(call "$TESTS/runs/$(printf '%s' "$REFUSED" | member error.runId)")
expect gate "$(printf '%s' "$GATE" | member trigger.type)"
printf '%s' "$GATE" | results

echo "5. Preview what an overlay would change for this table, and what sets each field."
OVERLAY="\"definition_id\": \"$POSITIVE\", \"table_id\": \"$TABLE\", \"severity\": \"warn\", \"reason\": \"Returns are negative.\""
preview() {
  call "$TESTS/effective-set/previews" -d "{\"table_ids\": [\"$TABLE\"], \"overlays\": [$1]}" | node -e '
    for (const { name, severity, blocking, provenance } of JSON.parse(require("fs").readFileSync(0)).data.tests) {
      const { source } = provenance.find(({ field }) => field === "severity");
      console.log(`   ${name}: ${severity}, as the ${source} says${blocking ? ", blocking" : ""}`);
    }'
}
BEFORE=$(preview '')
echo "$BEFORE"
SUPPOSED=$(preview "{$OVERLAY}")
echo "$SUPPOSED"

echo "6. Save the overlay. The test now only warns, so the same file is imported."
call "$TESTS/overlays" -d "{$OVERLAY}" > /dev/null
expect "$SUPPOSED" "$(preview '')"
import "$TUESDAY" append
expect '[{"orders":6}]' "$(rows "SELECT count(*) AS orders FROM verified_orders")"

echo "7. Run all tests of the table. Order 3 occurs twice."
RUN=$(call "$TESTS/runs" -d "{\"table_ids\": [\"$TABLE\"]}" | member id)
succeeds "$TESTS/runs/$RUN"
expect warned "$(call "$TESTS/runs/$RUN" | member outcome)"
call "$TESTS/runs/$RUN" | results
expect "$ONCE" "$(call "$TESTS/runs/$RUN" | member results.1.definitionId)"

echo "8. Read the state of the table, which its catalog has too."
STATE=$(call "$API/v1/tables/$TABLE/verification")
expect warning "$(printf '%s' "$STATE" | member state)"
printf '%s' "$STATE" | results
expect warning "$(call "$API/v1/tables/$TABLE/catalog" | member verification.state)"
