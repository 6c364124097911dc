import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { switchOrganization, workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.settings.organization;

/** Which organization one is in, and the way to another one. */
export function Organization() {
  const asked = useQuery({
    queryKey: ['organization'],
    queryFn: () => workspace.get('/v1/organization'),
  });
  return (
    <Fetched asked={asked}>
      {({ data: { name, slug, createdAt } }) => (
        <>
          <dl className="facts-list">
            <dt>{labels.name}</dt>
            <dd>{name}</dd>
            <dt>{labels.slug}</dt>
            <dd>
              <code>{slug}</code>
            </dd>
            <dt>{labels.created}</dt>
            <dd>
              <Time at={createdAt} />
            </dd>
          </dl>
          <Button onClick={switchOrganization}>{texts.switchOrganization}</Button>
        </>
      )}
    </Fetched>
  );
}
