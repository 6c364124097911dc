import { Card } from '@mantine/core';
import type { ReactNode } from 'react';
import { Empty } from '../parts/empty.tsx';

interface FewProps {
  title: string;
  /** Said where there are none. */
  none: string;
  items: readonly { key: string; name: ReactNode; state: ReactNode; when: ReactNode }[];
}

/** A few of something, each with how it is and when. */
export const Few = ({ title, none, items }: FewProps) => (
  <Card withBorder padding="md" component="section" aria-label={title}>
    <h2>{title}</h2>
    {items.length === 0 ? (
      <Empty>{none}</Empty>
    ) : (
      <table className="list few">
        <tbody>
          {items.map(({ key, name, state, when }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              <td>{state}</td>
              <td className="number">{when}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Card>
);
