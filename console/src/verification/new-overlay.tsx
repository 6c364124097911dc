import { Button, Group } from '@mantine/core';
import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tablesQuery } from '../data/tables.ts';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Input, Select } from '../parts/input.tsx';
import { Failure, Unfetched } from '../parts/states.tsx';
import { Sure } from '../parts/sure.tsx';
import { projectsQuery } from '../project/current.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.verification.overlays;
const changes = {
  off: { enabled: false },
  on: { enabled: true },
  warn: { severity: 'warn' },
  error: { severity: 'error' },
  pass: { blocking: false },
  block: { blocking: true },
} as const;
type Change = keyof typeof changes;
const all = Object.keys(changes) as Change[];

/** Another treatment of one table, of a project's tables, or of all. */
export function NewOverlay({ definitionId, queryKey }: { definitionId: string; queryKey: QueryKey }) {
  const queries = useQueryClient();
  const entries = useQuery(tablesQuery);
  const projects = useQuery(projectsQuery);
  const tables = (entries.data ?? []).filter(({ kind }) => kind !== 'view' && kind !== 'system');
  const [where, setWhere] = useState('');
  const [change, setChange] = useState<Change>('off');
  const [reason, setReason] = useState('');
  const [isAsking, setIsAsking] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      workspace.post('/v1/verification-tests/overlays', {
        body: {
          definition_id: definitionId,
          ...placeOf(where),
          ...changes[change],
          reason,
        },
      }),
    onSuccess: () => {
      setReason('');
      return queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <>
      <Sure
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        question={labels.everywhereSure}
        yes={labels.add}
        onYes={() => mutate()}
      />
      <Form
        onSubmit={() => {
          if (where === '') setIsAsking(true);
          else mutate();
        }}
      >
        <Field label={labels.columns.where}>
          {(control) => (
            <>
              <Select {...control} value={where} onChange={({ target }) => setWhere(target.value)}>
                <option value="">{labels.everywhere}</option>
                {projects.data?.map(({ id, name }) => (
                  <option key={id} value={`project ${id}`}>
                    {labels.inProject(name)}
                  </option>
                ))}
                {tables.map(({ id, name }) => (
                  <option key={id} value={`table ${id}`}>
                    {name}
                  </option>
                ))}
              </Select>
              <Unfetched asked={projects.data === undefined ? projects : entries} />
            </>
          )}
        </Field>
        <Select
          label={labels.columns.what}
          value={change}
          onChange={({ target }) => setChange(target.value as Change)}
        >
          {all.map((change) => (
            <option key={change} value={change}>
              {labels.changes[change]}
            </option>
          ))}
        </Select>
        <Input
          label={labels.reason}
          maxLength={2_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <Group>
          <Button variant="filled" type="submit" disabled={isPending}>
            {labels.add}
          </Button>
        </Group>
        {error !== null && <Failure error={error} />}
      </Form>
    </>
  );
}

/** The table or the project that was chosen, also where its list has it no more; nothing is everywhere. */
function placeOf(where: string) {
  const [kind, id] = where.split(' ');
  return kind === 'table' ? { table_id: id } : kind === 'project' ? { project_id: id } : {};
}
