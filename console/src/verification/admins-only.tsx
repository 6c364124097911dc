import type { ReactNode } from 'react';
import { Fetched } from '../parts/states.tsx';
import { useMe } from '../session/me.ts';
import * as texts from '../texts/index.ts';

/** The service is not asked in vain: it records each refusal. */
export function AdminsOnly({ children }: { children: ReactNode }) {
  const asked = useMe();
  return (
    <Fetched asked={asked}>
      {({ data: { admin } }) => (admin ? children : <p>{texts.settings.adminsOnly}</p>)}
    </Fetched>
  );
}
