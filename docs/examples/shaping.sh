#!/bin/sh
# Data in layers: a file imported, a view over it, a calculated table over the view and rows of your own, and
# another one over that. New rows make both stale, one sync makes both fresh, and the lineage leads from a
# column of the last table to a column of the file. Run it in the repository's folder while `npm start` runs.
#
#   sh docs/examples/shaping.sh
#
# It stops at the first failure and reports it.
set -eu
. "$(dirname "$0")/client.sh"
status() { call "$API/v1/grid/tables/$1/status" | member "${2:-status}"; }
rows() { call "$API/v1/query-executions" -d "{\"sql\": \"$1\", \"row_format\": \"rows\"}" | member rows; }
# Builds a table and whatever it reads that is stale, and waits for the end.
sync() {
  RUN=$(call -X POST "$API/v1/grid/tables/$1/sync" | member id)
  succeeds "$API/v1/grid/tables/$1/runs/$RUN"
  call "$API/v1/grid/tables/$1/runs/$RUN" | member output.materialized
}

echo "1. A file of 30,000 sales becomes a table."
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

echo "2. A view over it, with names that fit the question; and a table of your own rows."
VIEW=$(call "$API/v1/views" -d '{"name": "shaping_paid", "description": "Sales that were paid.",
  "query": "SELECT city, price AS amount FROM shaping_sales WHERE state = '\''paid'\''"}')
printf '%s' "$VIEW" | member columns
OWN=$(call "$API/v1/grid/tables" -d '{"name": "shaping_targets", "kind": "data", "key_columns": ["city"], "columns": [
  {"name": "city", "data_type": "STRING"}, {"name": "target", "data_type": "INTEGER"}]}' | member tableId)
append() { call "$API/v1/tables/$OWN/rows" -d "{\"rows\": [$1]}" > /dev/null; }
append '{"s_id": 1, "city": "Porto", "target": 300000}, {"s_id": 2, "city": "Lagos", "target": 500000}'

echo "3. A calculated table over both, another over that. Both are built by one sync, each after what it reads."
CITIES=$(call "$API/v1/grid/tables" -d '{"name": "shaping_cities", "kind": "calc",
  "query": "SELECT t.city, sum(p.amount) AS total, any_value(t.target) AS target FROM shaping_paid p JOIN shaping_targets t USING (city) GROUP BY t.city"}' | member tableId)
REACHED=$(call "$API/v1/grid/tables" -d '{"name": "shaping_reached", "kind": "calc",
  "query": "SELECT city, total, total >= target AS is_reached FROM shaping_cities"}' | member tableId)
expect unmaterialized "$(status "$REACHED")"
sync "$REACHED"
expect fresh "$(status "$REACHED")"
rows "SELECT * FROM shaping_reached ORDER BY city"

echo "4. A new row of your own makes both stale: nothing is built, and what was built stays readable."
append '{"s_id": 3, "city": "Osaka", "target": 100000}'
for TABLE in "$CITIES" "$REACHED"; do
  expect stale "$(status "$TABLE")"
  expect "[\"$OWN\"]" "$(status "$TABLE" staleBecause)"
done
rows "SELECT count(*) AS cities FROM shaping_reached"

echo "5. One sync makes both fresh."
sync "$REACHED"
for TABLE in "$CITIES" "$REACHED"; do expect fresh "$(status "$TABLE")"; done
rows "SELECT * FROM shaping_reached ORDER BY city"

echo "6. Where does total come from? Down to the column of the file."
call "$API/v1/grid/tables/$REACHED/lineage?direction=upstream" | node -e '
  const { nodes, edges } = JSON.parse(require("fs").readFileSync(0)).data, [wanted, column] = process.argv.slice(1);
  const node = (id) => nodes.find((one) => one.id === id);
  const shown = (id, name) => `${node(id).kind} ${node(id).name}: ${name}`;
  // The way up through columns whose values are passed on; what filters, joins or groups is indirect.
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
