import { Failure } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import type { useTest } from './use-test.ts';

const labels = texts.connections.connection;

/** Whether a connection works, for who asks. */
export function Test({ asked: { mutate, data, error, isPending } }: { asked: ReturnType<typeof useTest> }) {
  return (
    <>
      <p className="buttons">
        <button type="button" className="plain" disabled={isPending} onClick={() => mutate()}>
          {labels.test}
        </button>
        {data?.ok && <span role="status">{labels.works(data.elapsedMs)}</span>}
      </p>
      {data?.failure != null && (
        <Failure title={labels.failed(data.failure.stage)} error={new Error(data.failure.message)} />
      )}
      {error !== null && <Failure error={error} />}
    </>
  );
}
