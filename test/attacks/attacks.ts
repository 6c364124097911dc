import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { conversationAttacks } from './conversation-attacks.ts';
import { lakeAttacks } from './lake-attacks.ts';
import { reportAttacks } from './report-attacks.ts';
import { type FilePlace, importEnd, importFile, newTable, type Session, uploadFile } from './session.ts';
import { longFormat, sameCells } from './workbooks.ts';
import { workflowAttacks } from './workflow-attacks.ts';

const mebibytes = (count: number) => count * 1_048_576;

function preview(session: Session, { file }: FilePlace): Promise<number> {
  return session.send('POST', `/v1/assets/${file}/previews`, '{"page_size":10}');
}

/** A CSV of about that many bytes. */
function csvOf(bytes: number): Buffer {
  const lines = Array.from(
    { length: 1_000 },
    (_, i) => `${i},city ${i % 17},${i / 7},2026-01-${(i % 28) + 1}`,
  );
  const block = `${lines.join('\n')}\n`;
  return Buffer.from(`id,city,amount,day\n${block.repeat(Math.ceil(bytes / block.length))}`);
}

function ndjsonOf(bytes: number): Buffer {
  const block = Array.from(
    { length: 1_000 },
    (_, i) => `{"id":${i},"city":"city ${i}","tags":[1,2,{"a":${i}}]}\n`,
  );
  return Buffer.from(block.join('').repeat(Math.ceil(bytes / block.join('').length)));
}

