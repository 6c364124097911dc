#!/bin/sh
# A graph of steps: a query, a condition, the analyst's report as a PDF by mail, and a signed webhook. The first
# run fails because its table was deleted, and is resumed. Then the workflow is triggered by a call, by new rows and
# by a schedule, changed, and rolled back. Run it in the repository's folder while this is running in another
# terminal:
#
#   ALLOWED_PRIVATE_ADDRESSES=127.0.0.0/8 npm start     # the webhook is sent to this machine
#   sh docs/examples/workflow.sh
#
# It stops at the first failure and reports it.
set -eu
. "$(dirname "$0")/client.sh"
shown() { node -e 'const read = (path) => path.split(".").reduce((value, key) => value?.[key], item);
  let item; const answer = JSON.parse(require("fs").readFileSync(0));
  for (item of answer.items ?? answer.data.steps)
    console.log("   " + process.argv.slice(1).map((path) => read(path) ?? "-").join("  "));' "$@"; }

# A receiver that checks signatures and logs the result.
RECEIVER=$(mktemp -d)
trap 'kill $(cat "$RECEIVER/pid") 2> /dev/null; rm -rf "$RECEIVER"' EXIT
SECRET="only we two know this"
SECRET="$SECRET" node -e '
  const { createHmac, timingSafeEqual } = require("crypto"), fs = require("fs"), folder = process.argv[1];
  const server = require("http").createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(204).end();
    let body = ""; for await (const chunk of request) body += chunk;
    const at = request.headers["x-webhook-timestamp"], given = Buffer.from(request.headers["x-webhook-signature"] ?? "");
    const own = Buffer.from("v1=" + createHmac("sha256", process.env.SECRET).update(`${at}.${body}`).digest("hex"));
    const isGood = given.length === own.length && timingSafeEqual(given, own);
    fs.appendFileSync(folder + "/log", `   ${isGood ? "signed well" : "signed wrongly"}: ${body}\n`);
    response.writeHead(isGood ? 200 : 401).end();
  }).listen(0, "127.0.0.1", () => fs.writeFileSync(folder + "/port", String(server.address().port)));
' "$RECEIVER" &
echo $! > "$RECEIVER/pid"
until [ -s "$RECEIVER/port" ]; do sleep 0.1; done
touch "$RECEIVER/log"
reaches "$(cat "$RECEIVER/port")"

echo "1. Create a project with a playbook, and import a table of orders."
ID=$(call "$API/v1/projects" -d '{"name": "Workflows"}' | member id)
PROJECT="$API/v1/projects/$ID"
PLAYBOOK=$(call "$PROJECT/playbooks" \
  -d '{"title": "Orders", "instructions": "# Orders\n\n- total amount by country", "model": "offline"}' | member id)

FILE=$(call -X PUT "$PROJECT/files/content?path=orders.csv" \
  -d '{"content": "order_id,country,amount\n1,AT,10\n2,DE,20\n3,AT,30\n"}' | member id)
imported() {
  IMPORT=$(call "$PROJECT/files/$FILE/imports" -d '{"table_name": "workflow_orders", "mode": "replace"}' | member id)
  succeeds "$PROJECT/runs/$IMPORT"
  TABLE=$(call "$PROJECT/runs/$IMPORT" | member output.tableId)
  call "$PROJECT/catalog-entries" -d "{\"table_id\": \"$TABLE\"}" > /dev/null
}
imported

# Prints the graph, which is used twice below. The argument is the smallest total that gets a report.
graph() {
  cat << GRAPH
  {"version": 1, "parameters": {"country": {"type": "string", "default": "AT"}},
   "nodes": [
    {"id": "orders", "type": "query", "name": "Orders of the country", "config": {"sql": "SELECT sum(amount) AS total FROM workflow_orders WHERE country = \${params.country}"}},
    {"id": "enough", "type": "condition", "name": "Enough?", "config": {"sql": "SELECT coalesce(total, 0) >= $1 FROM input"}},
    {"id": "report", "type": "playbook", "name": "The report", "config": {"playbook_id": "$PLAYBOOK"}},
    {"id": "file", "type": "file_output", "name": "As a PDF", "config": {"path": "orders.pdf"}},
    {"id": "mail", "type": "email_delivery", "name": "To Ada", "config": {"to": ["ada@example.com"], "subject": "Orders of \${params.country}", "format": "pdf"}},
    {"id": "hook", "type": "webhook_delivery", "name": "To a program", "config": {"url": "http://127.0.0.1:$(cat "$RECEIVER/port")/orders", "secret": "$SECRET", "payload": {"total": "\${orders.rows}"}}}],
   "edges": [
    {"from": "orders.rows", "to": "enough.input"}, {"from": "enough.yes", "to": "report.start"},
    {"from": "report.report", "to": "file.input"}, {"from": "report.report", "to": "mail.input"}, {"from": "enough.yes", "to": "hook.start"}]}
GRAPH
}
activated() { call "$FLOW/activation" -d "{\"expected_revision\": $(call "$FLOW" | member revision)$1}" | member activeVersionId; }

