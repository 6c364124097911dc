#!/bin/sh
# A playbook every morning: daylight saving time, pause, resume, a manual fire, a backfill of past days, and
# its report in a folder and by mail. Run it in the repository's folder while `npm start` runs.
#
#   sh docs/examples/schedule.sh
#
# It stops at the first failure and reports it.
set -eu
. "$(dirname "$0")/client.sh"
shown() { node -e 'const read = (path) => path.split(".").reduce((value, key) => value?.[key], item);
  let item; for (item of JSON.parse(require("fs").readFileSync(0)).items)
    console.log("   " + process.argv.slice(1).map((path) => read(path) ?? "-").join("  "));' "$@"; }

echo "1. A file becomes a table, the table is attached, and a playbook asks about it."
ID=$(call "$API/v1/projects" -d '{"name": "Schedules"}' | member id)
PROJECT="$API/v1/projects/$ID"
FILE=$(call -X PUT "$PROJECT/files/content?path=sales.csv" \
  -d '{"content": "sale_id,region,amount\n1,north,10\n2,south,20\n3,north,30\n"}' | member id)
IMPORT=$(call "$PROJECT/files/$FILE/imports" -d '{"table_name": "daily_sales", "mode": "replace"}' | member id)
succeeds "$PROJECT/runs/$IMPORT"
call "$PROJECT/catalog-entries" -d "{\"table_id\": \"$(call "$PROJECT/runs/$IMPORT" | member output.tableId)\"}" > /dev/null
PLAYBOOK=$(call "$PROJECT/playbooks" \
  -d '{"title": "Sales", "instructions": "# Sales\n\n- total amount by region as a bar chart", "model": "offline"}' | member id)

echo "2. Every morning at half past two in Berlin, into a folder and to somebody."
SCHEDULE=$(call "$API/v1/schedules" -d "{
  \"kind\": \"playbook\", \"target\": {\"project_id\": \"$ID\", \"playbook_id\": \"$PLAYBOOK\"},
  \"schedule\": {\"type\": \"daily\", \"zone_id\": \"Europe/Berlin\", \"time_of_day\": \"02:30\"},
  \"config\": {\"output_folder\": \"reports/sales\", \"email_recipients\": [{\"email\": \"ada@example.com\"}]}}")
printf "%s" "$SCHEDULE" | member nextRunAt
SCHEDULE="$API/v1/schedules/$(printf "%s" "$SCHEDULE" | member id)"

echo "3. On Sundays alone: the next two changes of the clock are among the fires."
call -X PUT "$SCHEDULE" -d "{
  \"kind\": \"playbook\", \"target\": {\"project_id\": \"$ID\", \"playbook_id\": \"$PLAYBOOK\"},
  \"schedule\": {\"type\": \"weekly\", \"zone_id\": \"Europe/Berlin\", \"time_of_day\": \"02:30\", \"days_of_week\": [\"SUNDAY\"]},
  \"config\": {\"output_folder\": \"reports/sales\", \"email_recipients\": [{\"email\": \"ada@example.com\"}]}}" > /dev/null
call "$SCHEDULE/occurrences?limit=60" | shown localTime at note | grep -E "gap|overlap"

echo "4. Paused, nothing fires; resumed, it goes on."
call -X POST "$SCHEDULE/pause" | member status
call -X POST "$SCHEDULE/resume" | member status

echo "5. Fired now: its run, its files, its mail."
FIRE=$(call -X POST "$SCHEDULE/trigger" | member id)
succeeds_but_mails "$SCHEDULE/runs/$FIRE" "$SCHEDULE/runs/$FIRE/deliveries"
call "$SCHEDULE/runs" | shown localTime status reason
call "$SCHEDULE/runs/$FIRE/deliveries" | shown kind status target error.message

echo "6. What the last three Sundays would have been."
DAY=$(node -p 'new Date().toISOString().slice(0, 10)')
FROM=$(node -p 'new Date(Date.now() - 21 * 86400000).toISOString().slice(0, 10)')
BACKFILL=$(call "$SCHEDULE/backfills" -d "{\"from\": \"${FROM}T00:00:00Z\", \"to\": \"${DAY}T00:00:00Z\", \"max_concurrency\": 2}" | member id)
ended "$SCHEDULE/backfills/$BACKFILL"
call "$SCHEDULE/runs" | shown localTime status
