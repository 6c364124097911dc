import { useState } from 'react';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { OfCaller } from './caller.ts';
import { type ChangedMember, type Member, nameOf } from './member.ts';
import { MemberActions } from './member-actions.tsx';
import { MemberChanged } from './member-changed.tsx';

const labels = texts.settings.members;

/** Of the organization: everybody sees them, administrators change them. */
export function Members({ me }: OfCaller) {
  const [address, setAddress] = useState<readonly [string, string]>();
  const [changed, setChanged] = useState<ChangedMember>();
  return (
    <>
      {address !== undefined && <ShownOnce values={[address]} onClose={() => setAddress(undefined)} />}
      {changed !== undefined && <MemberChanged member={changed} />}
      <Pages
        queryKey={['members']}
        empty={labels.empty}
        fetchPage={(page) => workspace.get('/v1/members', { params: { query: page } })}
      >
        {(found) => (
          <List
            label={labels.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              { title: labels.columns.name, value: ({ name }) => name },
              { title: texts.settings.email, value: ({ email }) => email },
              { title: texts.settings.role, value: ({ role }) => texts.settings.roles[role] },
              { title: labels.columns.seen, value: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
              ...(me.admin
                ? [
                    {
                      title: labels.columns.actions,
                      value: (member: Member) => (
                        <MemberActions
                          {...{ me, member }}
                          onChanged={setChanged}
                          onReset={(url) => setAddress([labels.resetUrl(nameOf(member)), url])}
                        />
                      ),
                    },
                  ]
                : []),
            ]}
          />
        )}
      </Pages>
    </>
  );
}
