import { type RecordOf, records } from '../../../data/postgres/records.ts';

/** An unattended task of the analyst; its progress is in the run of the same id. */
export type AgentRun = RecordOf<'agent_runs'>;

/** What a run delivers: the analyst's answer as a report, or as a file of the project. */
export type AgentOutput = { type: 'report'; title: string } | { type: 'file'; path: string };

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    agent_runs: {
      output: Document<AgentOutput>;
    };
  }
}

const agentRuns = records('agent_runs', { prefix: 'run', what: 'The run' });

export const { find: findAgentRun, get: getAgentRun, insert: insertAgentRun } = agentRuns;
