import { useState } from 'react';
import { faultAt, type Place } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
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
      <p className="hint">{labels.about}</p>
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
        <button
          type="button"
          className="plain"
          onClick={() => {
            const key = Math.max(-1, ...resources.map((resource) => resource.key)) + 1;
            change([...resources, { key, resource: { request_path: '' } }]);
          }}
        >
          {labels.add}
        </button>
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
      <Field label={labels.address} fault={faultAt(error, ...at, 'validate_server_address')}>
        {(control) => (
          <select
            {...control}
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
          </select>
        )}
      </Field>
      <Field label={labels.version} hint={labels.versionHint} fault={faultAt(error, ...at, 'version')}>
        {(control) => (
          <input
            {...control}
            type="number"
            value={policy.version ?? ''}
            onChange={({ target }) => set('version', target.value === '' ? undefined : Number(target.value))}
          />
        )}
      </Field>
    </>
  );
}
