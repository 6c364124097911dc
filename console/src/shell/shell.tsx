import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { signOut, workspace } from '../session/login.ts';
import { texts } from '../texts.ts';

/** The frame of every page: where one is, who one is, and where one may go. */
export function Shell() {
  const navigate = useNavigate();
  const { data: me } = useQuery({ queryKey: ['me'], queryFn: () => workspace.get('/v1/me') });
  const { data: organization } = useQuery({
    queryKey: ['organization'],
    queryFn: () => workspace.get('/v1/organization'),
  });
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <header>
        <strong>{organization?.data.name ?? texts.name}</strong>
        <nav aria-label={texts.name}>
          <Link to="/">{texts.pages.data}</Link>
          <Link to="/query">{texts.pages.query}</Link>
        </nav>
        <span className="who">{me?.data.name}</span>
        <button
          type="button"
          className="plain"
          onClick={() => void signOut().then(() => navigate({ to: '/signed-out' }))}
        >
          {texts.signOut}
        </button>
      </header>
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}
