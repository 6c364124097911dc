import { Button } from '@mantine/core';
import { Select } from '../parts/input.tsx';
import { List } from '../parts/list.tsx';
import * as texts from '../texts/index.ts';
import { type Grant, keyOf, type Principal } from './principals.ts';

interface GrantListProps {
  grants: readonly Grant[];
  principals: readonly Principal[];
  onChange: (grants: readonly Grant[]) => void;
}

const labels = texts.table.grants;
type Access = Grant['access'];
const accesses = Object.keys(labels.accesses) as Access[];

/** Whom a table is open to: what they may is changed, and it is closed to them. */
export function GrantList({ grants, principals, onChange }: GrantListProps) {
  const names = new Map(principals.map(({ key, name }) => [key, name]));
  // Of somebody who was removed or became an administrator since there is an id alone.
  const nameOf = (grant: Grant) => names.get(keyOf(grant)) ?? ('id' in grant ? grant.id : labels.everyone);
  const allow = (changed: Grant, access: Access) =>
    onChange(grants.map((grant) => (grant === changed ? { ...grant, access } : grant)));
  return (
    <List
      label={labels.title}
      items={grants}
      keyOf={keyOf}
      columns={[
        { title: labels.columns.who, value: nameOf },
        {
          title: labels.columns.access,
          value: (grant) => (
            <Select
              aria-label={labels.access(nameOf(grant))}
              value={grant.access}
              onChange={({ target }) => allow(grant, target.value as Access)}
            >
              {accesses.map((access) => (
                <option key={access} value={access}>
                  {labels.accesses[access]}
                </option>
              ))}
            </Select>
          ),
        },
        {
          title: labels.columns.remove,
          value: (grant) => (
            <Button
              aria-label={labels.removeOf(nameOf(grant))}
              onClick={() => onChange(grants.filter((one) => one !== grant))}
            >
              {labels.remove}
            </Button>
          ),
        },
      ]}
    />
  );
}
