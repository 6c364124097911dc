import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { components } from '../../../../clients/typescript/src/index.ts';
import { Action } from '../../parts/action.tsx';
import { faultAt, unplaced } from '../../parts/faults.ts';
import { Form } from '../../parts/form.tsx';
import { Input } from '../../parts/input.tsx';
import { List } from '../../parts/list.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Failure } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';

type Backfill = components['schemas']['ScheduleBackfill'];

const labels = texts.automation.schedules.backfills;
const runningMs = 2_000;

/** Fires of the past that are made up for, and doing so. */
export function Backfills({ scheduleId }: { scheduleId: string }) {
  const params = { path: { schedule_id: scheduleId } };
  return (
    <>
      <NewBackfill scheduleId={scheduleId} />
      <Pages
        queryKey={['backfills', scheduleId]}
        empty={labels.none}
        everyMs={runningMs}
        isUnderWay={isUnderWay}
        fetchPage={(page) =>
          workspace.get('/v1/schedules/{schedule_id}/backfills', { params: { ...params, query: page } })
        }
      >
        {(found) => <Listed {...{ scheduleId, found }} />}
      </Pages>
    </>
  );
}

function Listed({ scheduleId, found }: { scheduleId: string; found: readonly Backfill[] }) {
  const queries = useQueryClient();
  const ended = found.reduce((sum, backfill) => sum + endedOf(backfill), 0);
  // The runs of the schedule are among those of the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they have changed whenever another has ended.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['schedule-runs', scheduleId] });
  }, [queries, scheduleId, ended, found.length]);
  return (
    <List
      label={labels.title}
      items={[...found]}
      keyOf={({ id }) => id}
      columns={[
        {
          title: labels.range,
          value: ({ from, to }) => (
            <>
              <Time at={from} /> – <Time at={to} />
            </>
          ),
        },
        { title: labels.status, value: ({ status }) => <Status of={status} /> },
        {
          title: labels.done,
          value: (backfill) => `${endedOf(backfill)} / ${backfill.total}`,
          isNumber: true,
        },
        {
          title: labels.change,
          value: (backfill) =>
            isUnderWay(backfill) && (
              <Action
                changes={[['backfills', scheduleId]]}
                does={() =>
                  workspace.delete('/v1/schedules/{schedule_id}/backfills/{backfill_id}', {
                    params: { path: { schedule_id: scheduleId, backfill_id: backfill.id } },
                  })
                }
              >
                {labels.cancel}
              </Action>
            ),
        },
      ]}
    />
  );
}

const endedOf = ({ fires }: Backfill): number => fires.succeeded + fires.failed + fires.cancelled;

const isUnderWay = ({ finishedAt }: Backfill): boolean => finishedAt === null;

/** A range of time is chosen and looked at before anything runs. */
function NewBackfill({ scheduleId }: { scheduleId: string }) {
  const queries = useQueryClient();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [onlyMissing, setOnlyMissing] = useState(true);
  const send = (preview: boolean) =>
    workspace.post('/v1/schedules/{schedule_id}/backfills', {
      params: { path: { schedule_id: scheduleId } },
      body: { from: momentOf(from), to: momentOf(to), only_missing: onlyMissing, preview },
    });
  const look = useMutation({
    mutationFn: async () => {
      const { data } = await send(true);
      return 'occurrences' in data ? data : { occurrences: [], total: 0 };
    },
  });
  const start = useMutation({
    mutationFn: () => send(false),
    onSuccess: () => {
      look.reset();
      void queries.invalidateQueries({ queryKey: ['backfills', scheduleId] });
      void queries.invalidateQueries({ queryKey: ['schedule-runs', scheduleId] });
    },
  });
  const error = start.error ?? look.error;
  const left = unplaced(error, [['from'], ['to']]);
  const change = (how: () => void) => {
    how();
    look.reset();
    start.reset();
  };
  return (
    <Form
      onSubmit={() => {
        start.reset();
        look.mutate();
      }}
    >
      <Text c="dimmed">{labels.hint}</Text>
      <Group align="start">
        <Input
          label={labels.from}
          fault={faultAt(error, 'from')}
          type="datetime-local"
          required
          value={from}
          onChange={({ target }) => change(() => setFrom(target.value))}
        />
        <Input
          label={labels.to}
          fault={faultAt(error, 'to')}
          type="datetime-local"
          required
          value={to}
          onChange={({ target }) => change(() => setTo(target.value))}
        />
      </Group>
      <Checkbox
        label={labels.onlyMissing}
        checked={onlyMissing}
        onChange={({ target }) => change(() => setOnlyMissing(target.checked))}
      />
      <Group>
        <Button type="submit" className="plain" disabled={look.isPending}>
          {labels.look}
        </Button>
        {look.data !== undefined && look.data.total > 0 && (
          <Button disabled={start.isPending} onClick={() => start.mutate()}>
            {labels.start(look.data.total)}
          </Button>
        )}
      </Group>
      {look.data !== undefined && (
        <p role="status">
          {labels.found(look.data.total)} {look.data.occurrences[0]?.localTime.replace('T', ' ')}
          {look.data.total > 1 && ' …'}
        </p>
      )}
      {left !== null && <Failure error={left} />}
    </Form>
  );
}

/** The moment of a local time of the reader, as it is sent. */
function momentOf(local: string): string {
  const moment = new Date(local);
  return Number.isNaN(moment.getTime()) ? local : moment.toISOString();
}
