import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { faultAt, type Place } from '../../parts/faults.ts';
import { Input, Select } from '../../parts/input.tsx';
import * as texts from '../../texts/index.ts';
import { MemberFields } from './member-fields.tsx';
import { type EditedResource, limitKinds, type Policy } from './policy.ts';
import { ResourceFields } from './resource-fields.tsx';

const labels = texts.connections.replication;
const addresses = Object.keys(labels.addresses) as (keyof typeof labels.addresses)[];

interface PolicyFieldsProps {
  policy: Policy;
  error: Error | null;
  at: Place;
  onChange: (policy: Policy) => void;
}

/** How an HTTP source is read: its limits, and each of its resources. */
export function PolicyFields({ policy, error, at, onChange }: PolicyFieldsProps) {
  const [resources, setResources] = useState<readonly EditedResource[]>(() =>
    (policy.resources ?? []).map((resource, key) => ({ key, resource })),
  );
  const set = (name: keyof Policy, value: unknown) => {
    const { [name]: _, ...others } = policy;
    onChange(value === undefined ? others : { ...policy, [name]: value });
  };
  const change = (next: readonly EditedResource[]) => {
    setResources(next);
    set(
      'resources',
      next.map(({ resource }) => resource),
    );
  };
  return (
    <>
      <Text c="dimmed">{labels.about}</Text>
      {resources.length === 0 && <p>{labels.none}</p>}
      {resources.map(({ key, resource }, index) => (
        <ResourceFields
          key={key}
          {...{ resource, error }}
          number={index + 1}
          at={[...at, 'resources', index]}
          onChange={(next) =>
            change(resources.map((resource) => (resource.key === key ? { key, resource: next } : resource)))
          }
          onRemove={() => change(resources.filter((resource) => resource.key !== key))}
        />
      ))}
      <p>
        <Button
          onClick={() => {
            const key = Math.max(-1, ...resources.map((resource) => resource.key)) + 1;
            change([...resources, { key, resource: { request_path: '' } }]);
          }}
        >
          {labels.add}
        </Button>
      </p>
      <MemberFields
        title={labels.limits}
        kinds={limitKinds}
        labels={labels.limit}
        value={policy.limits}
        error={error}
        at={[...at, 'limits']}
        onChange={(value) => set('limits', value)}
      />
      <Select
        label={labels.address}
        fault={faultAt(error, ...at, 'validate_server_address')}
        value={String(policy.validate_server_address ?? '')}
        onChange={({ target }) =>
          set('validate_server_address', target.value === '' ? undefined : target.value === 'true')
        }
      >
        {addresses.map((address) => (
          <option key={address} value={address}>
            {labels.addresses[address]}
          </option>
        ))}
      </Select>
      <Input
        label={labels.version}
        hint={labels.versionHint}
        fault={faultAt(error, ...at, 'version')}
        type="number"
        value={policy.version ?? ''}
        onChange={({ target }) => set('version', target.value === '' ? undefined : Number(target.value))}
      />
    </>
  );
}
