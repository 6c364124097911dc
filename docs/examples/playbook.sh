#!/bin/sh
# A playbook with a parameter over an imported file, and its report in four formats. Run it in the
# repository's folder while `npm start` is running.
#
#   sh docs/examples/playbook.sh [FOLDER for the documents]
#
# It stops at the first failure and reports it.
set -eu
OUT="${1:-.}"
. "$(dirname "$0")/client.sh"

echo "1. Import a file, and attach its table to the project."
PROJECT="$API/v1/projects/$(call "$API/v1/projects" -d '{"name": "Playbooks"}' | member id)"
CSV=$(node -e '
  const [regions, people] = [["north", "south", "west"], ["Ada", "Bo", "Cem", "Dia"]];
  const lines = Array.from({ length: 2400 }, (_, i) => `${i},${regions[i % 3]},${people[i % 4]},${(i % 40) + 1},2026-${String((i % 12) + 1).padStart(2, "0")}-15`);
  console.log(JSON.stringify({ content: ["sale_id,region,seller,amount,sold_on", ...lines].join("\n") }));
')
FILE=$(call -X PUT "$PROJECT/files/content?path=sales.csv" -d "$CSV" | member id)
IMPORT=$(call "$PROJECT/files/$FILE/imports" -d '{"table_name": "sales", "mode": "replace"}' | member id)
run() { succeeds "$PROJECT/runs/$1" && RUN=$(call "$PROJECT/runs/$1"); }
run "$IMPORT"
call "$PROJECT/catalog-entries" -d "{\"table_id\": \"$(printf "%s" "$RUN" | member output.tableId)\"}" > /dev/null

echo "2. Write a playbook: questions under headings, with a parameter."
PLAYBOOK=$(node -e '
  console.log(JSON.stringify({
    title: "Sales since ${since}",
    instructions: [
      "# Sales", "Everything since ${since}.",
      "## By region", "- total amount by region since ${since} as a bar chart",
      "## Over time", "- total amount by month since ${since} as a line chart",
      "## Best", "- top 3 seller by total amount since ${since}",
    ].join("\n\n"),
    parameters: { since: { type: "date", required: true } },
    output: { type: "report", title: "Sales since ${since}" },
    model: "offline",
  }));
' | call "$PROJECT/playbooks" -d @- | member id)

echo "3. Run it."
run "$(call "$PROJECT/playbooks/$PLAYBOOK/runs" -d '{"params": {"since": "2026-04-01"}}' | member id)"
printf "%s" "$RUN" | member status
printf "%s" "$RUN" | member steps | node -e '
  for (const step of JSON.parse(require("fs").readFileSync(0))) console.log(`   ${step.name}: ${step.detail ?? step.error.message}`);
'

echo "4. Read the report as it is stored, and in three other formats."
REPORT=$(printf "%s" "$RUN" | member output.reportId)
call "$PROJECT/reports/$REPORT/content"
for FORMAT in markdown pdf docx; do
  NAME="$OUT/sales.$(printf "%s" "$FORMAT" | sed s/markdown/md/)"
  curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" "$PROJECT/reports/$REPORT/content?format=$FORMAT" -o "$NAME"
  echo "   $NAME: $(wc -c < "$NAME") bytes"
done

echo "5. List all runs of the project."
call "$PROJECT/runs" | node -e '
  for (const run of JSON.parse(require("fs").readFileSync(0)).items) console.log(`   ${run.kind} ${run.status}: ${run.title}`);
'
