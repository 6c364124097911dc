/**
 * Checks that all tests wait through test/support/eventually.ts, whose timeout is long enough for slow
 * machines, and that each file of the long ring has one beside it that holds a little of the same in the short
 * ring. A test that waits a second fails on a busy machine.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';

const helper = 'test/support/eventually.ts';

/** Vitest's own ways to wait, each with its own timeout. */
const waits = /\bvi\s*\.\s*(?:waitUntil|waitFor)\b|\bexpect\s*\.\s*poll\b/g;
/** What a hand-written wait loop contains, in either form. */
const sleeps =
  /\bsetTimeout\b[^;]*? from '(?:node:)?timers\/promises'|new Promise(?:<\w+>)?\(\(?\w*\)? => setTimeout\(/g;

/** Tests that let time pass without waiting for an event. */
const lettingTimePass: Readonly<Record<string, string>> = {
  'packages/file-reader/test/stage.test.ts': 'an abort at a chosen moment',
  'test/api/body-bytes.test.ts': 'a request that is admitted is told by no answer within a while',
  'test/api/analyst/conversations/events.test.ts': 'nothing may come meanwhile',
  'test/api/analyst/conversations/streams.test.ts': 'a reader that is slow on purpose',
  'test/api/intake/datasets/http-pages-ahead.test.ts': 'a source whose answers take different times',
  'test/api/edges.test.ts': 'bytes of a request that arrive slowly',
  'test/api/automation/workflows/delivery-time.test.ts': 'a delivery that takes its time',
  'test/api/mcp/tools.test.ts': 'a query must be in progress before it is dropped',
  'test/data/lake/engine.test.ts': 'a statement must be in progress before it is ended',
  'test/data/mail/mailer.test.ts': 'a server that answers late',
  'test/domain/publishing/deliveries/once.test.ts': 'processes that are ended at chosen moments',
  'test/domain/tables/rows/append-group.test.ts': 'commits that take a while',
  'test/workflows/delivery/deliver.test.ts': 'an activity that takes a while',
  'test/workflows/lake-maintenance.test.ts': 'work that takes a while',
};

const faults: string[] = [];
for (const file of globSync('{test,packages/*/test}/**/*.ts')) {
  if (file === helper) continue;
  const text = readFileSync(file, 'utf8');
  for (const [found] of text.matchAll(waits))
    faults.push(`${file} waits with ${found.replace(/\s/g, '')}. Use expectEventually of ${helper} instead.`);
  if (!file.endsWith('.test.ts') || file in lettingTimePass) continue;
  for (const [found] of text.matchAll(sleeps))
    faults.push(
      `${file} lets time pass (${found}). Wait with eventually of ${helper}, or give the reason in local/check-tests.ts.`,
    );
}
for (const file of globSync('{test,packages/*/test}/**/*.long.test.ts')) {
  const short = file.replace('.long.', '.');
  if (!existsSync(short)) faults.push(`${file} has only a long test. Add a short version of it in ${short}.`);
}
for (const [file] of Object.entries(lettingTimePass)) {
  const [text] = globSync(file).map((path) => readFileSync(path, 'utf8'));
  if (text === undefined || !text.match(sleeps))
    faults.push(`${file} no longer lets time pass. Remove it from the list in local/check-tests.ts.`);
}
for (const fault of faults) console.error(fault);
console.log(
  `${globSync('{test,packages/*/test}/**/*.test.ts').length} files of tests, ${faults.length} faults.`,
);
process.exit(faults.length === 0 ? 0 : 1);
