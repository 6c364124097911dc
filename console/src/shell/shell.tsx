import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { Attaching } from '../intake/attaching.tsx';
import { DropAnywhere } from '../intake/drop-anywhere.tsx';
import { ProjectChoice } from '../project/choice.tsx';
import { useProjectId } from '../project/current.ts';
import { signOut, workspace } from '../session/login.ts';
import { useMe } from '../session/me.ts';
import * as texts from '../texts/index.ts';
import { useFocus, useTitle } from './arrival.ts';
import { Offline } from './offline.tsx';
import { pages } from './pages.ts';
import { Palette } from './palette.tsx';

/** The frame of every page: where one is, who one is, and where one may go. */
export function Shell() {
  const navigate = useNavigate();
  const projectId = useProjectId();
  const main = useRef<HTMLElement>(null);
  useTitle(main);
  useFocus(main);
  const { data: me } = useMe();
  const { data: organization } = useQuery({
    queryKey: ['organization'],
    queryFn: () => workspace.get('/v1/organization'),
  });
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {texts.parts.skip}
      </a>
      <header>
        <strong>{organization?.data.name ?? texts.name}</strong>
        <nav aria-label={texts.name}>
          {pages(projectId).map(({ label, link }) => (
            <Link key={label} {...link}>
              {label}
            </Link>
          ))}
        </nav>
        <Palette projectId={projectId} />
        <ProjectChoice projectId={projectId} />
        <span className="who">{me?.data.name}</span>
        <button
          type="button"
          className="plain"
          onClick={() => void signOut().then(() => navigate({ to: '/signed-out' }))}
        >
          {texts.signOut}
        </button>
      </header>
      <main ref={main} id="content" tabIndex={-1}>
        <Offline />
        <Attaching />
        <Outlet />
      </main>
      <DropAnywhere />
    </div>
  );
}
