import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { List } from '../parts/list.tsx';
import { Time } from '../parts/time.tsx';
import * as texts from '../texts/index.ts';

export type Delivery = components['schemas']['Delivery'];

const labels = texts.automation.deliveries;
const kinds = { delivered: 'good', failed: 'bad', uncertain: 'bad', pending: '' };

/** What was brought where, and whether it arrived. */
export function Deliveries({
  items,
  again,
}: {
  items: readonly Delivery[];
  /** What may be done about one that did not arrive. */
  again?: (delivery: Delivery) => ReactNode;
}) {
  return (
    <List
      label={labels.title}
      items={items}
      keyOf={({ id }) => id}
      columns={[
        { title: labels.columns.target, value: ({ target }) => target },
        { title: labels.columns.kind, value: ({ kind }) => labels.kinds[kind] },
        { title: labels.columns.status, value: (delivery) => <HowItWent {...delivery} /> },
        {
          title: labels.columns.when,
          value: ({ deliveredAt, createdAt }) => <Time at={deliveredAt ?? createdAt} />,
        },
        ...(again === undefined ? [] : [{ title: labels.columns.again, value: again }]),
      ]}
    />
  );
}

const HowItWent = ({ status, error, attempts }: Delivery) => (
  <>
    <span className={`status ${kinds[status]}`}>{labels.statuses[status]}</span>
    {attempts > 1 && ` (${labels.attempts(attempts)})`}
    {error !== null && <Text c="dimmed">{error.message}</Text>}
  </>
);
