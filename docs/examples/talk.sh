#!/bin/sh
# A conversation with the analyst over an imported file: run it in the repository's folder while `npm start` runs.
#
#   sh docs/examples/talk.sh
#
# It stops at the first thing that fails and says what that was.
set -eu
STACK="${WORKSPACE_DATA_DIR:-.data}"
[ -f "$STACK/local.json" ] || {
  echo "No stack is running on $STACK: run npm start, or set WORKSPACE_DATA_DIR to its directory." >&2
  exit 1
}
stack() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1]))[process.argv[2]]' "$STACK/local.json" "$1"; }
# A member of an answer by its path, or the answer itself on stderr where it has none.
member() {
  node -e '
    const answer = JSON.parse(require("fs").readFileSync(0));
    const value = process.argv[1].split(".").reduce((at, name) => at?.[name], answer.data ?? answer);
    if (value === undefined || value === null) { console.error(answer); process.exit(1); }
    console.log(typeof value === "object" ? JSON.stringify(value) : value);
  ' "$1"
}
API=$(stack apiUrl)
TOKEN=$(curl -sS "$API/v1/auth/m2m/token" -d client_id="$(stack clientId)" -d client_secret="$(stack clientSecret)" | member access_token)
call() {
  curl -sS --fail-with-body -w '\n' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@" || {
    echo "The talk ends here: $*" >&2
    return 1
  }
}

echo "1. A file becomes a table, and the table is attached to the project: that is what the analyst sees."
PROJECT=$(call "$API/v1/projects" -d '{"name": "Talk"}' | member id)
CSV=$(node -e '
  const cities = ["Porto", "Lagos", "Osaka"];
  const lines = Array.from({ length: 3000 }, (_, i) => `${i},${cities[i % 3]},${(i % 50) + 1},2026-${String((i % 12) + 1).padStart(2, "0")}-15`);
  console.log(JSON.stringify({ content: ["visit_id,city,guests,visited_on", ...lines].join("\n") }));
')
FILE=$(call -X PUT "$API/v1/projects/$PROJECT/files/content?path=visits.csv" -d "$CSV" | member id)
IMPORT=$(call "$API/v1/projects/$PROJECT/files/$FILE/imports" -d '{"table_name": "visits", "mode": "replace"}' | member id)
until [ "$(call "$API/v1/table-imports/$IMPORT" | member status)" = succeeded ]; do sleep 1; done
TABLE=$(call "$API/v1/table-imports/$IMPORT" | member tableId)
call "$API/v1/projects/$PROJECT/catalog-entries" -d "{\"table_id\": \"$TABLE\"}" > /dev/null

echo "2. A conversation, and a reader that follows it."
CHATS="$API/v1/projects/$PROJECT/conversations"
CHAT="$CHATS/$(call "$CHATS" -d '{"title": "Visits"}' | member id)"
EVENTS=$(mktemp)
curl -sSN -H "Authorization: Bearer $TOKEN" "$CHAT/events?after=0" > "$EVENTS" &
READER=$!
trap 'kill $READER 2> /dev/null; rm -f "$EVENTS"' EXIT

# Asks, and gives the whole answer.
ask() { call "$CHAT/messages" -d "{\"model\": \"offline\", \"message\": \"$1\"}"; }
until_ended() {
  until REPLY=$(call "$CHAT/messages/$1") && [ "$(printf "%s" "$REPLY" | member status)" != streaming ]; do sleep 1; done
}
answered() {
  until_ended "$1"
  printf "%s" "$REPLY" | member content
}
answered "$(ask "How many guests were there by city?" | member messageId)"

echo "3. Three questions at once: the first is stopped, and what waits is held."
FIRST=$(ask "Draw the guests by month." | member messageId)
SECOND=$(ask "What is the average of guests?" | member queuedMessage.id)
THIRD=$(ask "How many visits were there in Porto?" | member queuedMessage.id)
call -X POST "$CHAT/messages/$FIRST/cancel?confirm=true"
call "$CHAT/queue"

echo "4. One is changed while it waits, and the queue goes on."
call -X PATCH "$CHAT/queue/$SECOND" -d '{"message": "What is the maximum of guests?", "expected_revision": 1}' > /dev/null
call -X POST "$CHAT/queue/resume" > /dev/null
for QUEUED in "$SECOND" "$THIRD"; do
  until MESSAGE=$(call "$CHAT/queue/$QUEUED") && [ "$(printf "%s" "$MESSAGE" | member state)" != queued ]; do sleep 1; done
  answered "$(printf "%s" "$MESSAGE" | member messageId)"
done

echo "5. What the reader saw, event by event."
sed -n 's/^event: //p' "$EVENTS" | sort | uniq -c
