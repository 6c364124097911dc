import { Group } from '@mantine/core';
import type { ReactNode } from 'react';

interface PageHeadProps {
  title: ReactNode;
  /** What is known of it at one glance, in a line under the title. */
  facts?: ReactNode;
  /** What may be done: one primary button, quiet ones, and `More`. */
  children?: ReactNode;
}

/** The head of a page: what it is about, and what may be done with it. */
export const PageHead = ({ title, facts, children }: PageHeadProps) => (
  <div className="page-head">
    <div>
      <h1>{title}</h1>
      {facts !== undefined && <p className="facts">{facts}</p>}
    </div>
    {children !== undefined && <Group>{children}</Group>}
  </div>
);
