import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Form } from '../parts/form.tsx';
import { Input, Select } from '../parts/input.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import { addTile, createDashboard, createQuery, type Source } from './add-tile.ts';
import { type Dashboard, dashboardsQuery } from './resources.ts';

const labels = texts.saved.add;
const maxName = 200;

interface AddToDashboardProps {
  projectId: string;
  source: Source;
  /** Of the tile, to begin with. */
  name: string;
}

/** A query becomes a tile of a dashboard, which may be a new one. */
export function AddToDashboard(props: AddToDashboardProps) {
  const asked = useQuery(dashboardsQuery(props.projectId));
  return <Fetched asked={asked}>{(dashboards) => <Add {...props} dashboards={dashboards} />}</Fetched>;
}

function Add({
  projectId,
  source,
  name,
  dashboards,
}: AddToDashboardProps & { dashboards: readonly Dashboard[] }) {
  const queries = useQueryClient();
  const [title, setTitle] = useState(name);
  const [chosen, setChosen] = useState(dashboards[0]?.id ?? '');
  const [newName, setNewName] = useState('');
  /** What was added last: of another one it isn't said. */
  const [done, setDone] = useState<Source>();
  /** What an attempt made that failed afterwards: it is not made twice. */
  const made = useRef<{ source: Source; queryId: string; dashboardId?: string }>(undefined);
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: async () => {
      if (made.current?.source !== source) {
        const queryId = source.id ?? (await createQuery(projectId, source, { name: title })).id;
        made.current = { source, queryId };
      }
      const now = made.current;
      if (chosen === '' && now.dashboardId === undefined)
        now.dashboardId = (await createDashboard(projectId, newName)).id;
      const dashboardId = chosen === '' ? now.dashboardId! : chosen;
      const tile = { queryId: now.queryId, title, type: source.chart?.type };
      const done = await addTile(projectId, dashboardId, tile);
      made.current = undefined;
      return done;
    },
    onSuccess: (dashboard) => {
      setChosen(dashboard.id);
      setDone(source);
      queries.setQueryData(['dashboard', dashboard.id], dashboard);
      void queries.invalidateQueries({ queryKey: ['dashboards', projectId] });
      void queries.invalidateQueries({ queryKey: ['saved queries', projectId] });
    },
  });
  const isDone = data !== undefined && done === source;
  const change = (set: (text: string) => void) => (text: string) => {
    set(text);
    reset();
  };
  return (
    <>
      <Form onSubmit={() => mutate()}>
        <Input
          label={labels.tile}
          required
          maxLength={maxName}
          value={title}
          onChange={({ target }) => change(setTitle)(target.value)}
        />
        <Select
          label={labels.dashboard}
          value={chosen}
          onChange={({ target }) => change(setChosen)(target.value)}
        >
          {dashboards.map(({ id, name: one }) => (
            <option key={id} value={id}>
              {one}
            </option>
          ))}
          <option value="">{labels.new}</option>
        </Select>
        {chosen === '' && (
          <Input
            label={labels.name}
            required
            maxLength={maxName}
            value={newName}
            onChange={({ target }) => change(setNewName)(target.value)}
          />
        )}
        {source.id === undefined && <Text c="dimmed">{labels.kept}</Text>}
        <Button variant="filled" type="submit" disabled={isPending || isDone}>
          {labels.submit}
        </Button>
      </Form>
      {error !== null && <Failure error={error} />}
      {isDone && (
        <p role="status">
          <Link
            to="/projects/$projectId/dashboards/$dashboardId"
            params={{ projectId, dashboardId: data.id }}
          >
            {labels.open(data.name)}
          </Link>
        </p>
      )}
    </>
  );
}
