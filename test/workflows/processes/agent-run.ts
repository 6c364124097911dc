import { nothing, organizationId, type TestedProcess } from '../process.ts';
import { turns } from '../turns.ts';

export const process: TestedProcess = {
  type: 'agentRun',
  isQuick: true,
  life: () => ({
    input: { runId: 'run_1' },
    activities: {
      ...turns(),
      readDecisions: async () => ({ kind: 'decided', partIndexes: [], waitMs: null }),
      beginAgentRun: async () => ({ organizationId, conversationId: 'cnv_1', messageId: 'msg_1' }),
      deliverAgentRun: async () => ({ status: 'succeeded', errorCode: null }),
      clearAgentRun: nothing,
    },
    leastMs: 0,
  }),
  failure: {
    input: { runId: 'run_1' },
    activities: {
      beginAgentRun: nothing,
      endAgentRun: async () => ({ status: 'failed', errorCode: 'turn_timeout' }),
      clearAgentRun: nothing,
    },
    told: { what: 'The run of the analyst', code: 'turn_timeout', advice: 'ask for less' },
  },
};
