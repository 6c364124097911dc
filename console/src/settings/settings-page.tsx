import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Fetched } from '../parts/states.tsx';
import { useMe } from '../session/me.ts';
import * as texts from '../texts/index.ts';
import { Appearance } from './appearance.tsx';
import { Audit } from './audit.tsx';
import type { OfCaller } from './caller.ts';
import { Clients } from './clients.tsx';
import { Invitations } from './invitations.tsx';
import { Lake } from './lake.tsx';
import { Members } from './members.tsx';
import { Models } from './models.tsx';
import { Organization } from './organization.tsx';
import { Projects } from './projects.tsx';
import { Section } from './section.tsx';
import { Sessions } from './sessions.tsx';

const route = getRouteApi('/framed/settings/$page');
const labels = texts.settings;

interface Page {
  name: string;
  title: string;
  /** Whether only administrators see it. */
  isGuarded?: boolean;
  content: (caller: OfCaller) => ReactNode;
}

const pages: readonly Page[] = [
  { name: 'organization', title: labels.organization.title, content: () => <Organization /> },
  { name: 'projects', title: labels.projects.title, content: () => <Projects /> },
  { name: 'members', title: labels.members.title, content: (caller) => <Members {...caller} /> },
  {
    ...{ name: 'invitations', title: labels.invitations.title, isGuarded: true },
    content: () => <Invitations />,
  },
  {
    ...{ name: 'clients', title: labels.clients.title, isGuarded: true },
    content: (caller) => <Clients {...caller} />,
  },
  { name: 'lake', title: labels.lake.title, isGuarded: true, content: () => <Lake /> },
  { name: 'models', title: labels.models.title, content: () => <Models /> },
  { name: 'audit', title: labels.audit.title, isGuarded: true, content: () => <Audit /> },
  { name: 'sessions', title: labels.sessions.title, content: () => <Sessions /> },
  { name: 'appearance', title: labels.appearance.title, content: () => <Appearance /> },
];

/** What an organization consists of, and who may do what in it: a page for each. */
export function SettingsPage() {
  const { page } = route.useParams();
  const asked = useMe();
  const { title, isGuarded = false, content } = pages.find(({ name }) => name === page) ?? pages[0]!;
  return (
    <>
      <h1>{labels.title}</h1>
      <div className="beside">
        <nav className="beside-nav" aria-label={labels.title}>
          {pages.map(({ name, title }) => (
            <Link key={name} to="/settings/$page" params={{ page: name }} className="side-row">
              {title}
            </Link>
          ))}
        </nav>
        <div>
          <Fetched asked={asked}>
            {({ data: me }) => (
              <Section title={title} isOpen={!isGuarded || me.admin}>
                {content({ me })}
              </Section>
            )}
          </Fetched>
        </div>
      </div>
    </>
  );
}
