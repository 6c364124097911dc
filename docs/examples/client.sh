# Shared by the examples: where the stack is, a token, and calls with it. Sourced by them, not run on its own.
STACK="${WORKSPACE_DATA_DIR:-.data}"
[ -f "$STACK/local.json" ] || {
  echo "No stack is running on $STACK: run npm start, or set WORKSPACE_DATA_DIR to its directory." >&2
  exit 1
}
stack() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1]))[process.argv[2]]' "$STACK/local.json" "$1"; }
# A member of an answer by its path; if it is missing, the answer itself on stderr.
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
# Ends if the service may not reach a port of this machine, and says how to start it. Checked with a temporary
# connection.
reaches() {
  PROBE=$(call "$API/v1/connections/data" -d "{\"name\": \"Port $1, $$\", \"type\": \"http\",
    \"config\": {\"base_url\": \"http://127.0.0.1:$1\"}}" | member id)
  TESTED=$(call -X POST "$API/v1/connections/data/$PROBE/test")
  call -X DELETE "$API/v1/connections/data/$PROBE" > /dev/null
  case "$TESTED" in *'"address_refused"'*)
    echo "This example has servers on this machine, which the service may not reach. Stop it, and start it so:" >&2
    echo "  ${WORKSPACE_DATA_DIR:+WORKSPACE_DATA_DIR='$WORKSPACE_DATA_DIR' }ALLOWED_PRIVATE_ADDRESSES=127.0.0.0/8 npm start" >&2
    exit 1 ;;
  esac
}
call() {
  curl -sS --fail-with-body -w '\n' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@" || {
    echo "It ends here: $*" >&2
    return 1
  }
}
# Ends the example if a result is not the expected one.
expect() {
  [ "$1" = "$2" ] && return
  echo "It ends here: $2, where $1 is expected." >&2
  exit 1
}
# Waits until the resource at an address has ended: an import, a run, a fire.
ended() {
  while :; do
    STATUS=$(call "$1" | member status) || exit 1
    case "$STATUS" in queued | running | waiting) sleep 1 ;; *) return ;; esac
  done
}
# Waits for its end, which must be `succeeded` or the given status.
succeeds() {
  ended "$1"
  expect "${2:-succeeded}" "$STATUS"
}
# The same, but mails may fail if the service has no mail server; its parts are listed there, or at a second
# address.
succeeds_but_mails() {
  ended "$1"
  [ "$STATUS" = succeeded ] && return
  call "${2:-$1}" | node -e '
    const { items, data } = JSON.parse(require("fs").readFileSync(0));
    const failed = (items ?? data.steps).filter(({ status }) => status === "failed");
    const isMail = ({ error }) => /SMTP_URL/.test(error?.message);
    process.exit(failed.length > 0 && failed.every(isMail) ? 0 : 1);' || expect succeeded "$STATUS"
  echo "   everything but the mail: this service has no mail server (SMTP_URL)"
}
