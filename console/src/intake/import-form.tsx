import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { tableNameOf } from '../../../clients/typescript/src/index.ts';
import { Form } from '../parts/form.tsx';
import { Input, Select } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { beginImport } from './begun.ts';
import { Columns } from './columns.tsx';
import { CsvOptions } from './csv-options.tsx';
import { bodyOf, type ChangeReading, type Preview, type Reading, type Source } from './reading.ts';

interface ImportFormProps {
  projectId: string;
  fileId: string;
  path: string;
  /** Of this source; the one before stays in sight until the next one is read. */
  preview: Preview & { source: Source };
  reading: Reading;
  change: ChangeReading;
  onBegun: (importId: string) => void;
}

const labels = texts.intake.form;
type Mode = keyof typeof labels.modes;
type Bad = keyof typeof labels.bads;
const keys = <Key extends string>(record: Record<Key, unknown>) => Object.keys(record) as Key[];

/** Where the rows go, and what happens to those that do not fit. */
const isNested = (dataType: string): boolean => /^(?:JSON$|STRUCT\(|MAP\()|\[\]$/.test(dataType);

export function ImportForm({ projectId, fileId, path, preview, reading, change, onBegun }: ImportFormProps) {
  const [name, setName] = useState(tableNameOf(path));
  const [mode, setMode] = useState<Mode>('create');
  const [bad, setBad] = useState<Bad>('fail');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      workspace.post('/v1/projects/{project_id}/files/{file_id}/imports', {
        params: { path: { project_id: projectId, file_id: fileId } },
        body: { table_name: name, mode, on_bad_row: bad, ...bodyOf(reading) },
      }),
    onSuccess: ({ data }) => {
      beginImport({ importId: data.id, projectId });
      onBegun(data.id);
    },
  });
  return (
    <Form onSubmit={() => mutate()}>
      <Group align="start">
        <Input
          label={labels.table}
          required
          maxLength={255}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Select label={labels.mode} value={mode} onChange={({ target }) => setMode(target.value as Mode)}>
          {keys(labels.modes).map((key) => (
            <option key={key} value={key}>
              {labels.modes[key]}
            </option>
          ))}
        </Select>
        <Select label={labels.bad} value={bad} onChange={({ target }) => setBad(target.value as Bad)}>
          {keys(labels.bads).map((key) => (
            <option key={key} value={key}>
              {labels.bads[key]}
            </option>
          ))}
        </Select>
        {preview.sheets !== null && (
          <Select
            label={labels.sheet}
            value={reading.source.sheet ?? preview.sheets[0]}
            onChange={({ target }) => change.source({ sheet: target.value })}
          >
            {preview.sheets.map((sheet) => (
              <option key={sheet}>{sheet}</option>
            ))}
          </Select>
        )}
        {preview.columns.some(({ dataType }) => isNested(dataType)) && (
          <Select
            label={labels.nested}
            value={reading.source.isNative === true ? 'native' : 'json'}
            onChange={({ target }) => change.source({ isNative: target.value === 'native' })}
          >
            {keys(labels.nesteds).map((key) => (
              <option key={key} value={key}>
                {labels.nesteds[key]}
              </option>
            ))}
          </Select>
        )}
      </Group>
      {preview.detectedCsv !== null && (
        <CsvOptions
          inEffect={{ ...preview.detectedCsv, ...reading.source.csv }}
          onChange={(csv) => change.source({ csv: { ...reading.source.csv, ...csv } })}
        />
      )}
      <Columns
        key={JSON.stringify(preview.source)}
        detected={preview.columnMappings}
        onChange={change.mappings}
      />
      <Group>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.submit}
        </Button>
      </Group>
      {error !== null && <Failure error={error} />}
    </Form>
  );
}
