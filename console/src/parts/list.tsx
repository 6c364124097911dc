import type { ReactNode } from 'react';
import { Scrolls } from './scrolls.tsx';

export interface Column<Item> {
  title: string;
  value: (item: Item) => ReactNode;
  /** Read from the right. */
  isNumber?: boolean;
}

interface ListProps<Item> {
  label?: string | undefined;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** The first names the item. */
  columns: readonly Column<Item>[];
}

/** Items under the titles of their columns. */
export function List<Item>({ label, items, keyOf, columns }: ListProps<Item>) {
  return (
    <Scrolls label={label}>
      <table className="list" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" className={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map(({ title, value, isNumber }, at) =>
                at === 0 ? (
                  <th key={title} scope="row" className={isNumber ? 'number' : undefined}>
                    {value(item)}
                  </th>
                ) : (
                  <td key={title} className={isNumber ? 'number' : undefined}>
                    {value(item)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}