echo "2. Create a draft, validate it, fix its faults and activate it."
FLOW=$(call "$API/v1/workflows" -d "{\"project_id\": \"$ID\", \"title\": \"Orders\", \"graph\": {\"version\": 1, \"nodes\": []}}" | member id)
FLOW="$API/v1/workflows/$FLOW"
call -X POST "$FLOW/validate" | member faults
HOOK=$(call -X PUT "$FLOW" -d "{\"title\": \"Orders\", \"output_folder\": \"orders\", \"graph\": $(graph 5), \"triggers\": [{\"type\": \"webhook\"}]}" | member triggers.0)
FIRST=$(activated "")

echo "3. Delete the table and start a run. It fails at its first node. Import the table again and resume the run."
call -X DELETE "$API/v1/tables/$TABLE?confirm=true" > /dev/null
RUN=$(call "$FLOW/runs" -d '{"params": {}}' | member id)
succeeds "$FLOW/runs/$RUN" failed
call "$FLOW/runs/$RUN" | member error
imported
call -X POST "$FLOW/runs/$RUN/resume" > /dev/null
succeeds_but_mails "$FLOW/runs/$RUN"
call "$FLOW/runs/$RUN" | shown name status error.message

echo "4. Trigger it with a signed call. There are no orders of that country, so there is no report."
URL=$(printf "%s" "$HOOK" | member config.hookUrl)
BODY='{"country": "FR"}'
AT=$(date +%s)
SIGNED=$(printf '%s.%s' "$AT" "$BODY" | openssl dgst -sha256 -hmac "$(printf "%s" "$HOOK" | member secret)" -hex | sed 's/.* //')
signed() { curl -sS --fail-with-body "$URL" -H 'content-type: application/json' -H "x-webhook-timestamp: $AT" \
  -H "x-webhook-signature: v1=$SIGNED" -d "$BODY"; }
RUN=$(signed | member runId)
expect "$RUN" "$(signed | member runId)"
echo "   the same call again is the same run"
succeeds "$FLOW/runs/$RUN"
call "$FLOW/runs/$RUN" | shown name status

echo "5. Change it: a smaller total gets a report, and new rows trigger it."
call -X PUT "$FLOW" -d "{\"title\": \"Orders\", \"output_folder\": \"orders\", \"graph\": $(graph 1), \"triggers\": [
  {\"type\": \"data_event\", \"config\": {\"table_ids\": [\"$TABLE\"], \"window_seconds\": 1}}]}" > /dev/null
activated "" > /dev/null
call "$FLOW/versions" | shown number changes.nodesChanged.0
call -X PUT "$PROJECT/files/content?path=orders.csv" \
  -d '{"content": "order_id,country,amount\n1,AT,10\n2,DE,20\n3,AT,30\n4,AT,5\n"}' > /dev/null
call "$PROJECT/files/$FILE/imports" -d '{"table_name": "workflow_orders", "mode": "replace"}' > /dev/null
until RUN=$(call "$FLOW/runs?limit=1" | member items.0.id) && [ "$(call "$FLOW/runs/$RUN" | member trigger.type)" = data_event ]; do sleep 1; done
succeeds_but_mails "$FLOW/runs/$RUN"
call "$FLOW/runs?limit=5" | shown trigger.type status

echo "6. Run it every day at a time that comes in a few seconds."
SOON=$(node -p 'new Date(Date.now() + 8000).toISOString().slice(11, 19)')
call -X PUT "$FLOW" -d "{\"title\": \"Orders\", \"output_folder\": \"orders\", \"graph\": $(graph 1), \"triggers\": [
  {\"type\": \"schedule\", \"schedule\": {\"type\": \"daily\", \"zone_id\": \"UTC\", \"time_of_day\": \"$SOON\"}}]}" > /dev/null
activated "" > /dev/null
until RUN=$(call "$FLOW/runs?limit=1" | member items.0.id) && [ "$(call "$FLOW/runs/$RUN" | member trigger.type)" = schedule ]; do sleep 1; done
succeeds_but_mails "$FLOW/runs/$RUN"
call "$FLOW/runs?limit=1" | shown trigger.type status

echo "7. Activate the first version again."
expect "$FIRST" "$(activated ", \"version_id\": \"$FIRST\"")"
echo "   version 1 is active again"

echo "8. List the deliveries, and what the receiver of the webhook got."
call "$FLOW/deliveries?limit=20" | shown kind nodeId status target error.message
cat "$RECEIVER/log"
call "$FLOW/deliveries?limit=20" | node -e '
  const { items } = JSON.parse(require("fs").readFileSync(0));
  const of = (wanted) => items.filter(({ kind, status }) => wanted.includes(kind) && status !== "delivered").length;
  process.exit(items.length > 0 && of(["file", "webhook"]) === 0 ? 0 : 1);' || expect "every file and call delivered" "one is not"
grep -q "signed well" "$RECEIVER/log" || expect "a signed call" "none"
