#!/usr/bin/env bash
# The command line beside curl, on a running stack: a million rows in by a file and out as Parquet, five times each,
# taking turns: WORKSPACE_DATA_DIR=… bash bench/cli.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. docs/examples/client.sh
node=node_modules/.bin/node
export WORKSPACE_URL="$API" WORKSPACE_TOKEN="$TOKEN" # both have a token, as somebody who has logged in
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export WORKSPACE_CONFIG_DIR="$folder/config"
"$node" node_modules/rolldown/bin/cli.mjs clients/cli/src/main.ts --file "$folder/workspace.mjs" --format esm --platform node > /dev/null
workspace() { "$node" "$folder/workspace.mjs" "$@"; }
"$node" -e 'const lines=["n,city,amount"];for(let at=0;at<1e6;at+=1)lines.push(`${at},${["Porto","Lagos","Kiel"][at%3]},${at/4}`);process.stdout.write(lines.join("\n")+"\n")' > "$folder/big.csv"
P=$(workspace --json projects create "Bench $$" | member id)

# Waits for what a path shows, and answers it; the pauses are those of the command line.
ended() {
  pause=0.1
  while :; do
    shown=$(call "$API$1")
    case "$(echo "$shown" | member status)" in queued | running) ;; *) echo "$shown"; return ;; esac
    sleep "$pause"
    pause=$(awk "BEGIN { print ($pause * 1.25 > 2) ? 2 : $pause * 1.25 }")
  done
}
curl_in() {
  upload=$(call -X POST "$API/v1/projects/$P/files/uploads")
  fields=$(echo "$upload" | "$node" -e 'for (const [name, value] of Object.entries(JSON.parse(require("fs").readFileSync(0)).data.fields)) console.log(`--form-string ${name}=${value}`)' | tr '\n' ' ')
  # shellcheck disable=SC2086
  curl -sSf $fields -F "file=@$folder/big.csv" "$(echo "$upload" | member url)" > /dev/null
  file=$(call "$API/v1/projects/$P/files/uploads/$(echo "$upload" | member upload_id)/finalize" -d "{\"path\": \"curl $1.csv\"}" | member id)
  ended "/v1/table-imports/$(call "$API/v1/projects/$P/files/$file/imports" -d "{\"table_name\": \"curl_$$_$1\"}" | member id)" | member status
}
curl_out() {
  made=$(call "$API/v1/exports" -d "{\"sql\": \"FROM curl_$$_1\", \"format\": \"parquet\"}" | member id)
  curl -sSf "$(ended "/v1/exports/$made" | "$node" -p 'JSON.parse(require("fs").readFileSync(0)).data.files[0].url')" -o "$folder/curl.parquet"
}
timed() {
  began=$(date +%s.%N)
  "$@" > /dev/null
  awk "BEGIN { printf \"%.2f\n\", $(date +%s.%N) - $began }"
}
for turn in 1 2 3 4 5; do
  echo "in:  curl $(timed curl_in "$turn") s, workspace $(timed workspace --project "$P" import "$folder/big.csv" --table "cli_$$_$turn" --no-attach) s"
done
for turn in 1 2 3 4 5; do
  echo "out: curl $(timed curl_out) s, workspace $(timed workspace query "FROM curl_$$_1" -o "$folder/cli.parquet") s"
done
cmp "$folder/curl.parquet" "$folder/cli.parquet" && echo 'the same bytes'
