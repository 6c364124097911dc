#!/bin/sh
# Tests of what a table holds: a file imported, a test that refuses the next file before anybody sees it, the
# failing rows read by SQL, an overlay that lowers the test to a warning, and a run of all tests. Run it in the
# repository's folder while `npm start` runs.
#
#   sh docs/examples/verification.sh
#
# It stops at the first failure and reports it.
set -eu
. "$(dirname "$0")/client.sh"
TESTS="$API/v1/verification-tests"
rows() { call "$API/v1/query-executions" -d "{\"sql\": \"$1\", \"row_format\": \"rows\"}" | member rows; }
# Writes a CSV file; its id.
file() { printf '{"content": "%s"}' "$2" | call -X PUT "$PROJECT/files/content?path=$1" -d @- | member id; }
# Imports a file, by its id, and waits for the end, which must be `succeeded` or the given status.
import() {
  IMPORT=$(call "$PROJECT/files/$1/imports" -d "{\"table_name\": \"verified_orders\", \"mode\": \"$2\"}" | member id)
  succeeds "$API/v1/table-imports/$IMPORT" "${3:-succeeded}"
}
define() { call "$TESTS/definitions" -d "$1" | member id; }
# Results of tests, one a line: of a run, or of a table.
results() { node -e '
  for (const one of JSON.parse(require("fs").readFileSync(0)).data.results)
    console.log(`   ${one.status}  ${one.name}  ${one.failingRows} failing`);'; }

echo "1. A file of orders becomes a table."
PROJECT="$API/v1/projects/$(call "$API/v1/projects" -d '{"name": "Verification"}' | member id)"
import "$(file monday.csv 'order_no,city,amount\n1,Porto,50\n2,Lagos,70\n3,Osaka,20\n')" create
TABLE=$(call "$API/v1/table-imports/$IMPORT" | member tableId)

echo "2. A test that blocks new content, and one that warns, of all tables with such a name."
POSITIVE=$(define "{\"name\": \"amounts are positive\", \"kind\": \"expression\", \"blocking\": true,
  \"params\": {\"expression\": \"amount > 0\"}, \"target\": {\"table_id\": \"$TABLE\"}}")
ONCE=$(define '{"name": "orders occur once", "kind": "unique", "severity": "warn",
  "params": {"columns": ["order_no"]}, "target": {"selector": {"name_pattern": "^verified_orders$"}}}')

echo "3. The next file has two bad rows. It is refused, and the table stays as it was."
TUESDAY=$(file tuesday.csv 'order_no,city,amount\n3,Osaka,40\n4,Porto,-10\n5,Lagos,\n')
import "$TUESDAY" append failed
REFUSED=$(call "$API/v1/table-imports/$IMPORT")
printf '%s' "$REFUSED" | member error.message
expect verification_failed "$(printf '%s' "$REFUSED" | member error.code)"
expect "[\"$POSITIVE\"]" "$(printf '%s' "$REFUSED" | member error.definitionIds)"
expect '[{"orders":3}]' "$(rows "SELECT count(*) AS orders FROM verified_orders")"

echo "4. Its failing rows are a table, for 30 days; the run of the tests that refused it has a sample of them."
FAILURES=$(call "$API/v1/tables/$(printf '%s' "$REFUSED" | member error.failuresTableIds.0)" | member name)
rows "SELECT order_no, city, amount FROM $FAILURES ORDER BY order_no"
GATE=$(call "$TESTS/runs/$(printf '%s' "$REFUSED" | member error.runId)")
expect gate "$(printf '%s' "$GATE" | member trigger.type)"
printf '%s' "$GATE" | results

echo "5. What would an overlay change for this table? A preview says so, and what decides each field."
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

echo "6. With the overlay the test warns, so the same file is imported."
call "$TESTS/overlays" -d "{$OVERLAY}" > /dev/null
expect "$SUPPOSED" "$(preview '')"
import "$TUESDAY" append
expect '[{"orders":6}]' "$(rows "SELECT count(*) AS orders FROM verified_orders")"

echo "7. A run of all tests of the table, on request: order 3 is there twice."
RUN=$(call "$TESTS/runs" -d "{\"table_ids\": [\"$TABLE\"]}" | member id)
succeeds "$TESTS/runs/$RUN"
expect warned "$(call "$TESTS/runs/$RUN" | member outcome)"
call "$TESTS/runs/$RUN" | results
expect "$ONCE" "$(call "$TESTS/runs/$RUN" | member results.1.definitionId)"

echo "8. What its tests say of the table now; its catalog has the state, too."
STATE=$(call "$API/v1/tables/$TABLE/verification")
expect warning "$(printf '%s' "$STATE" | member state)"
printf '%s' "$STATE" | results
expect warning "$(call "$API/v1/tables/$TABLE/catalog" | member verification.state)"
