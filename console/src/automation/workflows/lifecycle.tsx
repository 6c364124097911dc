import { Button } from '@mantine/core';
import { Action } from '../../parts/action.tsx';
import { More } from '../../parts/more.tsx';
import { Failure } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import type { Workflow } from './graph.ts';
import type { DraftInHand } from './use-draft.ts';
import { WorkflowStatus } from './workflow-status.tsx';

const labels = texts.automation.workflows;

/** What may be done about a workflow and its draft. */
export function Lifecycle({ workflow, hand }: { workflow: Workflow; hand: DraftInHand }) {
  const { id, title, status } = workflow;
  const params = { path: { workflow_id: id } };
  const { state } = hand;
  const isBusy = state === 'saving';
  const changes = [['workflow-versions', id]];
  if (status === 'archived') return null;
  return (
    <>
      <Button
        disabled={isBusy || (state === 'saved' && hand.error === null)}
        onClick={() => void hand.save()}
      >
        {labels.save}
      </Button>
      <Action
        isPrimary
        isDisabled={isBusy || hand.halves > 0}
        changes={changes}
        does={async () => {
          const body = { expected_revision: await hand.settled() };
          const made = await workspace.post('/v1/workflows/{workflow_id}/activation', { params, body });
          hand.moved(made.data);
        }}
      >
        {labels.activate}
      </Action>
      {status === 'active' && (
        <Action
          isDisabled={isBusy}
          does={async () => {
            await hand.settled();
            hand.moved((await workspace.post('/v1/workflows/{workflow_id}/pause', { params })).data);
          }}
        >
          {labels.pause}
        </Action>
      )}
      {status === 'paused' && (
        <Action
          isDisabled={isBusy}
          does={async () => {
            await hand.settled();
            hand.moved((await workspace.post('/v1/workflows/{workflow_id}/resume', { params })).data);
          }}
        >
          {labels.resume}
        </Action>
      )}
      <More>
        <Action
          destroys
          isDisabled={isBusy}
          confirm={labels.archiveSure(title)}
          does={async () => {
            await hand.settled();
            hand.moved((await workspace.post('/v1/workflows/{workflow_id}/archive', { params })).data);
          }}
        >
          {labels.archive}
        </Action>
      </More>
    </>
  );
}

/** Whether it is active, and whether its draft is saved. */
export function DraftState({ workflow, hand }: { workflow: Workflow; hand: DraftInHand }) {
  const { status, pauseReason, revision } = workflow;
  const { state } = hand;
  return (
    <>
      <WorkflowStatus status={status} />{' '}
      {pauseReason !== undefined && texts.automation.schedules.pauseReasons[pauseReason]}{' '}
      {status === 'archived' ? (
        labels.readOnly
      ) : (
        <span role="status">
          {hand.halves > 0
            ? labels.states.half
            : state === 'saved'
              ? labels.states.saved(revision)
              : labels.states[state]}
        </span>
      )}
    </>
  );
}

/** Why the draft wasn't saved, and the way back to what is stored. */
export const DraftFailure = ({ hand }: { hand: DraftInHand }) =>
  hand.error !== null && (
    <>
      <Failure error={hand.error} />
      <Action does={hand.reload}>{texts.automation.newest}</Action>
    </>
  );
