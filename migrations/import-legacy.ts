import { readFileSync } from 'node:fs';
import { createCipher } from '../data/encryption.ts';
import { createDatabase } from '../data/postgres/client.ts';
import { importLegacy, type LegacyKinds } from '../domain/automation/legacy/import.ts';
import { legacySchedules } from '../domain/automation/schedules/legacy.ts';
import { legacyWorkflows } from '../domain/automation/workflows/definitions/legacy.ts';

/**
 * Imports schedules and workflows of another system: `node migrations/import-legacy.ts FILE`, with
 * DATABASE_URL and ENCRYPTION_KEYS. FILE has one JSON object per line, as described in docs/schedules.md and
 * docs/workflows.md.
 */
const [file] = process.argv.slice(2);
const { DATABASE_URL: url, ENCRYPTION_KEYS: keys } = process.env;
if (file === undefined || url === undefined || keys === undefined) {
  console.error('Usage: DATABASE_URL=… ENCRYPTION_KEYS=… node migrations/import-legacy.ts FILE');
  process.exit(2);
}

const lines = readFileSync(file, 'utf8').split('\n');
const records = lines
  .map((text, index) => ({ text, line: index + 1 }))
  .filter(({ text }) => text.trim() !== '')
  .map(({ text, line }) => ({ line, record: parsed(text, line) }));
const kinds = {
  playbook: legacySchedules,
  workflow: legacyWorkflows(createCipher(keys)),
} as unknown as LegacyKinds;
const { db } = createDatabase({ url, maxConnections: 1, applicationName: 'import-legacy' });
try {
  const outcome = await importLegacy(
    db,
    kinds,
    records.map(({ record }) => record),
  );
  if ('faults' in outcome) {
    for (const { record, message } of outcome.faults)
      console.error(`Line ${records[record - 1]!.line}: ${message}`);
    console.error('Nothing was imported.');
    process.exitCode = 1;
  } else {
    for (const { id, key, isNew } of outcome.imported)
      console.log(`${id} ${isNew ? 'imported' : 'already exists'} (${key})`);
  }
} finally {
  await db.destroy();
}

function parsed(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    console.error(`Line ${line} isn't valid JSON. Nothing was imported.`);
    process.exit(1);
  }
}
