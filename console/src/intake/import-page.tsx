import { getRouteApi } from '@tanstack/react-router';
import * as texts from '../texts/index.ts';
import { ChooseFile } from './choose-file.tsx';
import { useGiven } from './given.ts';
import { ImportProgress } from './import-progress.tsx';
import { PreviewAndImport } from './preview.tsx';
import { Uploading } from './uploading.tsx';
import { moreOf, Waiting, waitingIn } from './waiting.tsx';

const route = getRouteApi('/framed/projects/$projectId/import');

/**
 * From files to tables: they are chosen and uploaded, and each is looked at and imported. Each step after the
 * upload has an address.
 */
export function ImportPage() {
  const { projectId } = route.useParams();
  const { file, run, more } = route.useSearch();
  const navigate = route.useNavigate();
  const given = useGiven();
  const waiting = waitingIn(more);

  function uploaded([first, ...others]: string[]): void {
    if (first === undefined) return;
    // What waited before goes on waiting.
    const before = file === undefined ? waiting : [file, ...waiting];
    const search = { file: first, more: moreOf([...others, ...before]) };
    void navigate({ search, replace: file !== undefined });
  }

  if (given.length > 0)
    return (
      <>
        <h1>{texts.intake.title}</h1>
        <Uploading
          key={given.map(({ name }) => name).join()}
          {...{ projectId, onDone: uploaded }}
          files={given}
        />
      </>
    );
  return (
    <>
      <h1>{texts.intake.title}</h1>
      <Waiting {...{ projectId, waiting }} shown={run === undefined ? file : undefined} />
      {run !== undefined ? (
        <ImportProgress {...{ projectId, more }} importId={run} />
      ) : file !== undefined ? (
        <PreviewAndImport
          key={file}
          projectId={projectId}
          fileId={file}
          onBegun={(id) => void navigate({ search: { run: id, more } })}
        />
      ) : (
        <ChooseFile />
      )}
    </>
  );
}