export const attacks: readonly Attack[] = [
  {
    name: 'first rows of tables at once',
    atOnce: 1,
    async prepare(session) {
      return async (count) => {
        const size = 2 + (count % 15);
        const made = await Promise.all(
          Array.from({ length: size }, () => newTable(session, [{ name: 'a' }])),
        );
        const answers = await Promise.all(
          made.map((table, index) =>
            session.send(
              index % 2 === 0 ? 'POST' : 'PUT',
              `/v1/tables/${table}/rows`,
              '{"rows":[{"s_id":1,"a":0.5}]}',
            ),
          ),
        );
        for (const table of made) await session.send('DELETE', `/v1/tables/${table}?confirm=true`, '');
        return [...new Set(answers)].join('+');
      };
    },
  },
  {
    name: 'a number of 120,000 zeros',
    atOnce: 4,
    prepare: async (session) => () =>
      session.send('POST', '/v1/projects', `{"name":"a","n":1${'0'.repeat(120_000)}.5}`),
  },
  {
    name: 'a CSV header of 100,000 digits',
    atOnce: 4,
    async prepare(session) {
      const place = await uploadFile(session, 'digits.csv', Buffer.from(`${'1'.repeat(100_000)}x,b\n1,2\n`));
      return () => preview(session, place);
    },
  },
  {
    name: 'a number format of 200,000 brackets',
    atOnce: 4,
    async prepare(session) {
      const place = await uploadFile(session, 'format.xlsx', longFormat(200_000));
      return () => preview(session, place);
    },
  },
  {
    name: '32 MB of rows with nested numbers',
    atOnce: 4,
    async prepare(session) {
      const table = await newTable(session, [{ name: 'a', data_type: 'JSON' }]);
      const row = (id: number) => `{"s_id":${id},"a":[${'[0.12345678901234567,1e5],'.repeat(250)}0]}`;
      const body = Buffer.from(`{"rows":[${Array.from({ length: 4_900 }, (_, i) => row(i)).join(',')}]}`);
      return () => session.send('PUT', `/v1/tables/${table}/rows`, body);
    },
  },
  {
    name: '2.5 million keys',
    atOnce: 4,
    async prepare(session) {
      const table = await newTable(session, [{ name: 'a' }]);
      const members = Array.from({ length: 500 }, (_, i) => `"k${i}":1`).join(',');
      const body = Buffer.from(`{"rows":[${Array(5_000).fill(`{${members}}`).join(',')}]}`);
      return () => session.send('POST', `/v1/tables/${table}/rows`, body);
    },
  },
  {
    name: 'a sheet of 40 million cells',
    atOnce: 4,
    async prepare(session) {
      const place = await uploadFile(session, 'cells.xlsx', sameCells(40_000_000));
      let imports = 0;
      return async (count) => {
        if (count % 4 !== 0) return preview(session, place);
        imports += 1;
        return importEnd(session, await importFile(session, place, `cells_${process.pid}_${imports}`));
      };
    },
  },
  {
    name: 'heavy statements whose clients go away',
    atOnce: 8,
    async prepare(session) {
      const { hostname, port } = new URL(session.apiUrl);
      const body = JSON.stringify({
        sql: 'SELECT sum(hash(a.range)) FROM range(10000000000) a',
        timeout_ms: 120_000,
      });
      const head = `POST /v1/query-executions HTTP/1.1\r\nHost: x\r\nAuthorization: ${session.headers['authorization']}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      return async () => {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.on('error', () => undefined);
        socket.write(head + body);
        await delay(300);
        socket.destroy();
        return 'gone';
      };
    },
  },
  {
    name: '40 bodies of 33 MB that stall',
    atOnce: 40,
    async prepare(session) {
      const table = await newTable(session, [{ name: 'a' }]);
      const { hostname, port } = new URL(session.apiUrl);
      const head = `POST /v1/tables/${table}/rows HTTP/1.1\r\nHost: x\r\nAuthorization: ${session.headers['authorization']}\r\nContent-Type: application/json\r\nContent-Length: ${mebibytes(32)}\r\n\r\n`;
      const most = Buffer.alloc(mebibytes(31), ' ');
      return () =>
        new Promise((resolve) => {
          const socket = connect({ host: hostname, port: Number(port) });
          let answer = '';
          socket.on('error', () => undefined);
          socket.on('data', (part) => {
            answer += part;
          });
          // A refused client comes back as soon as it was refused.
          socket.on('close', () => setTimeout(() => resolve(answer.slice(9, 12) || 'cut'), 2_000));
          socket.write(head);
          socket.write(most);
        });
    },
  },
  {
    name: 'semantics of numbers with large exponents',
    atOnce: 4,
    async prepare(session) {
      const table = await newTable(session, [{ name: 'a' }]);
      const body = `{"semantics":{"a":[${Array(3_300).fill('1e130000').join(',')}]}}`;
      return async (count) => {
        if (count % 3 === 0) return session.send('GET', '/v1/tables/catalog', '');
        return session.send(
          'PATCH',
          `/v1/tables/${table}/catalog`,
          count % 3 === 1 ? body : body.replaceAll('130000', '400'),
        );
      };
    },
  },
  {
    name: 'file contents of 12 MB, plain and escaped',
    atOnce: 16,
    async prepare(session) {
      const { project } = await uploadFile(session, 'any.csv', Buffer.from('a\n1\n'));
      const bodies = ['x'.repeat(8_000_000), '\\u00e9'.repeat(2_000_000), '\\n'.repeat(5_000_000)].map(
        (content) => Buffer.from(`{"content":"${content}"}`),
      );
      const path = `/v1/projects/${project}/files/content?path=large.txt`;
      return (count) => session.send('PUT', path, bodies[count % bodies.length]!);
    },
  },
  {
    name: 'manifests of 30,000 pages',
    atOnce: 16,
    async prepare(session) {
      const table = await newTable(session, [{ name: 'a' }]);
      const batches = `/v1/tables/${table}/ingestion-batches`;
      const batch = (await session.call('POST', batches, { mode: 'append' })).body.data.id as string;
      const pages = Array.from({ length: 30_000 }, (_, i) => ({
        page_number: i + 1,
        sha256: '0'.repeat(64),
      }));
      const body = Buffer.from(JSON.stringify({ page_count: 30_000, pages }));
      return () => session.send('POST', `${batches}/${batch}/complete`, body);
    },
  },
  {
    name: 'ten previews of 60 MB of NDJSON',
    atOnce: 10,
    async prepare(session) {
      const place = await uploadFile(session, 'large.ndjson', ndjsonOf(mebibytes(60)));
      return () => preview(session, place);
    },
  },
  {
    name: 'JSON nested 10,000 deep',
    atOnce: 2,
    async prepare(session) {
      const record = `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
      const place = await uploadFile(session, 'deep.json', Buffer.from(`[${record}]`));
      return async (count) => {
        if (count % 2 === 0) return preview(session, place);
        return importEnd(session, await importFile(session, place, `deep_${process.pid}_${count}`));
      };
    },
  },
  {
    name: '14 imports of 60 MB',
    atOnce: 14,
    async prepare(session) {
      const place = await uploadFile(session, 'large.csv', csvOf(mebibytes(60)));
      return async (count) =>
        importEnd(session, await importFile(session, place, `large_${process.pid}_${count}`));
    },
  },
  {
    name: 'garbage bearers and wrong secrets',
    atOnce: 16,
    prepare: async (session) => async (count) => {
      const isBearer = count % 2 === 0;
      const answer = await fetch(`${session.apiUrl}${isBearer ? '/v1/me' : '/v1/auth/m2m/token'}`, {
        method: isBearer ? 'GET' : 'POST',
        ...(isBearer
          ? { headers: { authorization: `Bearer garbage${count}` } }
          : { body: new URLSearchParams({ client_id: 'cli_nobody', client_secret: String(count) }) }),
      });
      await answer.arrayBuffer();
      return answer.status;
    },
  },
  ...conversationAttacks,
  ...lakeAttacks,
  ...reportAttacks,
  ...workflowAttacks,
];
