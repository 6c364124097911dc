"""Hooks of Schemathesis: authenticate as a client, use only loopback, ignore the failures in allowed.py."""

import ipaddress
import json
import os
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import schemathesis

sys.path.insert(0, str(Path(__file__).parent))
from allowed import reason_for  # noqa: E402

URL = os.environ["FUZZ_URL"]
connect = socket.socket.connect


def connect_to_loopback(self, address):
    """Only this machine may be reached, whatever a case or an answer names."""
    if self.family in (socket.AF_INET, socket.AF_INET6) and not ipaddress.ip_address(address[0]).is_loopback:
        raise OSError(f"Only loopback may be reached, not {address[0]}.")
    return connect(self, address)


socket.socket.connect = connect_to_loopback


def exchange() -> str:
    """A token. Waits if the service asks for it, because cases send wrong secrets from the same address."""
    credentials = {"client_id": os.environ["FUZZ_CLIENT_ID"], "client_secret": os.environ["FUZZ_CLIENT_SECRET"]}
    form = urllib.parse.urlencode(credentials).encode()
    for _ in range(30):
        try:
            with urllib.request.urlopen(f"{URL}/v1/auth/m2m/token", form, timeout=30) as answer:
                return json.load(answer)["access_token"]
        except urllib.error.HTTPError as refused:
            if refused.code != 429:
                raise
            time.sleep(int(refused.headers["Retry-After"]))
    raise RuntimeError("No token within 30 tries.")


@schemathesis.auth()
class Token:
    def get(self, case, context):
        return exchange()

    def set(self, case, data, context):
        # Logout revokes its own token, which must not be the one that all other cases use.
        token = exchange() if case.operation.path == "/v1/auth/logout" else data
        case.headers["Authorization"] = f"Bearer {token}"


@schemathesis.hook
def filter_failure(context, failure, case, response):
    return reason_for(failure, case.operation.label, response) is None
