import { getRouteApi } from '@tanstack/react-router';
import * as texts from '../texts/index.ts';
import { ChooseFile } from './choose-file.tsx';
import { useGiven } from './given.ts';
import { ImportProgress } from './import-progress.tsx';
import { PreviewAndImport } from './preview.tsx';
import { Uploading } from './uploading.tsx';

const route = getRouteApi('/framed/projects/$projectId/import');

/** From a file to a table: it is chosen, uploaded, looked at, and imported. Each step after the upload has an address. */
export function ImportPage() {
  const { projectId } = route.useParams();
  const { file, run } = route.useSearch();
  const navigate = route.useNavigate();
  const given = useGiven();
  return (
    <>
      <h1>{texts.intake.title}</h1>
      {given !== undefined ? (
        <Uploading
          projectId={projectId}
          file={given}
          onDone={(id) => void navigate({ search: { file: id }, replace: file !== undefined })}
        />
      ) : run !== undefined ? (
        <ImportProgress projectId={projectId} importId={run} />
      ) : file !== undefined ? (
        <PreviewAndImport
          key={file}
          projectId={projectId}
          fileId={file}
          onBegun={(id) => void navigate({ search: { run: id } })}
        />
      ) : (
        <ChooseFile />
      )}
    </>
  );
}
