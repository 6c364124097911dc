import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../../data/ids.ts';
import { conversationPrefix, reportPrefix } from '../../../../data/objects/keys.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { chartPrefix, insertChart, keepChart } from '../../../../domain/analyst/conversations/charts.ts';
import { insertResult, resultKey, storeRows } from '../../../../domain/analyst/conversations/results.ts';
import { keepAssets } from '../../../../domain/publishing/reports/assets.ts';
import { storeReport, storeRevision } from '../../../../domain/publishing/reports/store.ts';
import { fileSteps } from '../../../../domain/workspace/files/reconcile.ts';
import { projectOf, talkIn } from '../../../support/conversations.ts';
import { readPdf } from '../../../support/documents.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const svg = '<svg width="300" height="100"><text x="5" y="20">Kept chart</text></svg>';

let client: TestClient;
let projectId: string;
let chart: string;
let result: string;
let conversationId: string;

beforeAll(async () => {
  client = await workspace.organization();
});

beforeEach(async () => {
  projectId = await projectOf(client);
  ({ chart, result, conversationId } = await conversationWithTools(projectId, 2_500));
});

/** A conversation in which a chart was drawn from a result. */
async function conversationWithTools(project: string, rowCount: number) {
  const { id } = await talkIn(client, project);
  const { organizationId } = client;
  const [chartId, resultId] = [newId('cht'), newId('res')];
  const { objects } = workspace.deps;
  const prefix = chartPrefix(organizationId, id, chartId);
  const key = resultKey(organizationId, id, resultId);
  await keepChart(objects, prefix, { svg, document: { mark: 'bar' } });
  const rows = Array.from({ length: rowCount }, (_, index) => [`row ${index + 1}`, { a: index }, null]);
  await storeRows(objects, key, rows);
  const of = { organization_id: organizationId, conversation_id: id, message_id: newId('msg') };
  await inOrganization(workspace.deps.db, organizationId, async (db) => {
    await insertResult(db, {
      ...of,
      id: resultId,
      sql: '',
      title: 'Rows',
      columns: JSON.stringify(['name', 'detail', 'none'].map((name) => ({ name, dataType: 'STRING' }))),
      row_count: rowCount,
      truncated: false,
      elapsed_ms: 0,
      scanned: '[]',
      object_key: key,
    });
    const titled = { title: 'Chart', result_id: resultId, data_versions: '[]', object_prefix: prefix };
    await insertChart(db, { ...of, ...titled, id: chartId });
  });
  return { chart: chartId, result: resultId, conversationId: id };
}

const newReport = (content: string) => {
  const id = newId('rpt');
  return {
    organizationId: client.organizationId,
    projectId,
    id,
    title: 'Kept',
    content,
    dataVersions: [],
    createdBy: client.clientId,
    writeId: id,
    source: 'playbook' as const,
    sourceId: null,
  };
};

const both = () => `![Chart](chart:${chart})\n\n![Rows](result:${result})`;

const exported = async (id: string, query = '') =>
  (await client.call('GET', `/v1/projects/${projectId}/reports/${id}/content?format=markdown${query}`)).text;

async function loseConversation(): Promise<void> {
  const { organizationId } = client;
  await inOrganization(workspace.deps.db, organizationId, (db) =>
    db.deleteFrom('conversations').where('id', '=', conversationId).execute(),
  );
  await workspace.deps.objects.removeAll(conversationPrefix(organizationId, conversationId));
}

const deletions = () =>
  inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .selectFrom('object_deletions')
      .selectAll()
      .where('organization_id', '=', client.organizationId)
      .where('object_key', 'like', 'reports/%')
      .execute(),
  );

