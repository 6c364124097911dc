import { Action } from '../../parts/action.tsx';
import { Failure } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import type { Workflow } from './graph.ts';
import type { DraftInHand } from './use-draft.ts';
import { WorkflowStatus } from './workflow-status.tsx';

const labels = texts.automation.workflows;

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
          labels.readOnly
        ) : (
          <span role="status" className="hint">
            {hand.halves > 0
              ? labels.states.half
              : state === 'saved'
                ? labels.states.saved(revision)
                : labels.states[state]}
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
            {labels.save}
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
            {labels.activate}
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
              {labels.pause}
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
              {labels.resume}
            </Action>
          )}
          <Action
            isPlain
            isDisabled={isBusy}
            confirm={labels.archiveSure(title)}
            does={async () => {
              await hand.settled();
              hand.moved((await workspace.post('/v1/workflows/{workflow_id}/archive', { params })).data);
            }}
          >
            {labels.archive}
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
