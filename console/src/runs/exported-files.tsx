import { useQuery } from '@tanstack/react-query';
import { WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.runs.made;
/** An address of a file is good for an hour. */
const lookEveryMs = 45 * 60_000;

/** The files of an export, which are kept for a day. */
export function ExportedFiles({ exportId }: { exportId: string }) {
  const asked = useQuery({
    queryKey: ['export', exportId],
    queryFn: () => workspace.get('/v1/exports/{export_id}', { params: { path: { export_id: exportId } } }),
    refetchInterval: lookEveryMs,
  });
  if (asked.error instanceof WorkspaceError && asked.error.status === 404) return <p>{labels.expired}</p>;
  return (
    <Fetched asked={asked}>
      {({ data: { files } }) => (
        <ul className="plain" aria-label={labels.files}>
          {files.map(({ name, url, sizeBytes }) => (
            <li key={name}>
              {url === null ? name : <a href={url}>{name}</a>} ({sizeBytes.toLocaleString()} bytes)
            </li>
          ))}
        </ul>
      )}
    </Fetched>
  );
}