describe('what a report refers to', () => {
  test('outlives the conversation it came from, in every revision, and is cut with a word about it', async () => {
    const report = await storeReport(workspace.deps, newReport(both()));
    await loseConversation();
    const text = await exported(report.id);
    expect(text).toContain('![Chart](data:image/svg+xml;base64,');
    expect(text).toContain('| row 2000 |');
    expect(text).not.toContain('| row 2001 |');
    expect(text).toContain('Shown: the first 2,000 rows.');
    const write = (content: string) =>
      storeRevision(workspace.deps, {
        organizationId: client.organizationId,
        projectId,
        reportId: report.id,
        content,
        createdBy: client.clientId,
        writeId: newId('rpt'),
      });
    await write('Without.');
    expect(await exported(report.id)).toBe('Without.\n');
    await write(`Again: ![Chart](chart:${chart})`);
    expect(await exported(report.id)).toContain('![Chart](data:image/svg+xml;base64,');
    const pdf = await workspace.app.inject({
      url: `/v1/projects/${projectId}/reports/${report.id}/content?format=pdf`,
      headers: { authorization: `Bearer ${await client.token()}` },
    });
    expect((await readPdf(pdf.rawPayload))[0]!.text).toContain('Kept chart');
  });

  test('is kept by the routes too', async () => {
    const url = `/v1/projects/${projectId}/reports`;
    const stored = await client.call('POST', url, { body: { title: 'T', content: 'Nothing yet.' } });
    const { id } = stored.body.data;
    await client.call('PATCH', `${url}/${id}`, { body: { content: both() } });
    await client.call('PATCH', `${url}/${id}`, { body: { title: 'Other title' } });
    await loseConversation();
    expect(await exported(id)).toContain('| row 1 | {"a":0} |');
    expect(await exported(id)).toContain('data:image/svg+xml');
  });

  test('of another project, or that nobody knows, is shown by its words', async () => {
    const other = await conversationWithTools(await projectOf(client), 1);
    const report = await storeReport(
      workspace.deps,
      newReport(
        `![Theirs](chart:${other.chart}) ![Rows](result:${other.result}) ![x](chart:${newId('cht')})`,
      ),
    );
    expect(await exported(report.id)).toBe('\\[Theirs] \\[Rows] \\[x]\n');
    expect(await deletions()).toEqual([]);
  });

  test('is kept once, whoever stores the same report again, also at the same time', async () => {
    const report = newReport(both());
    await Promise.all([storeReport(workspace.deps, report), storeReport(workspace.deps, report)]);
    await storeReport(workspace.deps, report);
    await removeDue(true);
    expect(await exported(report.id)).toContain('| row 2000 |');
    expect(await exported(report.id)).toContain('data:image/svg+xml');
  });

  test('is removed where its report was never stored', async () => {
    const reportId = newId('rpt');
    const { organizationId } = client;
    const { prefix, assets } = await keepAssets(
      workspace.deps,
      { organizationId, projectId, reportId },
      both(),
    );
    expect((await deletions()).map(({ object_key }) => object_key)).toEqual([prefix]);
    const key = `${assets[`chart:${chart}`]}.svg`;
    expect(await workspace.deps.objects.head(key)).toBeDefined();
    await removeDue(true);
    expect(await workspace.deps.objects.head(key)).toBeUndefined();
    expect(await deletions()).toEqual([]);
  });

  test('goes with its report, when those who read it are done', async () => {
    const report = await storeReport(workspace.deps, newReport(both()));
    const [{ assets }] = (await inOrganization(workspace.deps.db, client.organizationId, (db) =>
      db.selectFrom('report_versions').select('assets').where('report_id', '=', report.id).execute(),
    )) as [{ assets: unknown }];
    const key = `${(assets as Record<string, string>)[`chart:${chart}`]}.svg`;
    await client.call('DELETE', `/v1/projects/${projectId}/reports/${report.id}`);
    await removeDue(false);
    expect(await workspace.deps.objects.head(key)).toBeDefined();
    expect((await deletions()).map(({ object_key }) => object_key)).toEqual([
      reportPrefix(client.organizationId, report.id),
    ]);
    await removeDue(true);
    expect(await workspace.deps.objects.head(key)).toBeUndefined();
  });
});

/** What the worker does periodically; `late` when everything is due. */
async function removeDue(late: boolean): Promise<void> {
  const { organizationId } = client;
  if (late)
    await inOrganization(workspace.deps.db, organizationId, (db) =>
      db
        .updateTable('object_deletions')
        .set({ not_before: new Date(0) })
        .execute(),
    );
  for (const step of fileSteps(workspace.deps)) for (const item of await step.find()) await item.work();
}
