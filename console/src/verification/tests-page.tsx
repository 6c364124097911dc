import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { TableName } from '../data/table-name.tsx';
import { LinkButton } from '../parts/link-button.tsx';
import { List } from '../parts/list.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import { useMe } from '../session/me.ts';
import * as texts from '../texts/index.ts';
import { AdminsOnly } from './admins-only.tsx';
import type { Definition } from './content.ts';

const labels = texts.verification;

/** What should hold of tables, as administrators say it. */
export function TestsPage() {
  const { data: me } = useMe();
  return (
    <>
      <PageHead title={texts.pages.tests}>
        {me?.data.admin === true && (
          <LinkButton to="/tests/new" variant="filled" leftSection={<Plus size={14} />}>
            {labels.create}
          </LinkButton>
        )}
      </PageHead>
      <AdminsOnly>
        <Tests />
      </AdminsOnly>
    </>
  );
}

function Tests() {
  return (
    <>
      <Text c="dimmed">{labels.about}</Text>
      <Pages
        queryKey={['definitions']}
        empty={labels.empty}
        fetchPage={(page) => workspace.get('/v1/verification-tests/definitions', { params: { query: page } })}
      >
        {(found) => (
          <List
            label={texts.pages.tests}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: labels.name,
                value: ({ id, name }) => (
                  <Link to="/tests/$definitionId" params={{ definitionId: id }}>
                    {name}
                  </Link>
                ),
              },
              { title: labels.columns.of, value: ({ target }) => <Target of={target} /> },
              { title: labels.kind, value: ({ kind }) => labels.kinds[kind] },
              { title: labels.severity, value: consequence },
              { title: labels.columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
            ]}
          />
        )}
      </Pages>
    </>
  );
}

function Target({ of }: { of: Definition['target'] }) {
  if ('tableId' in of) return <TableName id={of.tableId} />;
  return labels.target.selected;
}

const consequence = ({ enabled, blocking, severity }: Definition): string =>
  !enabled ? labels.off : blocking ? labels.blocks : labels.severities[severity];
