#!/bin/sh
# A playbook every morning, with its report in a folder and by mail: daylight saving time, pause, resume, a manual
# run and a backfill of past days. Run it in the repository's folder while `npm start` is running.
#
#   sh docs/examples/schedule.sh
#
# It stops at the first failure and reports it.
set -eu
. "$(dirname "$0")/client.sh"
shown() { node -e 'const read = (path) => path.split(".").reduce((value, key) => value?.[key], item);
  let item; for (item of JSON.parse(require("fs").readFileSync(0)).items)
    console.log("   " + process.argv.slice(1).map((path) => read(path) ?? "-").join("  "));' "$@"; }

echo "1. Import a file, attach its table, and write a playbook about it."
ID=$(call "$API/v1/projects" -d '{"name": "Schedules"}' | member id)
PROJECT="$API/v1/projects/$ID"
FILE=$(call -X PUT "$PROJECT/files/content?path=sales.csv" \
  -d '{"content": "sale_id,region,amount\n1,north,10\n2,south,20\n3,north,30\n"}' | member id)
IMPORT=$(call "$PROJECT/files/$FILE/imports" -d '{"table_name": "daily_sales", "mode": "replace"}' | member id)
succeeds "$PROJECT/runs/$IMPORT"
call "$PROJECT/catalog-entries" -d "{\"table_id\": \"$(call "$PROJECT/runs/$IMPORT" | member output.tableId)\"}" > /dev/null
PLAYBOOK=$(call "$PROJECT/playbooks" \
  -d '{"title": "Sales", "instructions": "# Sales\n\n- total amount by region as a bar chart", "model": "offline"}' | member id)

echo "2. Run it every morning at half past two in Berlin. Deliver the report to a folder and by mail."
SCHEDULE=$(call "$API/v1/schedules" -d "{
  \"kind\": \"playbook\", \"target\": {\"project_id\": \"$ID\", \"playbook_id\": \"$PLAYBOOK\"},
  \"schedule\": {\"type\": \"daily\", \"zone_id\": \"Europe/Berlin\", \"time_of_day\": \"02:30\"},
  \"config\": {\"output_folder\": \"reports/sales\", \"email_recipients\": [{\"email\": \"ada@example.com\"}]}}")
printf "%s" "$SCHEDULE" | member nextRunAt
SCHEDULE="$API/v1/schedules/$(printf "%s" "$SCHEDULE" | member id)"

echo "3. Run it only on Sundays. The next two clock changes are among the occurrences."
call -X PUT "$SCHEDULE" -d "{
  \"kind\": \"playbook\", \"target\": {\"project_id\": \"$ID\", \"playbook_id\": \"$PLAYBOOK\"},
  \"schedule\": {\"type\": \"weekly\", \"zone_id\": \"Europe/Berlin\", \"time_of_day\": \"02:30\", \"days_of_week\": [\"SUNDAY\"]},
  \"config\": {\"output_folder\": \"reports/sales\", \"email_recipients\": [{\"email\": \"ada@example.com\"}]}}" > /dev/null
call "$SCHEDULE/occurrences?limit=60" | shown localTime at note | grep -E "gap|overlap"

echo "4. Pause and resume the schedule."
call -X POST "$SCHEDULE/pause" | member status
call -X POST "$SCHEDULE/resume" | member status

echo "5. Run it now, and list its files and its mail."
FIRE=$(call -X POST "$SCHEDULE/trigger" | member id)
succeeds_but_mails "$SCHEDULE/runs/$FIRE" "$SCHEDULE/runs/$FIRE/deliveries"
call "$SCHEDULE/runs" | shown localTime status reason
call "$SCHEDULE/runs/$FIRE/deliveries" | shown kind status target error.message

echo "6. Run it for the last three Sundays, as a backfill."
DAY=$(node -p 'new Date().toISOString().slice(0, 10)')
FROM=$(node -p 'new Date(Date.now() - 21 * 86400000).toISOString().slice(0, 10)')
BACKFILL=$(call "$SCHEDULE/backfills" -d "{\"from\": \"${FROM}T00:00:00Z\", \"to\": \"${DAY}T00:00:00Z\", \"max_concurrency\": 2}" | member id)
ended "$SCHEDULE/backfills/$BACKFILL"
call "$SCHEDULE/runs" | shown localTime status
