import { expect, test } from 'vitest';
import { faultsOf } from '../../local/check-migrations.ts';

const harmful = [
  'CREATE INDEX runs_title ON runs (title);',
  'CREATE UNIQUE INDEX CONCURRENTLY runs_title ON runs (title);',
  'ALTER TABLE runs ALTER COLUMN title TYPE varchar(10);',
  'ALTER TABLE runs ALTER COLUMN title SET NOT NULL;',
  'ALTER TABLE runs ADD COLUMN token text NOT NULL DEFAULT gen_random_uuid();',
  'ALTER TABLE runs ADD COLUMN kind2 text NOT NULL;',
  'ALTER TABLE runs ADD CONSTRAINT short CHECK (length(title) < 10);',
  'ALTER TABLE runs ADD FOREIGN KEY (project_id) REFERENCES projects (id);',
  'ALTER TABLE runs DROP COLUMN title;',
  'ALTER TABLE runs RENAME COLUMN title TO name;',
  'DROP TABLE runs;',
  'DROP FUNCTION purge_expired;',
  "UPDATE runs SET title = '';",
  'DELETE FROM runs;',
  'LOCK TABLE runs;',
  '-- outside a transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a ON runs (a); SELECT 1;',
];

test.each(harmful)('refuses %s', (text) => {
  expect(faultsOf(text)).not.toEqual([]);
});

const harmless = [
  "CREATE TABLE notes (a text NOT NULL); CREATE INDEX notes_a ON notes (a); ALTER TABLE notes ADD CHECK (a <> '');",
  '-- outside a transaction\n-- Why.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS runs_title ON runs (title);',
  'ALTER TABLE runs ADD COLUMN note text, ADD COLUMN tries integer NOT NULL DEFAULT 0;',
  'ALTER TABLE runs ADD CONSTRAINT short CHECK (length(title) < 10) NOT VALID;',
  'CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DELETE FROM runs; UPDATE runs SET title = 1; $$;',
  '-- allowed: nothing has read it for two releases\nDROP TABLE runs;',
];

test.each(harmless)('takes %s', (text) => {
  expect(faultsOf(text)).toEqual([]);
});
