import { ValidationError } from '../../../data/errors.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { attachedTables } from '../../tables/catalog-entries/catalog-entries.ts';
import { pathFault } from '../../workspace/files/path.ts';
import { actAs } from '../../workspace/organizations/rights.ts';
import type { Run } from '../../workspace/runs/runs.ts';
import type { AgentOutput, AgentRun } from '../agent-runs/agent-runs.ts';
import { startAgentRun } from '../agent-runs/start.ts';
import { checkParams, filledIn, filledLength, type Params } from './parameters.ts';
import { getPlaybook, writerOf } from './playbooks.ts';

export interface PlaybookRunRequest {
  organizationId: string;
  projectId: string;
  playbookId: string;
  callerId: string;
  /**
   * Nobody reads the instructions before they run, so that the run also has only the rights of who wrote
   * them, and of `alsoFor`.
   */
  isUnattended?: boolean;
  alsoFor?: readonly string[];
  memo: Record<string, string>;
  runId: string;
  params: Params;
  /** Path of the params in the request, for faults. */
  at: readonly string[];
  trigger: { type: Run['trigger_type']; id: string };
  /** The process waiting for its end, if any. */
  waitedBy?: string;
  /** Used for playbooks without a model. */
  defaultModel: string;
}

/** Same limit as for written instructions, so that inserting a long value repeatedly does not bypass it. */
const maxInstructions = 204_800;
const maxTitle = 200;

/**
 * Starts a run of a playbook's current revision, with its parameters filled in.
 *
 * @throws ValidationError at the parameters that do not fit
 */
export async function runPlaybook(deps: ProcessDeps, request: PlaybookRunRequest): Promise<AgentRun> {
  const { organizationId, projectId, at } = request;
  const { playbook, writer, tables } = await inOrganization(deps.db, organizationId, async (db) => {
    const found = await getPlaybook(db, organizationId, projectId, request.playbookId);
    await actAs(db, organizationId, request.callerId);
    const writer = await writerOf(db, found);
    return { playbook: found, writer, tables: await attachedTables(db, organizationId, projectId) };
  });
  const params = checkParams(playbook.parameters, request.params, { at, tables });
  const characters = filledLength(playbook.instructions, params);
  if (characters > maxInstructions) {
    const msg = `With these parameters, the instructions have ${characters} characters; the limit is ${maxInstructions}.`;
    throw new ValidationError([{ loc: [...at], type: 'value_error', msg }]);
  }
  return startAgentRun(deps, {
    ...request,
    alsoFor: request.isUnattended === true ? [writer, ...(request.alsoFor ?? [])] : [],
    kind: 'playbook',
    title: titled(playbook.title, params),
    instructions: filledIn(playbook.instructions, params),
    output: filledOutput(playbook.output, params, at),
    model: playbook.model ?? request.defaultModel,
    effort: playbook.effort,
    playbook: { id: playbook.id, revision: playbook.revision, params },
  });
}

function filledOutput(output: AgentOutput, params: Params, at: readonly string[]): AgentOutput {
  if (output.type === 'report') return { type: 'report', title: titled(output.title, params) };
  const path = filledIn(output.path, params).normalize('NFC');
  const fault = pathFault(path);
  if (fault === undefined) return { type: 'file', path };
  throw new ValidationError([
    { loc: [...at], type: 'value_error', msg: `The output's path becomes ${path}. ${fault}` },
  ]);
}

const titled = (title: string, params: Params): string =>
  [...filledIn(title, params)].slice(0, maxTitle).join('');
