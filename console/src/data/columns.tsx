import { List } from '../parts/list.tsx';
import * as texts from '../texts/index.ts';
import type { Catalog } from './subject.ts';

const { column: labels } = texts.table;

/** What is known of each column. */
export const Columns = ({ catalog: { columns } }: { catalog: Catalog }) => (
  <List
    items={columns}
    keyOf={(column) => column.name}
    columns={[
      { title: labels.name, value: (column) => column.name },
      { title: labels.type, value: (column) => column.dataType },
      {
        title: labels.description,
        value: (column) => [column.description, column.note].filter(Boolean).join(' '),
      },
    ]}
  />
);
