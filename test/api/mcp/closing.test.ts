import { expect, test } from 'vitest';
import { buildApp } from '../../../api/app.ts';
import { expectEventually } from '../../support/eventually.ts';
import { mcpClientOf } from '../../support/mcp.ts';
import { useWorker } from '../../support/worker.ts';
import { graphOf, node, workflowsOf } from '../../support/workflows.ts';
import { useWorkspace } from '../../support/workspace.ts';

/** A service that stops answers what is under way. */
const workspace = useWorkspace();
useWorker(workspace);

test.each(['2025', '2026'] as const)(
  'a call that waits is answered with what is known, in %s',
  async (protocol) => {
    const client = await workspace.organization();
    const { body } = await client.call('POST', '/v1/projects', { body: { name: 'Sales' } });
    const { draft, activate } = workflowsOf(client, () => body.data.id);
    const workflow = await activate(await draft(graphOf([node('wait', 'approval', { message: 'Go on?' })])));
    const own = await buildApp(workspace.deps);
    await own.listen({ host: '127.0.0.1', port: 0 });
    const mcp = await mcpClientOf({ ...workspace, app: own }, await client.token(), protocol);
    const input = { workflow_id: workflow.id, wait_seconds: 300 };
    const answer = mcp.call('run_workflow', input, { timeout: 300_000 });
    await expectEventually(
      async () => (await client.call('GET', `/v1/workflows/${workflow.id}/runs`)).body.items,
    ).toMatchObject([{ status: 'waiting' }]);
    await own.close();
    expect((await answer).structuredContent).toMatchObject({
      run: { id: expect.stringMatching(/^wfr_/) },
      detail: expect.stringContaining('get_run'),
    });
    await mcp.close();
  },
);
