import type { ReactNode } from 'react';
import * as texts from '../texts/index.ts';

interface SectionProps {
  title: string;
  /** Whether the caller may see it. The service is not asked in vain: it records each refusal. */
  isOpen?: boolean;
  children: ReactNode;
}

export function Section({ title, isOpen = true, children }: SectionProps) {
  return (
    <section className="settings">
      <h2>{title}</h2>
      {isOpen ? children : <p>{texts.settings.adminsOnly}</p>}
    </section>
  );
}
