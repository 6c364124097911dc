import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changesOf } from '../parts/changes.ts';
import { Form } from '../parts/form.tsx';
import { Input, Select, TextArea } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { type Catalog, isView } from './subject.ts';

const labels = texts.table.about;
type Tier = keyof typeof labels.tiers;
const tiers = Object.keys(labels.tiers) as Tier[];

interface Sent {
  written: { name: string; description: string; modeling_tier: Tier };
  notes: Readonly<Record<string, string>>;
}

/** What people should know of a table or a view, and of its columns: the analyst reads it too. */
export function About({ id, catalog }: { id: string; catalog: Catalog }) {
  const queries = useQueryClient();
  const [stored, setStored] = useState<Sent['written']>({
    name: catalog.name,
    description: catalog.description,
    modeling_tier: catalog.modelingTier,
  });
  const [written, write] = useState(stored);
  const [notes, setNotes] = useState<Sent['notes']>({});
  const change = (part: Partial<Sent['written']>) => write((before) => ({ ...before, ...part }));
  const { name, description, modeling_tier: tier } = written;
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: async (sent: Sent) => {
      const { name: renamed, ...rest } = changesOf(sent.written, stored);
      if (renamed !== undefined)
        await workspace.patch('/v1/views/{view_id}', {
          params: { path: { view_id: id } },
          body: { name: renamed },
        });
      const columns = Object.entries(sent.notes).map(([column, note]) => ({
        name: column,
        note: note === '' ? null : note,
      }));
      const body = { ...rest, ...(columns.length === 0 ? {} : { columns }) };
      if (Object.keys(body).length === 0) return;
      await (isView(id)
        ? workspace.patch('/v1/views/{view_id}/catalog', { params: { path: { view_id: id } }, body })
        : workspace.patch('/v1/tables/{table_id}/catalog', { params: { path: { table_id: id } }, body }));
    },
    // What was written meanwhile is not saved yet.
    onSuccess: (_, sent) => {
      setStored(sent.written);
      setNotes((before) => (before === sent.notes ? {} : before));
    },
    onSettled: () =>
      Promise.all([['catalog', id], ['tables']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  return (
    <Form onSubmit={() => mutate({ written, notes })}>
      {isView(id) && (
        <Input
          label={labels.name}
          required
          maxLength={255}
          value={name}
          onChange={({ target }) => change({ name: target.value })}
        />
      )}
      <TextArea
        label={labels.description}
        rows={3}
        value={description}
        onChange={({ target }) => change({ description: target.value })}
      />
      <Select
        label={labels.tier}
        value={tier}
        onChange={({ target }) => change({ modeling_tier: target.value as Tier })}
      >
        {tiers.map((tier) => (
          <option key={tier} value={tier}>
            {labels.tiers[tier]}
          </option>
        ))}
      </Select>
      {catalog.columns.map(({ name, note }) => (
        <Input
          key={name}
          label={labels.note(name)}
          value={notes[name] ?? note ?? ''}
          onChange={({ target }) => setNotes((before) => ({ ...before, [name]: target.value }))}
        />
      ))}
      <p>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.save}
        </Button>{' '}
        {isSuccess && <span role="status">{labels.saved}</span>}
      </p>
      {error !== null && <Failure error={error} />}
    </Form>
  );
}
