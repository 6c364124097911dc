import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dayInWords } from '../../cadences/cadence.ts';
import { Fetched } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { clockTime, type Day, type Month, monthsOf, timeIn } from './months.ts';
import type { Schedule } from './target.tsx';

const labels = texts.automation.schedules;
/** The service tells no more, and none but the next. */
const limit = 100;
/** Times of one day that fit into its cell. */
const perDay = 3;

/** When a schedule fires next, a month at a time. */
export function Calendar({ schedule: { id, revision, schedule } }: { schedule: Schedule }) {
  const asked = useQuery({
    queryKey: ['occurrences', id, revision],
    queryFn: () =>
      workspace.get('/v1/schedules/{schedule_id}/occurrences', {
        params: { path: { schedule_id: id }, query: { limit } },
      }),
  });
  return (
    <Fetched asked={asked}>
      {({ items }) => (
        <Months
          months={monthsOf(items)}
          zone={schedule.zoneId}
          knownUntil={items.length < limit ? undefined : items.at(-1)?.localTime}
        />
      )}
    </Fetched>
  );
}

interface MonthsProps {
  months: readonly Month[];
  zone: string;
  /** The last time that is known; undefined where it is the last at all. */
  knownUntil: string | undefined;
}

function Months({ months, zone, knownUntil }: MonthsProps) {
  const [at, setAt] = useState(0);
  const month = months[at] ?? months[0];
  const isLast = at >= months.length - 1;
  if (month === undefined) return <p>{labels.noNext}</p>;
  const noted = month.occurrences.filter(({ note }) => note !== null);
  return (
    <>
      <MonthGrid month={month} />
      {isLast && (
        <Text c="dimmed">
          {knownUntil === undefined
            ? labels.noLater
            : labels.knownUntil(dayInWords(knownUntil.slice(0, 10)), clockTime(knownUntil))}
        </Text>
      )}
      <Group>
        <Button disabled={at === 0} onClick={() => setAt(at - 1)}>
          {labels.earlier}
        </Button>
        <Button disabled={isLast} onClick={() => setAt(at + 1)}>
          {labels.later}
        </Button>
      </Group>
      {noted.length > 0 && (
        <ul className="plain notes">
          {noted.map(({ at, localTime, note }) => (
            <li key={at}>
              <strong>
                {dayInWords(localTime.slice(0, 10))}, {clockTime(localTime)}
              </strong>
              : {labels.notes[note!]} {labels.firesAt(timeIn(zone, at))}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const MonthGrid = ({ month: { title, weeks } }: { month: Month }) => (
  <table className="month">
    <caption aria-live="polite">{title}</caption>
    <thead>
      <tr>
        {labels.shortDays.map((day) => (
          <th key={day} scope="col">
            {day}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {weeks.map((week) => (
        <tr key={week.key}>
          {week.days.map((day) => (
            <td key={day.key} className={day.occurrences.length > 0 ? 'fires' : undefined}>
              <OneDay day={day} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

const OneDay = ({ day: { number, occurrences } }: { day: Day }) => (
  <>
    {number !== undefined && <span className="day">{number}</span>}
    {occurrences.slice(0, perDay).map(({ at, localTime, note }) => (
      <time key={at} dateTime={at} title={note === null ? undefined : labels.notes[note]}>
        {clockTime(localTime)}
        {note !== null && ' *'}
      </time>
    ))}
    {occurrences.length > perDay && <span>{labels.more(occurrences.length - perDay)}</span>}
  </>
);
