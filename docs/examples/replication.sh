#!/bin/sh
# Replication: copy a PostgreSQL table fully and then incrementally, and read an HTTP API twice, the second time
# from the position that the first one reached. Run it in the repository's folder while this is running in another
# terminal:
#
#   ALLOWED_PRIVATE_ADDRESSES=127.0.0.0/8 npm start     # the sources are on this machine
#   sh docs/examples/replication.sh
#
# It stops at the first failure and reports it.
set -eu
. "$(dirname "$0")/client.sh"
PLACE=$(mktemp)
: > "$PLACE"
node "$(dirname "$0")/source.mjs" "$(stack databaseUrl)" "$PLACE" &
SOURCE=$!
trap 'kill $SOURCE; rm -f "$PLACE"' EXIT
until [ -s "$PLACE" ]; do sleep 1; done
of() { member "$1" < "$PLACE"; }
# Takes a snapshot of a dataset, and waits until it has ended.
snapshot() {
  SNAPSHOT="$1/snapshots/$(call -X POST "$1/snapshots" | member id)"
  succeeds "$SNAPSHOT"
  call "$SNAPSHOT" | node -e 'const { data: run } = JSON.parse(require("fs").readFileSync(0));
    console.log("  ", run.status, run.rowsCopied, "rows", run.requestsMade, "requests, cursor", run.cursor, run.error?.message ?? "");'
}
ask() { call "$API/v1/query-executions" -d "{\"sql\": \"$1\"}" | member rows; }
reaches "$(of port)"
reaches "$(of http)"
EXAMPLE=$(of database)

echo "1. Connect to a PostgreSQL database, test the connection, and list what can be copied."
CONNECTION=$(call "$API/v1/connections/data" -d "{\"name\": \"Shop $EXAMPLE\", \"type\": \"postgres\",
  \"config\": {\"host\": \"127.0.0.1\", \"port\": $(of port), \"database\": \"$EXAMPLE\", \"user\": \"$(of user)\", \"ssl_mode\": \"disable\"},
  \"secrets\": {\"password\": \"$(of password)\"}, \"snapshot_config\": {\"enabled\": true}}" | member id)
CONNECTION="$API/v1/connections/data/$CONNECTION"
call -X POST "$CONNECTION/test" | member ok
call "$CONNECTION/resources" -d '{"prefix": "shop."}' | member items.0.columns

echo "2. Copy a table and query the copy. Then copy only what has changed."
DATASET=$(call "$CONNECTION/datasets" -d "{\"resource\": \"shop.orders\", \"name\": \"Orders of $EXAMPLE\",
  \"mode\": \"incremental\", \"cursor\": \"at\", \"key_columns\": [\"id\"]}")
TABLE=$(printf "%s" "$DATASET" | member snapshotTableName)
DATASET="$CONNECTION/datasets/$(printf "%s" "$DATASET" | member id)"
snapshot "$DATASET"
ask "SELECT city, count(*) AS orders FROM $TABLE GROUP BY city ORDER BY city"
snapshot "$DATASET"

echo "3. Read an HTTP API with a cursor: everything, with up to 20 requests a second."
CONNECTION=$(call "$API/v1/connections/data" -d "{\"name\": \"Contacts $EXAMPLE\", \"type\": \"http\",
  \"config\": {\"base_url\": \"http://127.0.0.1:$(of http)\", \"auth_type\": \"none\"},
  \"snapshot_config\": {\"enabled\": true, \"http_replication\": {
    \"limits\": {\"requests_per_second\": 20, \"max_concurrency\": 1},
    \"resources\": [{\"request_path\": \"/contacts\",
      \"query_parameters\": {\"updated_since\": \"\${cursor}\"},
      \"cursor\": {\"field\": \"updated_at\", \"format\": \"iso8601\", \"tie_breaker_field\": \"id\", \"tie_breaker_format\": \"integer\"},
      \"pagination\": {\"mode\": \"next_link\", \"data_pointer\": \"/items\", \"next_pointer\": \"/next\"}}]}}}" | member id)
CONNECTION="$API/v1/connections/data/$CONNECTION"
DATASET=$(call "$CONNECTION/datasets" -d "{\"resource\": \"/contacts\", \"name\": \"Contacts of $EXAMPLE\"}")
TABLE=$(printf "%s" "$DATASET" | member snapshotTableName)
DATASET="$CONNECTION/datasets/$(printf "%s" "$DATASET" | member id)"
snapshot "$DATASET"

echo "4. Change one contact and add one. The second snapshot reads only these."
curl -sS "http://127.0.0.1:$(of http)" -d '{"id": 7, "name": "Ada"}'
curl -sS "http://127.0.0.1:$(of http)" -d '{"id": 251, "name": "Grace", "phone": "555"}'
snapshot "$DATASET"
call "$SNAPSHOT" | member schemaChanges
ask "SELECT count(*) AS contacts, max(name) FILTER (WHERE id = 7) AS seventh, max(phone) AS phone FROM $TABLE"

echo "5. Take a snapshot every morning from now on."
call -X PATCH "$DATASET" -d '{"schedule": {"type": "daily", "zone_id": "Europe/Berlin", "time_of_day": "06:30"}}' | member schedule
