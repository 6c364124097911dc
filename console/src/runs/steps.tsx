import { List } from '../parts/list.tsx';
import type { Run } from '../parts/run.ts';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import * as texts from '../texts/index.ts';

const labels = texts.runs.steps;

/** What a run has done so far, in its order. */
export function Steps({ run: { steps } }: { run: Run }) {
  return (
    <>
      <h2>{labels.title}</h2>
      {steps.length === 0 ? (
        <p>{labels.none}</p>
      ) : (
        <List
          label={labels.title}
          items={steps}
          keyOf={({ id }) => id}
          columns={[
            { title: labels.name, value: ({ name }) => name },
            { title: labels.status, value: ({ status }) => <Status of={status} /> },
            {
              title: labels.detail,
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
