import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { Form } from '../parts/form.tsx';
import { Input, TextArea } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { createQuery } from '../saved/add-tile.ts';
import { type Parameter, parametersNow } from '../saved/parameter.ts';
import { ParameterFields } from '../saved/parameter-fields.tsx';
import type { SavedQuery } from '../saved/resources.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { Sheet } from './sheets.ts';

const labels = texts.saved.form;
const most = { name: 200, description: 2_000 };

interface KeepQueryProps {
  projectId: string;
  sheet: Sheet;
  onChange: (part: Partial<Sheet>) => void;
  /** It has the address of the saved query then. */
  onSaved: (saved: SavedQuery) => void;
}

/** The statement with its parameters and its chart becomes a saved query, or the new state of the one it was. */
export function KeepQuery({ projectId, sheet, onChange, onSaved }: KeepQueryProps) {
  const queries = useQueryClient();
  const { saved, sql, chart } = sheet;
  const [name, setName] = useState(saved?.name ?? '');
  const [description, setDescription] = useState(saved?.description ?? '');
  const parameters = parametersNow(sql, sheet.parameters);
  const [theirs, setTheirs] = useState<SavedQuery>();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async ({ before, revision }: { before: SavedQuery | undefined; revision?: number }) => {
      if (before === undefined)
        return createQuery(projectId, { sql, parameters, chart }, { name, description });
      const { data: changed } = await workspace.patch('/v1/projects/{project_id}/queries/{query_id}', {
        params: { path: { project_id: before.projectId, query_id: before.id } },
        body: {
          ...{ name, description, sql, parameters: parameters as never, chart: chart as never },
          expected_revision: revision ?? before.revision,
        },
      });
      return changed;
    },
    onSuccess: (now) => {
      setTheirs(undefined);
      queries.setQueryData(['saved query', now.id], now);
      void queries.invalidateQueries({ queryKey: ['saved queries', now.projectId] });
      onChange({ saved: now, parameters: now.parameters as Record<string, Parameter>, chart: now.chart });
      onSaved(now);
    },
    onError: async (failure) => {
      if (saved === undefined || !(failure instanceof WorkspaceError) || failure.code !== 'revision_conflict')
        return;
      const { data: now } = await workspace.get('/v1/projects/{project_id}/queries/{query_id}', {
        params: { path: { project_id: saved.projectId, query_id: saved.id } },
      });
      setTheirs(now);
    },
  });
  return (
    <Form onSubmit={() => mutate({ before: saved })}>
      <Input
        label={labels.name}
        required
        maxLength={most.name}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextArea
        label={labels.description}
        rows={3}
        maxLength={most.description}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <ParameterFields parameters={parameters} onChange={(now) => onChange({ parameters: now })} />
      <Group>
        <Button variant="filled" type="submit" disabled={isPending}>
          {saved === undefined ? labels.create : labels.change}
        </Button>
        {saved !== undefined && (
          <Button disabled={isPending || name === ''} onClick={() => mutate({ before: undefined })}>
            {labels.copy}
          </Button>
        )}
      </Group>
      {error !== null && <Failure error={error} />}
      {theirs !== undefined && (
        <>
          <p>{labels.now}</p>
          <pre>{theirs.sql}</pre>
          <Button disabled={isPending} onClick={() => mutate({ before: saved, revision: theirs.revision })}>
            {labels.replace}
          </Button>
        </>
      )}
    </Form>
  );
}
