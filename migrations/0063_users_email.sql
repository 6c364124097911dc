-- Replaced by users_live_email.
DROP INDEX users_email;
