import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type LocalState,
  readLocalState,
  removeLocalState,
  writeLocalState,
} from '../../local/local-state.ts';
import { keptSecret, writePrivateFile } from '../../local/private-file.ts';

const state: LocalState = {
  apiUrl: 'http://127.0.0.1:8080',
  docsUrl: 'http://127.0.0.1:8080/docs',
  temporalAddress: '127.0.0.1:7233',
  temporalUiUrl: null,
  mailPageUrl: null,
  metricsUrls: ['http://127.0.0.1:9464/metrics'],
  postgresPort: 9465,
  databaseUrl: 'postgres://localhost/workspace',
  s3Endpoint: 'http://127.0.0.1:9000',
  clientId: 'cli_1',
  clientSecret: 'secret',
  ownerUrl: null,
  pids: { api: 1, worker: 2 },
  environment: {},
};

describe('private files', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'workspace-files-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('can be read by their owner alone and leave no temporary file', () => {
    const path = join(directory, 'nested', 'secret');
    writePrivateFile(path, 'one');
    writePrivateFile(path, 'two');
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(directory, 'nested'))).toEqual(['secret']);
  });

  it('keep a secret once it is made', () => {
    const path = join(directory, 'secret');
    expect(keptSecret(path, () => 'first')).toBe('first');
    expect(keptSecret(path, () => 'second')).toBe('first');
  });

  it('hold the state of a stack while it runs', () => {
    expect(readLocalState(directory)).toBeUndefined();
    writeLocalState(directory, state);
    expect(readLocalState(directory)).toEqual(state);
    removeLocalState(directory);
    expect(readLocalState(directory)).toBeUndefined();
  });
});
