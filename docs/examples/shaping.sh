#!/bin/sh
# Tables in layers: an imported file, a view over it, a calculated table over the view and your own rows, and
# another calculated table over that. New rows make both stale, and one sync makes both fresh. The lineage leads
# from a column of the last table to a column of the file. Run it in the repository's folder while `npm start` is
# running.
#
#   sh docs/examples/shaping.sh
#
# It stops at the first failure and reports it.
set -eu
. "$(dirname "$0")/client.sh"
status() { call "$API/v1/grid/tables/$1/status" | member "${2:-status}"; }
rows() { call "$API/v1/query-executions" -d "{\"sql\": \"$1\", \"row_format\": \"rows\"}" | member rows; }
# Builds a table and the stale tables that it reads, and waits until the build has ended.
sync() {
  RUN=$(call -X POST "$API/v1/grid/tables/$1/sync" | member id)
  succeeds "$API/v1/grid/tables/$1/runs/$RUN"
  call "$API/v1/grid/tables/$1/runs/$RUN" | member output.materialized
}

echo "1. Import a file of 30,000 sales."
PROJECT="$API/v1/projects/$(call "$API/v1/projects" -d '{"name": "Shaping"}' | member id)"
CSV=$(node -e '
  const cities = ["Porto", "Lagos", "Osaka"], states = ["paid", "paid", "cancelled"];
  const line = (i) => `${i},${cities[i % 3]},${(i % 90) + 10},${states[Math.floor(i / 3) % 3]}`;
  const lines = Array.from({ length: 30000 }, (_, i) => line(i));
  console.log(JSON.stringify({ content: ["sale_no,city,price,state", ...lines].join("\n") }));
')
FILE=$(printf '%s' "$CSV" | call -X PUT "$PROJECT/files/content?path=sales.csv" -d @- | member id)
IMPORT=$(call "$PROJECT/files/$FILE/imports" -d '{"table_name": "shaping_sales"}' | member id)
succeeds "$API/v1/table-imports/$IMPORT"

echo "2. Create a view over it with better names, and a table for your own rows."
VIEW=$(call "$API/v1/views" -d '{"name": "shaping_paid", "description": "Sales that were paid.",
  "query": "SELECT city, price AS amount FROM shaping_sales WHERE state = '\''paid'\''"}')
printf '%s' "$VIEW" | member columns
OWN=$(call "$API/v1/grid/tables" -d '{"name": "shaping_targets", "kind": "data", "key_columns": ["city"], "columns": [
  {"name": "city", "data_type": "STRING"}, {"name": "target", "data_type": "INTEGER"}]}' | member tableId)
append() { call "$API/v1/tables/$OWN/rows" -d "{\"rows\": [$1]}" > /dev/null; }
append '{"s_id": 1, "city": "Porto", "target": 300000}, {"s_id": 2, "city": "Lagos", "target": 500000}'

echo "3. Create a calculated table over both, and another one over that. One sync builds both in the right order."
CITIES=$(call "$API/v1/grid/tables" -d '{"name": "shaping_cities", "kind": "calc",
  "query": "SELECT t.city, sum(p.amount) AS total, any_value(t.target) AS target FROM shaping_paid p JOIN shaping_targets t USING (city) GROUP BY t.city"}' | member tableId)
REACHED=$(call "$API/v1/grid/tables" -d '{"name": "shaping_reached", "kind": "calc",
  "query": "SELECT city, total, total >= target AS is_reached FROM shaping_cities"}' | member tableId)
expect unmaterialized "$(status "$REACHED")"
sync "$REACHED"
expect fresh "$(status "$REACHED")"
rows "SELECT * FROM shaping_reached ORDER BY city"

echo "4. Append a row. Both tables are now stale, and their old rows stay readable."
append '{"s_id": 3, "city": "Osaka", "target": 100000}'
for TABLE in "$CITIES" "$REACHED"; do
  expect stale "$(status "$TABLE")"
  expect "[\"$OWN\"]" "$(status "$TABLE" staleBecause)"
done
rows "SELECT count(*) AS cities FROM shaping_reached"

echo "5. Make both fresh with one sync."
sync "$REACHED"
for TABLE in "$CITIES" "$REACHED"; do expect fresh "$(status "$TABLE")"; done
rows "SELECT * FROM shaping_reached ORDER BY city"

echo "6. Trace the column total back to a column of the file."
call "$API/v1/grid/tables/$REACHED/lineage?direction=upstream" | node -e '
  const { nodes, edges } = JSON.parse(require("fs").readFileSync(0)).data, [wanted, column] = process.argv.slice(1);
  const node = (id) => nodes.find((one) => one.id === id);
  const shown = (id, name) => `${node(id).kind} ${node(id).name}: ${name}`;
  // Follows the columns whose values are passed on. Columns that only filter, join or group are indirect.
  const path = (id, name) => {
    if (node(id).kind === "file") return [shown(id, name)];
    for (const { from, columns } of edges.filter(({ to }) => to === id))
      for (const each of columns.filter(({ to, type }) => to === name && type === "direct")) {
        const above = path(from, each.from);
        if (above !== undefined) return [...above, `${each.subtype} to ${shown(id, name)}`];
      }
  };
  const found = path(wanted, column);
  if (found === undefined) { console.error("No column of a file leads to", column); process.exit(1); }
  for (const line of found) console.log("   " + line);' "$REACHED" total
