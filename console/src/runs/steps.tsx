import { List } from '../parts/list.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import * as texts from '../texts/index.ts';
import type { Run } from './run.ts';

const told = texts.runs.steps;

/** What a run has done so far, in its order. */
export function Steps({ run: { steps } }: { run: Run }) {
  return (
    <>
      <h2>{told.title}</h2>
      {steps.length === 0 ? (
        <p>{told.none}</p>
      ) : (
        <List
          label={told.title}
          items={steps}
          keyOf={({ id }) => id}
          columns={[
            { title: told.name, value: ({ name }) => name },
            { title: told.status, value: ({ status }) => <Status of={status} /> },
            {
              title: told.detail,
              value: ({ detail, error }) => (
                <>
                  {detail}
                  {error !== null && (
                    <p className="pre bad">
                      {error.message} ({error.code})
                    </p>
                  )}
                </>
              ),
            },
            { title: texts.runs.columns.begun, value: ({ startedAt }) => <Time at={startedAt} /> },
            { title: texts.runs.ended, value: ({ finishedAt }) => <Time at={finishedAt} /> },
          ]}
        />
      )}
    </>
  );
}
