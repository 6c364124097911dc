import { Button, Text } from '@mantine/core';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../parts/form.tsx';
import { Select } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { GrantList } from './grant-list.tsx';
import { type Grant, keyOf, type Principal } from './principals.ts';

interface EditGrantsProps {
  tableId: string;
  grants: readonly Grant[];
  principals: readonly Principal[];
  queryKey: QueryKey;
}

const labels = texts.table.grants;

/** The grants of a table, which are saved all at once. */
export function EditGrants({ tableId, grants: given, principals, queryKey }: EditGrantsProps) {
  const queries = useQueryClient();
  const [grants, setGrants] = useState(given);
  const { mutate, error, isPending, isSuccess, reset } = useMutation({
    mutationFn: () =>
      workspace.put('/v1/tables/{table_id}/grants', {
        params: { path: { table_id: tableId } },
        body: { grants: [...grants] },
      }),
    // It stays open and says that it was saved; what others read of it is asked for anew.
    onSuccess: () => queries.invalidateQueries({ queryKey, refetchType: 'none' }),
  });
  const change = (next: readonly Grant[]) => {
    reset();
    setGrants(next);
  };
  const keys = new Set(grants.map(keyOf));
  const others = principals.filter(({ key }) => !keys.has(key));
  return (
    <Form onSubmit={() => mutate()}>
      <Text c="dimmed">{labels.hint}</Text>
      {grants.length === 0 ? (
        <p>{labels.nobody}</p>
      ) : (
        <GrantList {...{ grants, principals }} onChange={change} />
      )}
      {others.length > 0 && (
        <Select
          label={labels.add}
          value=""
          onChange={({ target }) => {
            const found = others.find(({ key }) => key === target.value);
            if (found !== undefined) change([...grants, { ...found.whose, access: 'read' }]);
          }}
        >
          <option value="" />
          {others.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </Select>
      )}
      <p>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.save}
        </Button>{' '}
        {isSuccess && <span role="status">{texts.table.about.saved}</span>}
      </p>
      {error !== null && <Failure error={error} />}
    </Form>
  );
}
