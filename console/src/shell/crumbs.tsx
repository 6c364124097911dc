import { Link } from '@tanstack/react-router';
import * as texts from '../texts/index.ts';
import { pages } from './pages.ts';

interface CrumbsProps {
  projectId: string | undefined;
  pathname: string;
  /** Of the page. */
  heading: string;
}

/** The way from the side bar to the page. */
export function Crumbs({ projectId, pathname, heading }: CrumbsProps) {
  const within = pages(projectId).find(({ has }) => has.test(pathname));
  return (
    <nav className="crumbs" aria-label={texts.shell.crumbs}>
      {within !== undefined && within.label !== heading && (
        <>
          <Link {...within.link}>{within.label}</Link>
          <span aria-hidden>/</span>
        </>
      )}
      <span aria-current="page">{heading}</span>
    </nav>
  );
}
