import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { runCli } from './run-cli.ts';

test('Ctrl-C while rows are sent says that those may be there too', async () => {
  const stop = new AbortController();
  let requests = 0;
  // The second request for rows is not answered.
  const service = createServer((request, response) => {
    const answer = (body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    request.resume().once('end', () => {
      if (request.url === '/v1/tables') return answer({ tables: [{ id: 'tbl_1', name: 'targets' }] });
      if (request.url === '/v1/views') return answer({ views: [] });
      requests += 1;
      if (requests === 1) return answer({ data: { rowsWritten: 1_000, tableVersion: 1 } });
      return stop.abort();
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  try {
    const { code, err } = await runCli(['append', 'targets'], {
      env: { WORKSPACE_URL: `http://127.0.0.1:${port}`, WORKSPACE_TOKEN: 'token' },
      input: Array.from({ length: 1_500 }, (_, at) => `{"s_id":${at}}\n`).join(''),
      stop: stop.signal,
    });
    const printed = [
      'At least 1000 rows appended before the failure. They stay in the table.',
      'The rows of the last request may be in the table too.',
    ];
    expect([code, err.split('\n')]).toEqual([130, [...printed, 'Stopped.', '']]);
  } finally {
    service.closeAllConnections();
    service.close();
  }
});
