import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { clientsFolder, makePythonClient, ran } from '../generators/generate.ts';
import { useWorker } from '../support/worker.ts';
import { useWorkspace } from '../support/workspace.ts';

/** Clients generated from the document are used as somebody would who has only the document. */
const workspace = useWorkspace();
useWorker(workspace);
/** Installs the generators if they are missing. */
const timeout = 600_000;

let folder: string;
beforeAll(() => workspace.listen());
beforeEach(async () => {
  folder = await clientsFolder((await workspace.call('GET', '/openapi.json')).text);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Copies the program to where the client is. */
const copied = (program: string) =>
  copyFile(fileURLToPath(new URL(program, import.meta.url)), join(folder, program));

/** The arguments of a tour, which is the only one in its organization. */
async function account(): Promise<string[]> {
  const { clientId, clientSecret } = await workspace.organization();
  const { port } = workspace.app.server.address() as { port: number };
  return [`http://127.0.0.1:${port}`, clientId, clientSecret];
}

const wholeTour = [
  'uploaded true',
  'columns {"order_no":"STRING","city":"STRING","amount":"DOUBLE"}',
  'import ["succeeded",3]',
  'orders [{"city":"Lagos","orders":1},{"city":"Porto","orders":2}]',
  'appended 1',
  'upserted [1,1]',
  'page [["Porto",20]]',
  'page [["Lagos",5]]',
  'tables ["orders import","targets data"]',
  'export ["succeeded",2]',
  'content "city,target\\r\\nLagos,5\\r\\nPorto,20\\r\\n"',
  'gone ["application/problem+json",404,"not_found"]',
];

test('the client of openapi-python-client goes through the tour', { timeout }, async () => {
  const { path } = await makePythonClient(folder);
  await copied('tour.py');
  const said = await ran(folder, 'python3', ['tour.py', ...(await account())], path);
  expect(said.trimEnd().split('\n')).toEqual(wholeTour);
});
