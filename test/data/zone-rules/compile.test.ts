import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { processEnvironment } from '../../../data/process-environment.ts';
import { compileZones } from '../../../data/zone-rules/compile.ts';
import { newestZones } from './newest.ts';

test('the kept rules are those of the newest database, and Node reads them', async () => {
  const kept = readFileSync(`${processEnvironment.ICU_TIMEZONE_FILES_DIR}/zoneinfo64.res`);
  const { version, file } = compileZones(await newestZones());
  expect(kept.equals(file), `they are not those of ${version}: compile them anew`).toBe(true);
  expect(process.versions.tz).toBe(version);
}, 120_000);
