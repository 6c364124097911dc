import { Action } from '../../parts/action.tsx';
import { Failure } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import type { Workflow } from './graph.ts';
import type { DraftInHand } from './use-draft.ts';
import { WorkflowStatus } from './workflow-status.tsx';

const told = texts.automation.workflows;

/** Whether it is active, whether its draft is saved, and what may be done about both. */
export function Lifecycle({ workflow, hand }: { workflow: Workflow; hand: DraftInHand }) {
  const { id, title, status, pauseReason, revision } = workflow;
  const params = { path: { workflow_id: id } };
  const { state } = hand;
  const isBusy = state === 'saving';
  const changes = [['workflow-versions', id]];
  return (
    <>
      <p>
        <WorkflowStatus status={status} />{' '}
        {pauseReason !== undefined && texts.automation.schedules.pauseReasons[pauseReason]}{' '}
        {status === 'archived' ? (
          told.readOnly
        ) : (
          <span role="status" className="hint">
            {hand.halves > 0
              ? told.states.half
              : state === 'saved'
                ? told.states.saved(revision)
                : told.states[state]}
          </span>
        )}
      </p>
      {status !== 'archived' && (
        <div className="buttons">
          <button
            type="button"
            className="plain"
            disabled={isBusy || (state === 'saved' && hand.error === null)}
            onClick={() => void hand.save()}
          >
            {told.save}
          </button>
          <Action
            isDisabled={isBusy || hand.halves > 0}
            changes={changes}
            does={async () => {
              const body = { expected_revision: await hand.settled() };
              const made = await workspace.post('/v1/workflows/{workflow_id}/activation', { params, body });
              hand.moved(made.data);
            }}
          >
            {told.activate}
          </Action>
          {status === 'active' && (
            <Action
              isPlain
              isDisabled={isBusy}
              does={async () => {
                await hand.settled();
                hand.moved((await workspace.post('/v1/workflows/{workflow_id}/pause', { params })).data);
              }}
            >
              {told.pause}
            </Action>
          )}
          {status === 'paused' && (
            <Action
              isPlain
              isDisabled={isBusy}
              does={async () => {
                await hand.settled();
                hand.moved((await workspace.post('/v1/workflows/{workflow_id}/resume', { params })).data);
              }}
            >
              {told.resume}
            </Action>
          )}
          <Action
            isPlain
            isDisabled={isBusy}
            confirm={told.archiveSure(title)}
            does={async () => {
              await hand.settled();
              hand.moved((await workspace.post('/v1/workflows/{workflow_id}/archive', { params })).data);
            }}
          >
            {told.archive}
          </Action>
        </div>
      )}
      {hand.error !== null && (
        <>
          <Failure error={hand.error} />
          <div className="buttons">
            <Action isPlain does={hand.reload}>
              {texts.automation.newest}
            </Action>
          </div>
        </>
      )}
    </>
  );
}
