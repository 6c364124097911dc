import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../parts/form.tsx';
import { Input, Select } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { type GridTable, gridTableQuery } from './grid-table.ts';

const labels = texts.table.statement.refresh;
type Mode = keyof typeof labels.modes;
const modes = Object.keys(labels.modes) as Mode[];
const maxSeconds = 31_536_000;

/** When a calculated table is built. */
export function Refresh({ table }: { table: GridTable }) {
  const { tableId } = table;
  const queries = useQueryClient();
  const { queryKey } = gridTableQuery(tableId);
  const [{ refresh, revision }, setBase] = useState(table);
  const [mode, setMode] = useState<Mode>(refresh?.mode ?? 'manual');
  const [seconds, setSeconds] = useState(String(refresh?.minIntervalSeconds ?? ''));
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () =>
      workspace.patch('/v1/grid/tables/{table_id}', {
        params: { path: { table_id: tableId } },
        body: {
          refresh: { mode, ...(mode === 'on_change' ? { min_interval_seconds: Number(seconds) } : {}) },
          expected_revision: revision,
        },
      }),
    onSuccess: ({ data }) => {
      setBase(data);
      return queries.invalidateQueries({ queryKey });
    },
    onError: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <Form onSubmit={() => mutate()}>
      <Group align="start">
        <Select label={labels.mode} value={mode} onChange={({ target }) => setMode(target.value as Mode)}>
          {modes.map((mode) => (
            <option key={mode} value={mode}>
              {labels.modes[mode]}
            </option>
          ))}
        </Select>
        {mode === 'on_change' && (
          <Input
            label={labels.seconds}
            required
            type="number"
            min={1}
            max={maxSeconds}
            value={seconds}
            onChange={({ target }) => setSeconds(target.value)}
          />
        )}
      </Group>
      <Group>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.save}
        </Button>
        {isSuccess && <span role="status">{labels.saved}</span>}
      </Group>
      {error !== null && <Failure error={error} />}
      {table.revision > revision && (
        <p>
          <Button
            onClick={() => {
              setBase(table);
              setMode(table.refresh?.mode ?? 'manual');
              setSeconds(String(table.refresh?.minIntervalSeconds ?? ''));
            }}
          >
            {texts.automation.newest}
          </Button>
        </p>
      )}
    </Form>
  );
}
