#!/bin/sh
# Creates or upgrades the tables of Temporal. SQL_PASSWORD has the password of the role.
set -eu
for part in temporal visibility; do
  database=temporal
  [ "$part" = temporal ] || database=temporal_visibility
  tool="temporal-sql-tool --plugin postgres12 --endpoint postgres --port 5432 --user temporal --database $database"
  $tool setup-schema --version 0.0
  $tool update-schema --schema-dir "/etc/temporal/schema/postgresql/v12/$part/versioned"
done
