import { Button } from '@mantine/core';
import { Failure } from '../parts/states.tsx';
import { Signaled } from '../parts/status.tsx';
import * as texts from '../texts/index.ts';
import type { useTest } from './use-test.ts';

const labels = texts.connections.connection;

type Asked = { asked: ReturnType<typeof useTest> };

/** Has a connection tried. */
export const Test = ({ asked: { mutate, isPending } }: Asked) => (
  <Button disabled={isPending} onClick={() => mutate()}>
    {labels.test}
  </Button>
);

/** Whether it works, for who asked. */
export const Tested = ({ asked: { data, error } }: Asked) => (
  <>
    {data?.ok && (
      <p role="status">
        <Signaled as="good">{labels.works(data.elapsedMs)}</Signaled>
      </p>
    )}
    {data?.failure != null && (
      <Failure title={labels.failed(data.failure.stage)} error={new Error(data.failure.message)} />
    )}
    {error !== null && <Failure error={error} />}
  </>
);
