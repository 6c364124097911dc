#!/bin/sh
# PostgreSQL's image runs this once, when it has made an empty server.
set -eu
psql --set ON_ERROR_STOP=1 --username postgres --set workspace="$WORKSPACE_DB_PASSWORD" \
  --set temporal="$TEMPORAL_DB_PASSWORD" <<'SQL'
CREATE ROLE workspace LOGIN CREATEROLE PASSWORD :'workspace';
CREATE DATABASE workspace OWNER workspace;
CREATE ROLE temporal LOGIN PASSWORD :'temporal';
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
SQL
