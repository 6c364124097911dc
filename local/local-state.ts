import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writePrivateFile } from './private-file.ts';

const localState = z.object({
  apiUrl: z.string(),
  docsUrl: z.string(),
  temporalAddress: z.string(),
  /** Null if Temporal is not started by the stack: then its address is not known. */
  temporalUiUrl: z.string().nullable(),
  /** Where the mails of this stack are shown; null if another mail server is configured. */
  mailPageUrl: z.string().nullable(),
  /** Where API and worker show their metrics; older releases did not write it. */
  metricsUrls: z.array(z.string()).default([]),
  /** Where BI tools connect, as to PostgreSQL; null if they are not served. */
  postgresPort: z.number().int().nullable().default(null),
  databaseUrl: z.string(),
  s3Endpoint: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  /** One-time page on which the first owner makes an account; null in data directories of before. */
  ownerUrl: z.string().nullable().default(null),
  /** Process ids of the local parts that are up. */
  pids: z.partialRecord(z.enum(['api', 'worker', 'temporal', 'postgres', 's3', 'mail']), z.number().int()),
  /** The environment of API and worker, for commands that work on the same stack. */
  environment: z.record(z.string(), z.string()),
});

/** The content of `local.json`: a running stack. */
export type LocalState = z.infer<typeof localState>;

const fileOf = (dataDir: string) => join(dataDir, 'local.json');

/** The lock that the stack of this data directory holds while it runs. */
export function stackLock(dataDir: string): string {
  return `stack ${dataDir}`;
}

export function writeLocalState(dataDir: string, state: LocalState): void {
  writePrivateFile(fileOf(dataDir), `${JSON.stringify(state, null, 2)}\n`);
}

export function readLocalState(dataDir: string): LocalState | undefined {
  const content = readJsonFile(fileOf(dataDir));
  return content === undefined ? undefined : localState.parse(content);
}

export function removeLocalState(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true });
}
