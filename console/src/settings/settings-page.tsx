import { Fetched } from '../parts/states.tsx';
import { useMe } from '../session/me.ts';
import * as texts from '../texts/index.ts';
import { Audit } from './audit.tsx';
import { Clients } from './clients.tsx';
import { Invitations } from './invitations.tsx';
import { Lake } from './lake.tsx';
import { Members } from './members.tsx';
import { Projects } from './projects.tsx';
import { Section } from './section.tsx';
import { Sessions } from './sessions.tsx';

const labels = texts.settings;

/** What an organization consists of, and who may do what in it. */
export function SettingsPage() {
  const asked = useMe();
  return (
    <>
      <h1>{labels.title}</h1>
      <Fetched asked={asked}>
        {({ data: me }) => (
          <>
            <Section title={labels.projects.title}>
              <Projects />
            </Section>
            <Section title={labels.members.title}>
              <Members me={me} />
            </Section>
            <Section title={labels.invitations.title} isOpen={me.admin}>
              <Invitations />
            </Section>
            <Section title={labels.clients.title} isOpen={me.admin}>
              <Clients me={me} />
            </Section>
            <Section title={labels.lake.title} isOpen={me.admin}>
              <Lake />
            </Section>
            <Section title={labels.sessions.title}>
              <Sessions />
            </Section>
            <Section title={labels.audit.title} isOpen={me.admin}>
              <Audit />
            </Section>
          </>
        )}
      </Fetched>
    </>
  );
}
