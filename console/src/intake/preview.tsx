import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { Grid } from '../parts/grid.tsx';
import { List } from '../parts/list.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { fileQuery } from './file-query.ts';
import { ImportForm } from './import-form.tsx';
import { bodyOf, type Preview, useReading } from './reading.ts';

interface PreviewProps {
  projectId: string;
  fileId: string;
  onBegun: (importId: string) => void;
}

const shownRows = 50;
const labels = texts.intake.preview;

/** How a file is read, which columns are taken from it, and the import itself. */
export function PreviewAndImport({ projectId, fileId, onBegun }: PreviewProps) {
  const { reading, change } = useReading();
  const file = useQuery(fileQuery(projectId, fileId));
  const preview = useQuery({
    queryKey: ['preview', fileId, reading],
    queryFn: async ({ signal }) => {
      const { data } = await workspace.post('/v1/assets/{asset_id}/previews', {
        params: { path: { asset_id: fileId } },
        body: { ...bodyOf(reading), page_size: shownRows },
        signal,
      });
      return { ...data, source: reading.source };
    },
  });
  // What was read before stays in sight while it is read otherwise, and beside what is wrong with that.
  const before = useRef(preview.data);
  if (preview.data !== undefined) before.current = preview.data;
  const shown = { ...preview, data: preview.data ?? before.current };
  return (
    <Fetched asked={file}>
      {({ data: { path } }) => (
        <Fetched asked={shown}>
          {(read) => (
            <>
              <ImportForm
                {...{ projectId, fileId, path, preview: read, reading, change, onBegun }}
                key={fileId}
              />
              {preview.error !== null && (
                <Failure error={preview.error} onRetry={() => void preview.refetch()} />
              )}
              <Shown
                preview={read}
                onPad={() => change.source({ csv: { ...reading.source.csv, shortRows: 'pad' } })}
              />
            </>
          )}
        </Fetched>
      )}
    </Fetched>
  );
}

function Shown({ preview, onPad }: { preview: Preview; onPad: () => void }) {
  const { columns, rows, totalRows, badRows, badRowsTotal, detectedCsv, warnings } = preview;
  const skipped = detectedCsv?.skippedLines ?? [];
  const shown = useMemo(
    () => columns.map(({ targetName, dataType }) => ({ name: targetName, dataType })),
    [columns],
  );
  return (
    <>
      {warnings.map(({ code, column = '', count }) => (
        <p key={`${code} ${column}`} role="status">
          {labels.warnings[code](count, column)}{' '}
          {code === 'short_rows' && <Button onClick={onPad}>{labels.pad}</Button>}
        </p>
      ))}
      <h2>{labels.rows(totalRows)}</h2>
      <Grid label={texts.table.rows} columns={shown} rows={rows} isTyped />
      {badRows.length > 0 && (
        <>
          <h2>{labels.bad(badRowsTotal)}</h2>
          <List
            items={badRows}
            keyOf={({ line, column }) => `${line} ${column}`}
            columns={[
              { title: labels.badColumns.line, value: ({ line }) => line, isNumber: true },
              { title: labels.badColumns.column, value: ({ column }) => column },
              { title: labels.badColumns.raw, value: ({ raw }) => raw },
              { title: labels.badColumns.reason, value: ({ reason }) => reason },
            ]}
          />
        </>
      )}
      {skipped.length > 0 && (
        <>
          <h2>{labels.skipped}</h2>
          <ul>
            {skipped.map(({ line, reason }) => (
              <li key={`${line} ${reason}`}>
                {texts.intake.line(line)}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
