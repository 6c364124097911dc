import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { inspect } from '../api/pages/in-browser/inspect.ts';
import { expectTitle } from '../api/pages/in-browser/lab.ts';
import { describeInChromium } from '../support/chromium.ts';
import { eventually, expectEventually } from '../support/eventually.ts';
import { attachedTable, endedRun } from '../support/runs.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';
import { chooseMore, hasRun, hostile, useConsole } from './opened.ts';

const workspace = useWorkspace();
useWorker(workspace);

const prompt = 'Total amount by region as a bar chart';
const sales = [
  { s_id: 1, region: 'North', amount: 30 },
  { s_id: 2, region: 'South', amount: 12.5 },
];

describeInChromium('reports', () => {
  const { opened, project } = useConsole(workspace);

  async function report(client: TestClient, projectId: string, body: object): Promise<string> {
    const made = await client.call('POST', `/v1/projects/${projectId}/reports`, { body });
    expect(made.status, made.text).toBe(201);
    return made.body.data.id;
  }

  test('one is written by the analyst, read, downloaded, edited, read as it was, and deleted', async () => {
    const { page, client, faults, elsewhere } = await opened(async (client) => {
      await attachedTable(client, await project(client), 'sales', sales);
    });
    await page.getByRole('link', { name: 'Reports' }).click();
    await page.getByText('This project has no reports yet.').waitFor();
    await page.getByLabel('Topic of the report').fill(prompt);
    await page.getByRole('button', { name: 'Write report' }).click();
    await page.getByRole('link', { name: prompt }).click();
    await expectTitle(page, prompt);
    await page.getByRole('link', { name: 'Report', exact: true }).click({ timeout: 180_000 });
    await page.getByRole('link', { name: 'sales' }).waitFor();
    const picture = page.getByRole('article').getByRole('img');
    await picture.waitFor();
    await expectEventually(() =>
      picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    ).toBeGreaterThan(100);

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'PDF' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/\.pdf$/);
    expect((await readFile(await file.path())).subarray(0, 5).toString()).toBe('%PDF-');

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Größe & Erlös');
    const before = await page.getByLabel('Markdown').inputValue();
    await page.getByLabel('Markdown').fill(`${before}\n\nChecked by hand.`);
    // Somebody else is faster.
    // What was written is not lost by a click, unless one says so.
    page.once('dialog', (dialog) => void dialog.dismiss());
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByRole('button', { name: 'Save as new revision' }).waitFor();
    const url = new URL(page.url()).pathname.replace('/console/', '/v1/');
    const theirs = await client.call('PATCH', url, { body: { content: 'Theirs.' } });
    expect(theirs.status, theirs.text).toBe(200);
    await page.getByRole('button', { name: 'Save as new revision' }).click();
    await page.getByText('Somebody changed the report while you were editing.').waitFor();
    await page.getByRole('button', { name: 'Save my version' }).click();
    await expectTitle(page, 'Größe & Erlös');
    await page.getByText('Checked by hand.').waitFor();
    const [raw] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Markdown as written' }).click(),
    ]);
    expect(raw.suggestedFilename()).toBe('Größe & Erlös.md');

    await page.getByText('Revisions', { exact: true }).click();
    await page.getByRole('link', { name: '2', exact: true }).click();
    await page.getByText('Theirs.').waitFor();
    expect(new URL(page.url()).search).toBe('?revision=2');
    await page.reload();
    await page.getByText('This is revision 2. There is a newer one.').waitFor();
    await page.getByRole('link', { name: 'Show the newest' }).click();
    await page.getByText('Checked by hand.').waitFor();
    await chooseMore(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expectTitle(page, 'Reports');
    await page.getByText('This project has no reports yet.').waitFor();
    expect([faults, elsewhere]).toEqual([[], []]);
  });

  test('an API that fails is told, and asked again', async () => {
    let at = '';
    const { page } = await opened(async (client) => {
      const projectId = await project(client);
      const id = await report(client, projectId, { title: 'Sales', content: 'They grew.' });
      at = `/console/projects/${projectId}/reports/${id}`;
    });
    let isBroken = true;
    await page.route(/\/v1\/projects\/[^?]*\/reports/, (route) =>
      isBroken
        ? route.fulfill({ status: 422, json: { code: 'conflict', detail: 'Broken for a test.' } })
        : route.continue(),
    );
    for (const path of [at.slice(0, at.lastIndexOf('/')), at]) {
      isBroken = true;
      await page.goto(path);
      await page.getByText('Broken for a test.').waitFor();
      isBroken = false;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Sales').filter({ visible: true }).first().waitFor();
    }
    await page.getByText('They grew.').waitFor();
    isBroken = true;
    await page.getByRole('button', { name: 'Word' }).click();
    await page.getByText('Broken for a test.').waitFor();
  });

  test('what people wrote is text, and nothing is fetched for it', async () => {
    const drawing = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" onload="ran=1"><script>ran=1</script></svg>',
    ).toString('base64');
    const content = [
      ...hostile.slice(0, 2),
      '![one](javascript:ran=1)',
      '![two](https://elsewhere.example/x.png)',
      `![three](data:image/svg+xml;base64,${drawing})`,
      '[four](javascript:ran=1)',
    ].join('\n\n');
    let at = '';
    const { page, faults, elsewhere } = await opened(async (client) => {
      const projectId = await project(client);
      for (const title of hostile.slice(0, 2)) {
        const id = await report(client, projectId, { title, content });
        at = `/console/projects/${projectId}/reports/${id}`;
      }
    });
    await page.goto(at);
    await expectTitle(page, hostile[1]!);
    await page.getByText('four').waitFor();
    await page.getByText(hostile[0]!).waitFor();
    expect(await page.locator('article script, article [onerror], article [href^=javascript]').count()).toBe(
      0,
    );
    await page.goto(at.slice(0, at.lastIndexOf('/')));
    for (const title of hostile.slice(0, 2)) await page.getByRole('link', { name: title }).waitFor();
    expect([await hasRun(page), faults, elsewhere]).toEqual([false, [], []]);
  });

  test('its pages are accessible in light and dark colours, and fit a narrow window', async () => {
    let [list, at] = ['', ''];
    const { page } = await opened(async (client) => {
      const projectId = await project(client);
      await attachedTable(client, projectId, 'sales', sales);
      const url = `/v1/projects/${projectId}/reports`;
      const asked = await client.call('POST', url, { body: { prompt } });
      const run = await endedRun(client, projectId, asked.body.data.id);
      const { reportId } = run.output;
      list = `/console/projects/${projectId}/reports`;
      at = `${list}/${reportId}`;
      const wide = `| ${'A column of a long name | '.repeat(9)}\n|${'---|'.repeat(9)}\n| ${'1 | '.repeat(9)}`;
      const { text } = await client.call('GET', `${url}/${reportId}/content`);
      await client.call('PATCH', `${url}/${reportId}`, { body: { content: `${text}\n\n${wide}` } });
    });
    await page.goto(list);
    await page.getByRole('link', { name: prompt }).waitFor();
    await inspect(page, 'reports');
    await page.goto(at);
    await page.getByRole('article').getByRole('img').waitFor();
    await page.getByText('Revisions', { exact: true }).click();
    await eventually(
      () => page.getByRole('table', { name: 'Revisions' }).getByRole('row').count(),
      (count) => count === 3,
    );
    await inspect(page, 'report');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Markdown').waitFor();
    await inspect(page, 'report-edit');
  });
});
