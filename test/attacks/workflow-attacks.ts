import type { Attack } from './attack.ts';
import type { Session } from './session.ts';

const newProject = async (session: Session): Promise<string> =>
  (await session.call('POST', '/v1/projects', { name: 'Workflows' })).body.data.id;

const node = (id: string, type: string, config: object) => ({ id, type, name: id, config });

async function activated(session: Session, graph: object): Promise<string> {
  const projectId = await newProject(session);
  const body = { project_id: projectId, title: 'Much', graph: { version: 1, ...graph } };
  const { id, revision } = (await session.call('POST', '/v1/workflows', body)).body.data;
  await session.call('POST', `/v1/workflows/${id}/activation`, { expected_revision: revision });
  return id;
}

export const workflowAttacks: readonly Attack[] = [
  {
    name: 'runs of workflows of a hundred queries each',
    atOnce: 8,
    async prepare(session) {
      const nodes = Array.from({ length: 100 }, (_, index) =>
        node(`q${index}`, 'query', { sql: 'SELECT sum(range) AS total FROM range(20000000)' }),
      );
      const id = await activated(session, { nodes });
      return async () => (await session.call('POST', `/v1/workflows/${id}/runs`, {})).status;
    },
  },
  {
    name: 'graphs as large as they may be, drafted and validated',
    atOnce: 8,
    async prepare(session) {
      const project_id = await newProject(session);
      const content = `${'${a.rows} '.repeat(2_000)}`;
      const nodes = Array.from({ length: 50 }, (_, index) =>
        index % 2 === 0
          ? node(`n${index}`, 'report', { title: 'Large', content })
          : node(`n${index}`, 'query', { sql: `SELECT ${'1 + '.repeat(2_000)}1 AS a` }),
      );
      const body = { project_id, title: 'Large', graph: { version: 1, nodes } };
      const made = await session.call('POST', '/v1/workflows', body);
      const { id } = made.body.data;
      return async (count) =>
        count % 2 === 0
          ? (await session.call('POST', `/v1/workflows/${id}/validate`)).status
          : (await session.call('PUT', `/v1/workflows/${id}`, { title: 'Large', graph: body.graph })).status;
    },
  },
  {
    name: 'fires of a schedule that somebody asks for without end',
    atOnce: 8,
    async prepare(session) {
      const projectId = await newProject(session);
      const playbook = await session.call('POST', `/v1/projects/${projectId}/playbooks`, {
        title: 'Much',
        instructions: '- how many orders',
        model: 'offline',
      });
      const schedule = await session.call('POST', '/v1/schedules', {
        kind: 'playbook',
        target: { project_id: projectId, playbook_id: playbook.body.data.id },
        schedule: { type: 'daily', zone_id: 'UTC', time_of_day: '08:00' },
      });
      const url = `/v1/schedules/${schedule.body.data.id}/trigger`;
      return async () => (await session.call('POST', url)).status;
    },
  },
  {
    name: 'calls of a webhook that are signed wrongly',
    atOnce: 16,
    async prepare(session) {
      const project_id = await newProject(session);
      const triggers = [{ type: 'webhook' }];
      const graph = { version: 1, nodes: [node('one', 'query', { sql: 'SELECT 1 AS a' })] };
      const body = { project_id, title: 'Hooked', graph, triggers };
      const made = await session.call('POST', '/v1/workflows', body);
      const { hookUrl } = made.body.data.triggers[0].config;
      const { pathname } = new URL(hookUrl);
      return async () => {
        const answer = await fetch(session.apiUrl + pathname, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
            'x-webhook-signature': 'v1=00',
          },
          body: JSON.stringify({ text: 'x'.repeat(200_000) }),
        });
        await answer.arrayBuffer();
        return answer.status;
      };
    },
  },
];
