import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { readDocx, readPdf } from '../../../support/documents.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

let client: TestClient;
let reports: string;

beforeAll(async () => {
  client = await workspace.organization();
});

beforeEach(async () => {
  reports = `/v1/projects/${await projectOf(client)}/reports`;
});

async function store(body: object = { title: 'Orders', content: '# Orders\n\nMany.' }) {
  const answer = await client.call('POST', reports, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer;
}

async function binary(url: string) {
  const { headers, statusCode, rawPayload } = await workspace.app.inject({
    url,
    headers: { authorization: `Bearer ${await client.token()}` },
  });
  return { status: statusCode, headers, bytes: rawPayload };
}

test('reports are listed newest first, also one whose id was given out before that of another', async () => {
  const [early, late] = [(await store()).body.data.id, (await store()).body.data.id];
  const listed = async () => {
    const { items } = (await client.call('GET', reports)).body as { items: { id: string }[] };
    return items.map(({ id }) => id);
  };
  expect(await listed()).toEqual([late, early]);
  // As where the analyst worked on the first while the second was stored.
  await workspace.deps.lake.catalogPool.query('UPDATE reports SET created_at = now() WHERE id = $1', [early]);
  expect(await listed()).toEqual([early, late]);
});

describe('a report', () => {
  test('is stored as it is written, told where it is, listed and read', async () => {
    const content = '# Orders – Ünïcode\n\n| a |\n|--|\n| 1 |\n';
    const stored = await store({ title: 'Orders', content });
    const { data } = stored.body;
    expect(stored.headers['location']).toBe(`${reports}/${data.id}`);
    expect(data).toMatchObject({
      title: 'Orders',
      contentType: 'text/markdown; charset=utf-8',
      sizeBytes: Buffer.byteLength(content),
      revision: 1,
      source: 'api',
      sourceId: null,
      dataVersions: [],
      createdByUserId: client.clientId,
    });
    expect((await client.call('GET', reports)).body).toEqual({ items: [data], total: 1 });
    const read = await client.call('GET', `${reports}/${data.id}/content`);
    expect([read.status, read.text, read.headers['content-type']]).toEqual([
      200,
      content,
      'text/markdown; charset=utf-8',
    ]);
  });

  test('is stored once under an idempotency key', async () => {
    const body = { title: 'Once', content: 'x' };
    const headers = { 'idempotency-key': 'report-1' };
    const answers = [
      await client.call('POST', reports, { body, headers }),
      await client.call('POST', reports, { body, headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[0]!.body).toEqual(answers[1]!.body);
    expect((await client.call('GET', reports)).body.total).toBe(1);
  });

  test('is revised by whoever knows its revision, and keeps the ones before', async () => {
    const { id } = (await store()).body.data;
    const url = `${reports}/${id}`;
    const change = (body: object) => client.call('PATCH', url, { body });
    const second = await change({ content: 'Second.', expected_revision: 1 });
    expect(second.body.data).toMatchObject({ revision: 2, title: 'Orders', sizeBytes: 7 });
    const stale = await change({ content: 'Lost.', expected_revision: 1 });
    expect([stale.status, stale.body.code, stale.body.current_revision]).toEqual([
      409,
      'revision_conflict',
      2,
    ]);
    const third = await change({ title: 'Renamed' });
    expect(third.body.data).toMatchObject({ revision: 3, title: 'Renamed', sizeBytes: 7 });
    const read = async (query: string) => (await client.call('GET', `${url}/content${query}`)).text;
    expect(await read('')).toBe('Second.');
    expect(await read('?revision=1')).toBe('# Orders\n\nMany.');
    const beyond = await client.call('GET', `${url}/content?revision=9007199254740990`);
    expect([beyond.status, beyond.body.detail[0].loc]).toEqual([422, ['query', 'revision']]);
    const missing = await client.call('GET', `${url}/content?revision=9`);
    expect([missing.status, missing.body.code]).toEqual([404, 'not_found']);
    const page = await client.call('GET', `${url}/versions?limit=2`);
    expect(page.body.items).toMatchObject([
      { revision: 3, title: 'Renamed', sizeBytes: 7, createdByUserId: client.clientId, dataVersions: [] },
      { revision: 2, title: 'Orders', sizeBytes: 7 },
    ]);
    const rest = await client.call('GET', `${url}/versions?limit=2&cursor=${page.body.nextCursor}`);
    expect([
      rest.body.items.map(({ revision }: { revision: number }) => revision),
      rest.body.nextCursor,
    ]).toEqual([[1], null]);
  });

  test('of two changes of the same revision at once one is made', async () => {
    const { id } = (await store()).body.data;
    const change = (content: string) =>
      client.call('PATCH', `${reports}/${id}`, { body: { content, expected_revision: 1 } });
    const answers = await Promise.all(['a', 'b', 'c'].map(change));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  test('is deleted with its revisions, and told as it ended', async () => {
    const { data } = (await store()).body;
    const deleted = await client.call('DELETE', `${reports}/${data.id}`);
    expect([deleted.status, deleted.body]).toEqual([200, { data }]);
    for (const path of ['', '/content', '/content?format=pdf', '/versions'])
      expect((await client.call('GET', `${reports}/${data.id}${path}`)).status).toBe(404);
    expect((await client.call('GET', reports)).body.total).toBe(0);
  });

  test('that is deleted while it is exported is a document, or a clear 404', async () => {
    const { id } = (await store({ title: 'T', content: 'Words. '.repeat(20_000) })).body.data;
    const exports = ['pdf', 'docx', 'markdown', 'pdf'].map((format) =>
      client.call('GET', `${reports}/${id}/content?format=${format}`),
    );
    expect((await client.call('DELETE', `${reports}/${id}`)).status).toBe(200);
    for (const { status } of await Promise.all(exports)) expect([200, 404]).toContain(status);
  });

  test('is refused where it cannot be kept, at its place', async () => {
    const fault = async (body: object) => {
      const { status, body: answer } = await client.call('POST', reports, { body });
      return [status, answer.detail?.[0]?.loc, answer.detail?.[0]?.type];
    };
    expect(await fault({ title: 'T' })).toEqual([422, ['body', 'content'], 'missing']);
    expect(await fault({ title: ' ', content: 'x' })).toEqual([422, ['body', 'title'], 'string_too_short']);
    expect(await fault({ title: 'T', content: 'a\u0000b' })).toEqual([
      422,
      ['body', 'content'],
      'value_error',
    ]);
    expect(await fault({ title: 'T', content: 'a\ud800b' })).toEqual([
      422,
      ['body', 'content'],
      'value_error',
    ]);
    expect(await fault({ title: 'T', content: 'x', color: 1 })).toEqual([
      422,
      ['body', 'color'],
      'extra_forbidden',
    ]);
    expect(await fault({ title: 'T', content: 'é'.repeat(1_048_577) })).toEqual([
      422,
      ['body', 'content'],
      'value_error',
    ]);
    expect((await store({ title: 'T', content: 'é'.repeat(1_048_576) })).body.data.sizeBytes).toBe(2_097_152);
    const large = await client.call('POST', reports, {
      body: { title: 'T', content: 'x'.repeat(3_200_000) },
    });
    expect([large.status, large.body.code]).toEqual([400, 'body_too_large']);
    const { id } = (await store()).body.data;
    const empty = await client.call('PATCH', `${reports}/${id}`, { body: { expected_revision: 1 } });
    expect(empty.status).toBe(422);
  });

  test('refers to at most a hundred charts and results', async () => {
    const name = (index: number) => `chart:cht_01kahz3v6dfyvb1s8m3h9q${String(index).padStart(4, '0')}`;
    const content = Array.from({ length: 101 }, (_, index) => `![x](${name(index)})`).join('\n\n');
    const refused = await client.call('POST', reports, { body: { title: 'T', content } });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    expect(refused.body.detail).toContain('101 charts and results; the limit is 100');
  });

  test('is not written to a project that is archived', async () => {
    const { id } = (await store()).body.data;
    await client.call('DELETE', reports.slice(0, -'/reports'.length));
    const answers = [
      await client.call('POST', reports, { body: { title: 'T', content: 'x' } }),
      await client.call('PATCH', `${reports}/${id}`, { body: { content: 'x' } }),
    ];
    for (const { status, body } of answers) expect([status, body.code]).toEqual([409, 'conflict']);
  });
});

describe('the content', () => {
  const title = 'Umsätze (März) „50 %" / 売上\'s';

  test.each([
    ['raw', 'text/markdown; charset=utf-8', 'md'],
    ['markdown', 'text/markdown; charset=utf-8', 'md'],
    ['pdf', 'application/pdf', 'pdf'],
    ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ])('as %s has its type and a name of whatever characters', async (format, type, ending) => {
    const { id } = (await store({ title, content: 'Text.' })).body.data;
    const { status, headers, bytes } = await binary(`${reports}/${id}/content?format=${format}`);
    expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([
      200,
      type,
      'nosniff',
    ]);
    const disposition = String(headers['content-disposition']);
    const [, ascii, whole] =
      /^attachment; filename="([ -~]+)"; filename\*=UTF-8''([!#$&+\-.^_`|~%A-Za-z0-9]+)$/.exec(disposition) ??
      [];
    expect(ascii).toBe(`Umsatze (Marz) _50 __ _ __'s.${ending}`);
    expect(decodeURIComponent(whole!)).toBe(`${title.replace('/', '_')}.${ending}`);
    expect(disposition).not.toMatch(/UTF-8''.*['()*]/);
    if (format === 'pdf') expect((await readPdf(bytes))[0]!.text).toContain('Umsätze');
    if (format === 'docx') expect((await readDocx(bytes)).text['word/document.xml']).toContain('Umsätze');
  });

  test('in another format is refused', async () => {
    const { id } = (await store()).body.data;
    const refused = await client.call('GET', `${reports}/${id}/content?format=html`);
    expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['query', 'format']]);
  });

  test('shows images among the files of its own project, and of no other', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
      'base64',
    );
    const put = (project: string) =>
      client.call('PUT', `${project}/files/content?path=img/red.png`, {
        body: { content: png.toString('base64'), encoding: 'base64' },
      });
    const content = '![Red](img/red.png)';
    const { id } = (await store({ title: 'T', content })).body.data;
    const markdown = async () => (await client.call('GET', `${reports}/${id}/content?format=markdown`)).text;
    await put(`/v1/projects/${await projectOf(client)}`);
    expect(await markdown()).not.toContain('base64');
    await put(reports.slice(0, -'/reports'.length));
    expect(await markdown()).toContain(`![Red](data:image/png;base64,${png.toString('base64')})`);
  });
});
