import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { List } from '../parts/list.tsx';
import { Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.settings.models;

/** The models that can answer questions; the operator of the service says which. */
export function Models() {
  const asked = useQuery({ queryKey: ['models'], queryFn: () => workspace.get('/v1/models') });
  return (
    <>
      <Text c="dimmed">{labels.hint}</Text>
      <Fetched asked={asked}>
        {({ items }) => (
          <List
            label={labels.title}
            items={items}
            keyOf={({ id }) => id}
            columns={[
              { title: labels.columns.name, value: ({ label }) => label },
              { title: labels.columns.id, value: ({ id }) => <code>{id}</code> },
              { title: labels.columns.default, value: (model) => model.default && labels.isDefault },
            ]}
          />
        )}
      </Fetched>
    </>
  );
}
