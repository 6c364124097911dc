import type { ProcessStart } from '../postgres/process-starts.ts';
import type { ProcessState } from './temporal.ts';

/** The definition of a kind of durable process: everything that is the same for all its instances. */
export interface ProcessDefinition<Input extends { organizationId: string }> {
  /** Name of the kind, used in its ids and in the search attribute ProcessKind: `table-import`. */
  kind: string;
  workflowType: string;
  taskQueue: string;
  /** Priority of its tasks while workers are saturated: 1 is first, 5 last, 3 by default. */
  priority?: 1 | 2 | 4 | 5;
  /** The id of the row it serves. */
  resourceId(input: Input): string;
  /**
   * What happens to its row when the process was terminated by an operator. A process that vanished is
   * started again.
   */
  whenTerminated: 'close' | 'restart';
}

/** Whether a process in that state closes its row; any other process that is not running is started again. */
export function closes(
  { whenTerminated }: Pick<ProcessDefinition<{ organizationId: string }>, 'whenTerminated'>,
  state: ProcessState,
): boolean {
  return state === 'terminated' && whenTerminated === 'close';
}

/** Details of one start in addition to its input. The summary is shown to operators who watch the process. */
export interface StartDetails {
  summary: string;
  projectId?: string;
  /**
   * API address of the resource it serves: shown to operators with the process, and named in its failures.
   */
  address?: string | undefined;
  /** Details of the originating request that the process keeps. */
  memo?: Record<string, string>;
}

export interface ProcessKind<Input extends { organizationId: string }> extends ProcessDefinition<Input> {
  /** Readable in the Temporal UI, and the same for every attempt to start the process. */
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

/** Temporal allows 400 bytes, and a character takes at most four. */
const maxSummary = 100;

/** Cuts at whole characters: PostgreSQL cannot store a lone surrogate. */
function shortened(summary: string): string {
  const characters = [...summary.toWellFormed()];
  return characters.length <= maxSummary ? summary : `${characters.slice(0, maxSummary - 1).join('')}…`;
}
