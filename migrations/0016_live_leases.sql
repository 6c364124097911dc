-- While a request runs it says so again and again: the key of one whose process died is free after some seconds.
ALTER TABLE idempotency_keys ADD COLUMN alive_until timestamptz NOT NULL DEFAULT now() + interval '10 seconds';
