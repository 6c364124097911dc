#!/bin/sh
# A conversation with the analyst about an imported file. Run it in the repository's folder while `npm start` is
# running.
#
#   sh docs/examples/talk.sh
#
# It stops at the first failure and reports it.
set -eu
. "$(dirname "$0")/client.sh"

echo "1. Import a file, and attach its table to the project. The analyst sees only attached tables."
PROJECT=$(call "$API/v1/projects" -d '{"name": "Talk"}' | member id)
CSV=$(node -e '
  const cities = ["Porto", "Lagos", "Osaka"];
  const lines = Array.from({ length: 3000 }, (_, i) => `${i},${cities[i % 3]},${(i % 50) + 1},2026-${String((i % 12) + 1).padStart(2, "0")}-15`);
  console.log(JSON.stringify({ content: ["visit_id,city,guests,visited_on", ...lines].join("\n") }));
')
FILE=$(call -X PUT "$API/v1/projects/$PROJECT/files/content?path=visits.csv" -d "$CSV" | member id)
IMPORT=$(call "$API/v1/projects/$PROJECT/files/$FILE/imports" -d '{"table_name": "visits", "mode": "replace"}' | member id)
succeeds "$API/v1/table-imports/$IMPORT"
TABLE=$(call "$API/v1/table-imports/$IMPORT" | member tableId)
call "$API/v1/projects/$PROJECT/catalog-entries" -d "{\"table_id\": \"$TABLE\"}" > /dev/null

echo "2. Start a conversation, follow its events, and ask a question."
CHATS="$API/v1/projects/$PROJECT/conversations"
CHAT="$CHATS/$(call "$CHATS" -d '{"title": "Visits"}' | member id)"
EVENTS=$(mktemp)
curl -sSN -H "Authorization: Bearer $TOKEN" "$CHAT/events?after=0" > "$EVENTS" &
READER=$!
trap 'kill $READER 2> /dev/null; rm -f "$EVENTS"' EXIT

# Asks a question and prints the answer of the API.
ask() { call "$CHAT/messages" -d "{\"model\": \"offline\", \"message\": \"$1\"}"; }
until_ended() {
  until REPLY=$(call "$CHAT/messages/$1") && [ "$(printf "%s" "$REPLY" | member status)" != streaming ]; do sleep 1; done
}
answered() {
  until_ended "$1"
  printf "%s" "$REPLY" | member content
}
answered "$(ask "How many guests were there by city?" | member messageId)"

echo "3. Ask three questions at once and stop the first. The other two are held."
FIRST=$(ask "Draw the guests by month." | member messageId)
SECOND=$(ask "What is the average of guests?" | member queuedMessage.id)
THIRD=$(ask "How many visits were there in Porto?" | member queuedMessage.id)
call -X POST "$CHAT/messages/$FIRST/cancel?confirm=true"
call "$CHAT/queue"

echo "4. Change a waiting question, and resume the queue."
call -X PATCH "$CHAT/queue/$SECOND" -d '{"message": "What is the maximum of guests?", "expected_revision": 1}' > /dev/null
call -X POST "$CHAT/queue/resume" > /dev/null
for QUEUED in "$SECOND" "$THIRD"; do
  until MESSAGE=$(call "$CHAT/queue/$QUEUED") && [ "$(printf "%s" "$MESSAGE" | member state)" != queued ]; do sleep 1; done
  answered "$(printf "%s" "$MESSAGE" | member messageId)"
done

echo "5. Count the events by type."
sed -n 's/^event: //p' "$EVENTS" | sort | uniq -c
