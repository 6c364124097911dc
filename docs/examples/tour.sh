#!/bin/sh
# A five-minute tour of the service. Run it in the repository's folder while `npm start` is running.
#
#   sh docs/examples/tour.sh
#
# It stops at the first failure and reports it.
set -eu
STACK="${WORKSPACE_DATA_DIR:-.data}"
[ -f "$STACK/local.json" ] || {
  echo "No stack is running on $STACK. Run npm start, or set WORKSPACE_DATA_DIR to its folder." >&2
  exit 1
}
stack() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1]))[process.argv[2]]' "$STACK/local.json" "$1"; }
# Prints a field of an answer. If it is missing, prints the answer to stderr.
member() {
  node -e '
    const answer = JSON.parse(require("fs").readFileSync(0)), value = (answer.data ?? answer)[process.argv[1]];
    if (value === undefined) { console.error(answer); process.exit(1); }
    console.log(value);
  ' "$1"
}
API=$(stack apiUrl)

echo "1. A token."
TOKEN=$(curl -sS "$API/v1/auth/m2m/token" -d client_id="$(stack clientId)" -d client_secret="$(stack clientSecret)" | member access_token)
# Prints the answer. Fails if the request fails.
call() {
  curl -sS --fail-with-body -w '\n' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@" || {
    echo "The tour ends here: $*" >&2
    return 1
  }
}

echo "2. Create a project, and upload a CSV file of 300,000 rows directly to storage."
PROJECT=$(call "$API/v1/projects" -d '{"name": "Tour"}')
PROJECT=$(echo "$PROJECT" | member id)
CSV=$(mktemp)
trap 'rm -f "$CSV"' EXIT
node -e 'console.log("order_no,city,amount,ordered_on"); for (let i = 1; i <= 300000; i++) console.log(`A-${i},${["Porto", "Lagos", "Osaka"][i % 3]},${(i % 977) / 4},2026-${String(i % 12 + 1).padStart(2, "0")}-01`)' > "$CSV"
UPLOAD=$(call -X POST "$API/v1/projects/$PROJECT/files/uploads")
node -e '
  const { url, fields } = JSON.parse(process.argv[1]).data, form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob([require("fs").readFileSync(process.argv[2])]));
  fetch(url, { method: "POST", body: form }).then(({ ok, status }) => {
    console.log("uploaded:", status);
    process.exitCode = ok ? 0 : 1;
  });
' "$UPLOAD" "$CSV"
UPLOAD=$(echo "$UPLOAD" | member upload_id)
FILE=$(call "$API/v1/projects/$PROJECT/files/uploads/$UPLOAD/finalize" -d '{"path": "orders.csv"}')
FILE=$(echo "$FILE" | member id)

echo "3. Preview the file, then import it. You can see the import in the Temporal UI."
call "$API/v1/assets/$FILE/previews" -d '{"page_size": 3}'
IMPORT=$(call "$API/v1/projects/$PROJECT/files/$FILE/imports" -d '{"table_name": "orders"}')
IMPORT=$(echo "$IMPORT" | member id)
STATUS=started
until [ "$STATUS" = succeeded ]; do
  sleep 1
  ANSWER=$(call "$API/v1/table-imports/$IMPORT")
  STATUS=$(echo "$ANSWER" | member status)
  case "$STATUS" in failed | cancelled)
    echo "The import is $STATUS: $ANSWER" >&2
    exit 1 ;;
  esac
done
echo "$ANSWER"

echo "4. A question."
query() { call "$API/v1/query-executions" -d "{\"sql\": \"$1\", \"row_format\": \"rows\"}"; }
query "SELECT city, count(*) AS orders, sum(amount) AS total FROM orders GROUP BY ALL ORDER BY city"

echo "5. Create a table for your own rows: append, upsert, and join it with the import."
TABLE=$(call "$API/v1/grid/tables" -d '{"name": "targets", "kind": "data", "columns": [{"name": "city"}, {"name": "target"}], "key_columns": ["city"]}')
TABLE=$(echo "$TABLE" | member tableId)
call "$API/v1/tables/$TABLE/rows" -d '{"rows": [{"s_id": 1, "city": "Porto", "target": 9000000}]}'
call -X PUT "$API/v1/tables/$TABLE/rows" -d '{"rows": [{"s_id": 1, "city": "Porto", "target": 9500000}, {"s_id": 2, "city": "Osaka", "target": 8000000}]}'
query "SELECT city, target, sum(amount) AS total FROM targets JOIN orders USING (city) GROUP BY ALL"
