import { beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { projectOf } from '../../../support/conversations.ts';
import { daily, madeSchedule, scheduleBody, writtenPlaybook } from '../../../support/schedules.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const url = '/v1/schedules';

let client: TestClient;
let project: string;
let playbook: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  playbook = await writtenPlaybook(client, project, {
    parameters: { since: { type: 'date', default: '2026-01-01' }, top: { type: 'number', default: 5 } },
  });
});

const made = (change: object = {}) => madeSchedule(client, project, playbook, change);
const refused = async (change: object) => {
  const answer = await client.call('POST', url, { body: scheduleBody(project, playbook, change) });
  return { status: answer.status, code: answer.body.code, faults: answer.body.detail };
};
/** A schedule as it is read can be sent back under the same names, except its target. */
const sentBack = ({ kind, description, schedule, config }: Record<string, unknown>) => ({
  ...scheduleBody(project, playbook),
  kind,
  description,
  schedule,
  config,
});

test('a schedule is kept as it was written, and says when it fires next', async () => {
  const config = {
    params: { since: '2026-02-01' },
    output_folder: 'reports/sales',
    email_recipients: [{ email: 'sales@example.com', type: 'to' }],
  };
  const schedule = await made({ description: 'Mornings', config });
  expect(schedule).toEqual({
    id: expect.stringMatching(/^sch_/),
    kind: 'playbook',
    target: { projectId: project, playbookId: playbook },
    description: 'Mornings',
    schedule: {
      type: 'daily',
      zoneId: 'Europe/Berlin',
      timeOfDay: '08:00',
      cronExpression: null,
      everyMinutes: null,
      runDate: null,
      anchorDate: null,
      daysOfWeek: null,
      dayOfMonth: null,
      interval: null,
    },
    config: {
      params: { since: '2026-02-01' },
      outputFolder: 'reports/sales',
      emailRecipients: [{ email: 'sales@example.com', type: 'to' }],
    },
    status: 'active',
    nextRunAt: expect.stringMatching(/T0[67]:00:00\.000Z$/),
    lastRunAt: null,
    lastRunStatus: null,
    createdByUserId: client.clientId,
    revision: 1,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect((await client.call('GET', `${url}/${schedule.id}`)).body.data).toEqual(schedule);
});

test('what was read can be sent back, and both cases of a name are taken', async () => {
  const schedule = await made({
    schedule: { type: 'weekly', zoneId: 'Asia/Tokyo', time_of_day: '09:30:15', daysOfWeek: ['MONDAY'] },
    config: { outputFolder: 'out' },
  });
  const put = await client.call('PUT', `${url}/${schedule.id}`, { body: sentBack(schedule) });
  expect(put.status, put.text).toBe(200);
  expect(put.body.data).toEqual({
    ...schedule,
    revision: 2,
    updatedAt: expect.any(String),
  });
});

test('the list is filtered by project and by target', async () => {
  const other = await projectOf(client);
  const otherPlaybook = await writtenPlaybook(client, other);
  const { id } = await madeSchedule(client, other, otherPlaybook);
  const ids = async (query: string) =>
    (await client.call('GET', `${url}?${query}`)).body.items.map((item: { id: string }) => item.id);
  expect(await ids(`project_id=${other}`)).toEqual([id]);
  expect(await ids(`kind=playbook&target_id=${otherPlaybook}`)).toEqual([id]);
  expect(await ids(`project_id=${other}&target_id=${playbook}`)).toEqual([]);
  expect((await client.call('GET', `${url}?kind=workflow`)).status).toBe(422);
});

test.each([
  [
    'a field of another kind',
    { ...daily, day_of_month: 3 },
    ['body', 'schedule', 'day_of_month'],
    'extra_forbidden',
  ],
  ['a field that no kind has', { ...daily, hour: 3 }, ['body', 'schedule', 'hour'], 'extra_forbidden'],
  ['a weekly without days', { ...daily, type: 'weekly' }, ['body', 'schedule', 'days_of_week'], 'missing'],
  ['a monthly without a day', { ...daily, type: 'monthly' }, ['body', 'schedule', 'day_of_month'], 'missing'],
  [
    'a kind that is read only',
    { type: 'cron', zone_id: 'UTC', cron_expression: '0 8 * * *' },
    ['body', 'schedule', 'type'],
    'enum',
  ],
  ['no kind', { zone_id: 'UTC' }, ['body', 'schedule', 'type'], 'missing'],
  ['an unknown zone', { ...daily, zone_id: 'Mars/Olympus' }, ['body', 'schedule', 'zone_id'], 'value_error'],
  [
    'a time that is none',
    { ...daily, time_of_day: '24:00' },
    ['body', 'schedule', 'time_of_day'],
    'string_pattern_mismatch',
  ],
  ['a name in both cases', { ...daily, zoneId: 'UTC' }, ['body', 'schedule', 'zoneId'], 'value_error'],
  [
    'the camelCase name as it was sent',
    { type: 'daily', zoneId: 'UTC', timeOfDay: '8' },
    ['body', 'schedule', 'timeOfDay'],
    'string_pattern_mismatch',
  ],
  [
    'a date that is over',
    { type: 'one_time', zone_id: 'UTC', time_of_day: '08:00', run_date: '2020-01-01' },
    ['body', 'schedule', 'run_date'],
    'value_error',
  ],
])('%s is refused at its place', async (_what, schedule, loc, type) => {
  const { status, faults } = await refused({ schedule });
  expect(status).toBe(422);
  expect(faults).toContainEqual({ loc, type, msg: expect.any(String) });
});

test.each([
  [
    'a parameter that there is not',
    { params: { until: 1 } },
    ['body', 'config', 'params', 'until'],
    'extra_forbidden',
  ],
  [
    'a parameter of another type',
    { params: { top: 'ten' } },
    ['body', 'config', 'params', 'top'],
    'value_error',
  ],
  [
    'an address that is none',
    { email_recipients: [{ email: 'me' }] },
    ['body', 'config', 'email_recipients', 0, 'email'],
    'string_pattern_mismatch',
  ],
  [
    'another type of address',
    { emailRecipients: [{ email: 'a@b.example', type: 'cc' }] },
    ['body', 'config', 'emailRecipients', 0, 'type'],
    'literal_error',
  ],
  ['a folder that climbs', { output_folder: '../up' }, ['body', 'config', 'output_folder'], 'value_error'],
  ['an unknown member', { folder: 'x' }, ['body', 'config', 'folder'], 'extra_forbidden'],
])('in config, %s is refused at its place', async (_what, config, loc, type) => {
  const { status, faults } = await refused({ config });
  expect(status).toBe(422);
  expect(faults).toContainEqual({ loc, type, msg: expect.any(String) });
});

test('a project or a playbook that is not there is a 404, and a playbook of another one is refused at its place', async () => {
  const foreign = await workspace.organization();
  const into = (project_id: string) => refused({ target: { project_id, playbook_id: playbook } });
  for (const id of [await projectOf(foreign), 'prj_01kahz3v6dfyvb1s8m3h9q2w4x', 'nothing'])
    expect(await into(id)).toMatchObject({ status: 404, code: 'not_found' });
  const unknown = { project_id: project, playbook_id: 'pbk_01kahz3v6dfyvb1s8m3h9q2w4x' };
  expect(await refused({ target: unknown })).toMatchObject({ status: 404, code: 'not_found' });
  const { status, faults } = await into(await projectOf(client));
  expect([status, faults[0].loc]).toEqual([422, ['body', 'target', 'playbook_id']]);
});

test('a new cadence recurs every one period; another interval is kept where it is stored', async () => {
  expect(await refused({ schedule: { ...daily, interval: 2 } })).toMatchObject({
    status: 400,
    code: 'invalid_cadence',
  });
  const { id } = await made({ schedule: { ...daily, interval: 1 } });
  const put = (schedule: object) =>
    client.call('PUT', `${url}/${id}`, { body: scheduleBody(project, playbook, { schedule }) });
  expect((await put({ ...daily, interval: 3 })).body.code).toBe('invalid_cadence');
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .updateTable('schedules')
      .set({ cadence: JSON.stringify({ type: 'daily', zoneId: 'UTC', timeOfDay: '08:00', interval: 3 }) })
      .where('id', '=', id)
      .execute(),
  );
  const kept = await put({ ...daily, interval: 3, time_of_day: '09:00' });
  expect(kept.status, kept.text).toBe(200);
  expect(kept.body.data.schedule).toMatchObject({ interval: 3, timeOfDay: '09:00' });
  expect((await put({ ...daily, interval: 2 })).body.code).toBe('invalid_cadence');
});

test('a PUT must name the playbook that is scheduled, and the revision where it names one', async () => {
  const { id } = await made();
  const other = await writtenPlaybook(client, project);
  const put = (body: object) => client.call('PUT', `${url}/${id}`, { body });
  const moved = await put(scheduleBody(project, other));
  expect([moved.status, moved.body.code]).toEqual([409, 'conflict']);
  const stale = await put(scheduleBody(project, playbook, { expected_revision: 7 }));
  expect(stale.body).toMatchObject({ code: 'revision_conflict', current_revision: 1 });
  const done = await put(scheduleBody(project, playbook, { expected_revision: 1, description: 'New' }));
  expect(done.body.data).toMatchObject({ revision: 2, description: 'New' });
});

test('a paused schedule says no next fire, and fires from now on when it is resumed', async () => {
  const { id, nextRunAt } = await made();
  const act = async (name: string) => (await client.call('POST', `${url}/${id}/${name}`)).body.data;
  expect(await act('pause')).toMatchObject({ status: 'paused', nextRunAt: null, revision: 2 });
  expect(await act('pause')).toMatchObject({ status: 'paused', revision: 2 });
  const put = await client.call('PUT', `${url}/${id}`, { body: scheduleBody(project, playbook) });
  expect(put.body.data).toMatchObject({ status: 'paused', nextRunAt: null, revision: 3 });
  expect(await act('resume')).toMatchObject({ status: 'active', nextRunAt, revision: 4 });
  expect(await act('resume')).toMatchObject({ status: 'active', revision: 4 });
});

test('occurrences are those of the cadence, with what is unusual about them', async () => {
  const { id } = await made({
    schedule: { type: 'monthly', zone_id: 'Europe/Berlin', time_of_day: '02:30', day_of_month: 31 },
  });
  const list = async (limit: number) =>
    (await client.call('GET', `${url}/${id}/occurrences?limit=${limit}`)).body.items;
  const items = await list(24);
  expect(items).toHaveLength(24);
  const february = items.find(({ localTime }: { localTime: string }) => localTime.includes('-02-'));
  expect(february).toMatchObject({
    localTime: expect.stringContaining('-02-28T02:30:00'),
    note: 'month_end',
  });
  expect(items.map(({ at }: { at: string }) => at)).toEqual(
    items.map(({ at }: { at: string }) => at).toSorted(),
  );
  expect((await client.call('GET', `${url}/${id}/occurrences?limit=101`)).status).toBe(422);
});

test('the gap and the overlap of a clock are told', async () => {
  const { id } = await made({
    schedule: { type: 'weekly', zone_id: 'Europe/Berlin', time_of_day: '02:30', days_of_week: ['SUNDAY'] },
  });
  const { items } = (await client.call('GET', `${url}/${id}/occurrences?limit=60`)).body;
  const noted = items.filter(({ note }: { note: string | null }) => note !== null);
  expect(noted.map(({ note }: { note: string }) => note).toSorted()).toEqual(['gap', 'overlap']);
});

test('archiving a project pauses its schedules, and nothing of it can be resumed or fired', async () => {
  const own = await projectOf(client);
  const { id } = await madeSchedule(client, own, await writtenPlaybook(client, own));
  expect((await client.call('DELETE', `/v1/projects/${own}`)).status).toBe(200);
  expect((await client.call('GET', `${url}/${id}`)).body.data).toMatchObject({ status: 'paused' });
  expect((await client.call('POST', `${url}/${id}/resume`)).body.code).toBe('conflict');
  expect((await client.call('POST', `${url}/${id}/trigger`)).body.code).toBe('conflict');
});

test('a schedule that was deleted is gone, and the answer shows what it was', async () => {
  const schedule = await made();
  const deleted = await client.call('DELETE', `${url}/${schedule.id}`);
  expect(deleted.body.data).toEqual(schedule);
  expect((await client.call('GET', `${url}/${schedule.id}`)).status).toBe(404);
});

test('the same request under one key makes one schedule', async () => {
  const headers = { 'idempotency-key': 'one' };
  const body = scheduleBody(project, playbook);
  const [first, second] = await Promise.all([
    client.call('POST', url, { body, headers }),
    client.call('POST', url, { body, headers }),
  ]);
  const again = await client.call('POST', url, { body, headers });
  const ids = [first, second, again].filter(({ status }) => status === 201).map(({ body }) => body.data.id);
  expect(new Set(ids).size).toBe(1);
});

test('a backfill is previewed within its bounds', async () => {
  const { id } = await made();
  const preview = (body: object) =>
    client.call('POST', `${url}/${id}/backfills`, { body: { preview: true, ...body } });
  const found = await preview({ from: '2026-10-24T06:00:00Z', to: '2026-10-26T07:00:00Z' });
  expect(found.body.data).toEqual({
    total: 3,
    occurrences: [
      { at: '2026-10-24T06:00:00.000Z', localTime: '2026-10-24T08:00:00', note: null },
      { at: '2026-10-25T07:00:00.000Z', localTime: '2026-10-25T08:00:00', note: null },
      { at: '2026-10-26T07:00:00.000Z', localTime: '2026-10-26T08:00:00', note: null },
    ],
  });
  const at = async (body: object) => (await preview(body)).body.detail[0].loc;
  expect(await at({ from: '2026-10-26T00:00:00Z', to: '2026-10-24T00:00:00Z' })).toEqual(['body', 'to']);
  expect(await at({ from: '2026-10-26T00:00:00Z', to: '2090-10-24T00:00:00Z' })).toEqual(['body', 'to']);
  expect(await at({ from: '2000-10-26T00:00:00Z', to: '2026-10-24T00:00:00Z' })).toEqual(['body', 'to']);
  expect(await at({ from: 'yesterday', to: '2026-10-24T00:00:00Z' })).toEqual(['body', 'from']);
});
