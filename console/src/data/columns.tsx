import { List } from '../parts/list.tsx';
import * as texts from '../texts/index.ts';
import type { Catalog } from './subject.ts';

const { column: told } = texts.table;

/** What is known of each column. */
export const Columns = ({ catalog: { columns } }: { catalog: Catalog }) => (
  <List
    items={columns}
    keyOf={(column) => column.name}
    columns={[
      { title: told.name, value: (column) => column.name },
      { title: told.type, value: (column) => column.dataType },
      {
        title: told.description,
        value: (column) => [column.description, column.note].filter(Boolean).join(' '),
      },
    ]}
  />
);
