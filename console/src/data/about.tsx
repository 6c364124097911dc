import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { type Catalog, isView } from './subject.ts';

const told = texts.table.about;
type Tier = keyof typeof told.tiers;
const tiers = Object.keys(told.tiers) as Tier[];

/** What people should know of a table or a view, and of its columns: the analyst reads it too. */
export function About({ id, catalog }: { id: string; catalog: Catalog }) {
  const queries = useQueryClient();
  const [name, setName] = useState(catalog.name);
  const [description, setDescription] = useState(catalog.description);
  const [tier, setTier] = useState<Tier>(catalog.modelingTier);
  const [notes, setNotes] = useState<Readonly<Record<string, string>>>({});
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: async () => {
      const columns = Object.entries(notes).map(([name, note]) => ({
        name,
        note: note === '' ? null : note,
      }));
      const body = {
        description,
        modeling_tier: tier,
        ...(columns.length === 0 ? {} : { columns }),
      };
      await (isView(id)
        ? workspace.patch('/v1/views/{view_id}/catalog', { params: { path: { view_id: id } }, body })
        : workspace.patch('/v1/tables/{table_id}/catalog', { params: { path: { table_id: id } }, body }));
      if (name !== catalog.name)
        await workspace.patch('/v1/views/{view_id}', { params: { path: { view_id: id } }, body: { name } });
    },
    onSettled: () =>
      Promise.all([['catalog', id], ['tables']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  return (
    <form
      className="narrow"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      {isView(id) && (
        <label>
          {told.name}
          <input required maxLength={255} value={name} onChange={({ target }) => setName(target.value)} />
        </label>
      )}
      <label htmlFor="description">{told.description}</label>
      <textarea
        id="description"
        className="prose"
        rows={3}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <label htmlFor="tier">{told.tier}</label>
      <select id="tier" value={tier} onChange={({ target }) => setTier(target.value as Tier)}>
        {tiers.map((one) => (
          <option key={one} value={one}>
            {told.tiers[one]}
          </option>
        ))}
      </select>
      {catalog.columns.map(({ name, note }) => (
        <label key={name}>
          {told.note(name)}
          <input
            value={notes[name] ?? note ?? ''}
            onChange={({ target }) => setNotes((before) => ({ ...before, [name]: target.value }))}
          />
        </label>
      ))}
      <p>
        <button type="submit" disabled={isPending}>
          {told.save}
        </button>{' '}
        {isSuccess && <span role="status">{told.saved}</span>}
      </p>
      {error !== null && <Failure error={error} />}
    </form>
  );
}
