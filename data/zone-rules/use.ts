/**
 * Imported first by the programs of the service. Node reads the rules of time zones before its first line of
 * JavaScript, so a program that was started without them starts itself again, as the same process.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processEnvironment, zoneRulesVariable } from '../process-environment.ts';

const file = join(processEnvironment[zoneRulesVariable], 'zoneinfo64.res');
// Empty if the file that was to be used cannot be read.
const version = process.versions.tz || 'an unknown release';
if (!readFileSync(file).includes(Buffer.from(version, 'utf16le'))) {
  // Another process cannot take over the channel to a parent.
  const isOver = process.env[zoneRulesVariable] !== undefined || process.send !== undefined;
  if (isOver || process.execve === undefined)
    throw new Error(
      `Node uses the zone rules of ${version}, which differ from those of ${file}. Set ${zoneRulesVariable} to the file's folder before Node starts. If it is already set, the file can't be read as rules.`,
    );
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...process.env, ...processEnvironment });
}
