import type { ProcessStart } from '../postgres/process-starts.ts';
import type { ProcessState } from './temporal.ts';

/** What a durable process is: everything of it that does not change from one to the next. */
export interface ProcessDefinition<Input extends { organizationId: string }> {
  /** Names the kind in its ids and in the search attribute ProcessKind: `table-import`. */
  kind: string;
  workflowType: string;
  taskQueue: string;
  /** Of its tasks while workers have more to do than they can: 1 is first, 5 last, 3 where left out. */
  priority?: 1 | 2 | 4 | 5;
  /** The id of the row it serves. */
  resourceId(input: Input): string;
  /**
   * What becomes of its row when somebody ended the process by force; where it vanished it is started again.
   */
  whenTerminated: 'close' | 'restart';
}

/** Whether a process in that state takes its row with it; any other that does not run is started again. */
export function closes(
  { whenTerminated }: Pick<ProcessDefinition<{ organizationId: string }>, 'whenTerminated'>,
  state: ProcessState,
): boolean {
  return state === 'terminated' && whenTerminated === 'close';
}

/** What one start says beside its input. Whoever watches the process reads the summary. */
export interface StartDetails {
  summary: string;
  projectId?: string;
  /** Of what it serves, in the API: operators read it with the process, and its failures name it. */
  address?: string | undefined;
  /** What the process remembers of the request behind it. */
  memo?: Record<string, string>;
}

export interface ProcessKind<Input extends { organizationId: string }> extends ProcessDefinition<Input> {
  /** Readable in the Temporal UI, and the same for every try to start it. */
  workflowId(resourceId: string): string;
  startOf(input: Input, details: StartDetails): ProcessStart;
}

export function defineProcess<Input extends { organizationId: string }>(
  definition: ProcessDefinition<Input>,
): ProcessKind<Input> {
  const { kind, workflowType, taskQueue, priority } = definition;
  const workflowId = (resourceId: string) => `${kind}/${resourceId}`;
  return {
    ...definition,
    workflowId,
    startOf(input, { summary, projectId, address, memo = {} }) {
      const resourceId = definition.resourceId(input);
      return {
        workflowId: workflowId(resourceId),
        workflowType,
        taskQueue,
        argument: input,
        searchAttributes: {
          OrganizationId: input.organizationId,
          ...(projectId === undefined ? {} : { ProjectId: projectId }),
          ResourceId: resourceId,
          ProcessKind: kind,
        },
        memo: address === undefined ? memo : { ...memo, address },
        ...(priority === undefined ? {} : { priority }),
        summary: shortened(summary),
      };
    },
  };
}

/** Temporal takes 400 bytes, of which a character has four at most. */
const maxSummary = 100;

/** By whole characters: half of one is no text that PostgreSQL keeps. */
function shortened(summary: string): string {
  const characters = [...summary.toWellFormed()];
  return characters.length <= maxSummary ? summary : `${characters.slice(0, maxSummary - 1).join('')}…`;
}
