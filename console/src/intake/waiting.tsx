import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import * as texts from '../texts/index.ts';
import { fileQuery } from './file-query.ts';

/** Ids of files that were brought in with the one that is shown, as the address has them. */
export const waitingIn = (more: string | undefined): string[] => more?.split(',').filter(Boolean) ?? [];

/** In the address; undefined where nothing waits. */
export const moreOf = (ids: readonly string[]): string | undefined =>
  ids.length === 0 ? undefined : ids.join(',');

interface WaitingProps {
  projectId: string;
  /** The file whose preview is shown, if one is: it waits while another one is shown. */
  shown: string | undefined;
  waiting: readonly string[];
}

/** Files that were brought in together: each has a preview of its own. */
export function Waiting({ projectId, shown, waiting }: WaitingProps) {
  const files = useQueries({ queries: waiting.map((id) => fileQuery(projectId, id)) });
  if (waiting.length === 0) return null;
  const all = shown === undefined ? waiting : [shown, ...waiting];
  return (
    <nav className="waiting" aria-label={texts.intake.waiting(waiting.length)}>
      {texts.intake.waiting(waiting.length)}{' '}
      {waiting.map((id, index) => (
        <Link
          key={id}
          to="/projects/$projectId/import"
          params={{ projectId }}
          search={{ file: id, more: moreOf(all.filter((waiting) => waiting !== id)) }}
        >
          {files[index]?.data?.data.path.split('/').at(-1) ?? '…'}
        </Link>
      ))}
    </nav>
  );
}
