# Functions that the examples share: they find the stack, get a token and call the API. The examples source this file.
STACK="${WORKSPACE_DATA_DIR:-.data}"
[ -f "$STACK/local.json" ] || {
  echo "No stack is running on $STACK. Run npm start, or set WORKSPACE_DATA_DIR to its folder." >&2
  exit 1
}
stack() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1]))[process.argv[2]]' "$STACK/local.json" "$1"; }
# Prints a field of an answer, by its path. If it is missing, prints the answer to stderr.
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
# Checks with a temporary connection that the service can reach a port of this machine. If not, says how to
# start it, and ends.
reaches() {
  PROBE=$(call "$API/v1/connections/data" -d "{\"name\": \"Port $1, $$\", \"type\": \"http\",
    \"config\": {\"base_url\": \"http://127.0.0.1:$1\"}}" | member id)
  TESTED=$(call -X POST "$API/v1/connections/data/$PROBE/test")
  call -X DELETE "$API/v1/connections/data/$PROBE" > /dev/null
  case "$TESTED" in *'"address_refused"'*)
    echo "This example runs servers on this machine. To let the service reach them, stop it and start it like this:" >&2
    echo "  ${WORKSPACE_DATA_DIR:+WORKSPACE_DATA_DIR='$WORKSPACE_DATA_DIR' }ALLOWED_PRIVATE_ADDRESSES=127.0.0.0/8 npm start" >&2
    exit 1 ;;
  esac
}
call() {
  curl -sS --fail-with-body -w '\n' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@" || {
    echo "This request failed: $*" >&2
    return 1
  }
}
# Ends the example if a result isn't the expected one.
expect() {
  [ "$1" = "$2" ] && return
  echo "The result is $2, but it should be $1." >&2
  exit 1
}
# Waits until the import or run at an address has ended.
ended() {
  while :; do
    STATUS=$(call "$1" | member status) || exit 1
    case "$STATUS" in queued | running | waiting) sleep 1 ;; *) return ;; esac
  done
}
# Waits until it has ended with the status `succeeded`, or the given one.
succeeds() {
  ended "$1"
  expect "${2:-succeeded}" "$STATUS"
}
# The same, but mails can fail if the service has no mail server. The steps are listed at this address, or at a
# second one.
succeeds_but_mails() {
  ended "$1"
  [ "$STATUS" = succeeded ] && return
  call "${2:-$1}" | node -e '
    const { items, data } = JSON.parse(require("fs").readFileSync(0));
    const failed = (items ?? data.steps).filter(({ status }) => status === "failed");
    const isMail = ({ error }) => /SMTP_URL/.test(error?.message);
    process.exit(failed.length > 0 && failed.every(isMail) ? 0 : 1);' || expect succeeded "$STATUS"
  echo "   everything except the mail succeeded: this service has no mail server (SMTP_URL)"
}
