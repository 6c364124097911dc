import { List } from '../parts/list.tsx';
import * as texts from '../texts/index.ts';
import { type Grant, keyOf, type Principal } from './principals.ts';

interface GrantListProps {
  grants: readonly Grant[];
  principals: readonly Principal[];
  onChange: (grants: readonly Grant[]) => void;
}

const told = texts.table.grants;
type Access = Grant['access'];
const accesses = Object.keys(told.accesses) as Access[];

/** Whom a table is open to: what they may is changed, and it is closed to them. */
export function GrantList({ grants, principals, onChange }: GrantListProps) {
  const names = new Map(principals.map(({ key, name }) => [key, name]));
  // Of somebody who was removed or became an administrator since there is an id alone.
  const nameOf = (grant: Grant) => names.get(keyOf(grant)) ?? ('id' in grant ? grant.id : told.everyone);
  const allow = (changed: Grant, access: Access) =>
    onChange(grants.map((grant) => (grant === changed ? { ...grant, access } : grant)));
  return (
    <List
      label={told.title}
      items={grants}
      keyOf={keyOf}
      columns={[
        { title: told.columns.who, value: nameOf },
        {
          title: told.columns.access,
          value: (grant) => (
            <select
              aria-label={told.access(nameOf(grant))}
              value={grant.access}
              onChange={({ target }) => allow(grant, target.value as Access)}
            >
              {accesses.map((one) => (
                <option key={one} value={one}>
                  {told.accesses[one]}
                </option>
              ))}
            </select>
          ),
        },
        {
          title: told.columns.remove,
          value: (grant) => (
            <button
              type="button"
              className="plain"
              aria-label={told.removeOf(nameOf(grant))}
              onClick={() => onChange(grants.filter((one) => one !== grant))}
            >
              {told.remove}
            </button>
          ),
        },
      ]}
    />
  );
}
