import { Button, Checkbox, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../clients/typescript/src/index.ts';
import { faultAt, unplaced } from '../../parts/faults.ts';
import { useFirstFault } from '../../parts/first-fault.ts';
import { Form } from '../../parts/form.tsx';
import { Failure } from '../../parts/states.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import type { Values } from '../fields.ts';
import type { Policy } from './policy.ts';
import { PolicyFields } from './policy-fields.tsx';
import { SecretsAgain } from './secrets-again.tsx';

const labels = texts.connections.replication;
const at = ['snapshot_config', 'http_replication'];

type Connection = components['schemas']['DataConnection'];

interface Edited {
  /** Undefined as long as it is not changed: somebody else may. */
  isEnabled: boolean | undefined;
  policy: Policy;
}

/** Which datasets of a connection may be copied, and how an HTTP source is read. */
export function EditPolicy({ connection }: { connection: Connection }) {
  const { id, type, secretKeys, snapshotConfig } = connection;
  const isHttp = type === 'http';
  const queries = useQueryClient();
  const [edited, setEdited] = useState<Edited>(() => ({
    isEnabled: undefined,
    policy: (snapshotConfig.httpReplication ?? {}) as Policy,
  }));
  const [stored, setStored] = useState(edited);
  const [secrets, setSecrets] = useState<Values>({});
  const isEnabled = edited.isEnabled ?? snapshotConfig.enabled;
  const given = Object.entries(secrets).filter(([, secret]) => secret !== '');
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: ({ policy }: Edited) =>
      workspace.patch('/v1/connections/data/{connection_id}', {
        params: { path: { connection_id: id } },
        body: {
          ...(given.length === 0 ? {} : { secrets: Object.fromEntries(given) }),
          snapshot_config: {
            enabled: isEnabled,
            // Left out, what is stored stays.
            ...(policy === stored.policy ? {} : { http_replication: policy }),
          },
        },
      }),
    onError: (refused) => {
      const again = secretKeys.filter((key) => faultAt(refused, 'secrets', key) !== undefined);
      setSecrets((before) => ({ ...Object.fromEntries(again.map((key) => [key, ''])), ...before }));
    },
    onSuccess: ({ data }, written) => {
      const now = { ...written, isEnabled: undefined };
      setStored(now);
      setEdited((before) => (before === written ? now : before));
      setSecrets({});
      queries.setQueryData(['connection', id], data);
      for (const key of ['resources', 'resource']) void queries.invalidateQueries({ queryKey: [key, id] });
    },
  });
  useUnsaved(edited !== stored && !isPending);
  const form = useFirstFault(error);
  const places = [
    ...['limits', 'version', 'validate_server_address'].map((name) => [...at, name]),
    ...Object.keys(secrets).map((key) => ['secrets', key]),
    ...(edited.policy.resources ?? []).map((_, index) => [...at, 'resources', index]),
  ];
  const rest = unplaced(error, isHttp ? places : []);
  return (
    <Form ref={form} aria-label={isHttp ? labels.title : labels.copies} onSubmit={() => mutate(edited)}>
      <Checkbox
        label={labels.enabled}
        checked={isEnabled}
        onChange={({ target }) => setEdited({ ...edited, isEnabled: target.checked })}
      />
      {isHttp && (
        <PolicyFields
          {...{ error, at }}
          policy={edited.policy}
          onChange={(policy) => setEdited({ ...edited, policy })}
        />
      )}
      <SecretsAgain {...{ type, secrets, error }} onChange={setSecrets} />
      <Group>
        <Button variant="filled" type="submit" disabled={isPending}>
          {isHttp ? labels.save : labels.saveCopies}
        </Button>
        {isSuccess && edited === stored && <span role="status">{labels.saved}</span>}
      </Group>
      {rest !== null && <Failure error={rest} />}
    </Form>
  );
}
