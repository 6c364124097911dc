import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TargetTitle } from '../automation/schedules/target.tsx';
import { cadenceInWords } from '../cadences/cadence.ts';
import { Fetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Few } from './few.tsx';

const labels = texts.home;
const maxShown = 6;

/** What the clock starts next. */
export function NextRuns() {
  const asked = useQuery({
    queryKey: ['schedules', 'next'],
    queryFn: async () => (await workspace.get('/v1/schedules', { params: { query: { limit: 200 } } })).items,
  });
  return (
    <Fetched asked={asked}>
      {(schedules) => (
        <Few
          title={labels.next}
          none={labels.nothingNext}
          items={schedules
            .filter(({ nextRunAt }) => nextRunAt !== null)
            .sort((a, b) => Date.parse(a.nextRunAt!) - Date.parse(b.nextRunAt!))
            .slice(0, maxShown)
            .map(({ id, description, target, schedule, nextRunAt }) => ({
              key: id,
              name: (
                <Link to="/schedules/$scheduleId" params={{ scheduleId: id }}>
                  {description === '' ? <TargetTitle target={target} /> : description}
                </Link>
              ),
              state: cadenceInWords(schedule),
              when: <Time at={nextRunAt} />,
            }))}
        />
      )}
    </Fetched>
  );
}
