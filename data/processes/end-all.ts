import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import pMap from 'p-map';

const pageSize = 500;
const atOnce = 8;
const deadlineMs = 10_000;
/** What is left after this long is for the next call. */
const callMs = 20_000;

/**
 * Terminates the running processes of an organization except one, and returns how many it found; no more are
 * looked for after 20 seconds. One that was started or has ended moments ago may not be seen as such.
 */
export async function endAllProcesses(
  client: Client,
  organizationId: string,
  exceptWorkflowId: string,
): Promise<number> {
  const endMs = Date.now() + callMs;
  let nextPageToken: Uint8Array | null | undefined;
  let found = 0;
  do {
    const token = nextPageToken ?? new Uint8Array();
    const page = await client.withDeadline(Date.now() + deadlineMs, () =>
      client.workflowService.listWorkflowExecutions({
        namespace: client.options.namespace,
        query: `OrganizationId = '${organizationId}' AND ExecutionStatus = 'Running'`,
        pageSize,
        nextPageToken: token,
      }),
    );
    const workflowIds = (page.executions ?? [])
      .flatMap(({ execution }) => execution?.workflowId ?? [])
      .filter((workflowId) => workflowId !== exceptWorkflowId);
    await pMap(workflowIds, (workflowId) => terminate(client, workflowId), { concurrency: atOnce });
    found += workflowIds.length;
    ({ nextPageToken } = page);
  } while (nextPageToken?.length && Date.now() < endMs);
  return found;
}

async function terminate(client: Client, workflowId: string): Promise<void> {
  try {
    await client.withDeadline(Date.now() + deadlineMs, () =>
      client.workflow.getHandle(workflowId).terminate('Its organization is being deleted.'),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
