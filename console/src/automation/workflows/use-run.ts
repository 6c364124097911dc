import { useQuery } from '@tanstack/react-query';
import { workspace } from '../../session/login.ts';

const runningMs = 2_000;
const idleMs = 15_000;

/** The run of a workflow that is looked at: the chosen one, else the latest. It is followed until it ends. */
export function useRun(workflowId: string, chosenId: string | undefined) {
  const path = { workflow_id: workflowId };
  const { data: newest } = useQuery({
    queryKey: ['workflow-runs', workflowId, 'newest'],
    queryFn: () =>
      workspace.get('/v1/workflows/{workflow_id}/runs', { params: { path, query: { limit: 1 } } }),
    enabled: chosenId === undefined,
    refetchInterval: idleMs,
  });
  const runId = chosenId ?? newest?.items[0]?.id;
  return useQuery({
    queryKey: ['workflow-run', workflowId, runId],
    queryFn: async () => {
      const { data } = await workspace.get('/v1/workflows/{workflow_id}/runs/{run_id}', {
        params: { path: { ...path, run_id: runId! } },
      });
      return data;
    },
    enabled: runId !== undefined,
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.finishedAt === null ? runningMs : false,
  });
}

export type RunInSight = ReturnType<typeof useRun>;
