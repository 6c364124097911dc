import { Button, Fieldset, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CadenceFields } from '../../cadences/cadence-fields.tsx';
import { faultAt, unplaced } from '../../parts/faults.ts';
import { useFirstFault } from '../../parts/first-fault.ts';
import { Form } from '../../parts/form.tsx';
import { Input, TextArea } from '../../parts/input.tsx';
import { Failure } from '../../parts/states.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import * as texts from '../../texts/index.ts';
import { ParameterValues } from '../parameter-values.tsx';
import type { Parameters } from '../parameters.ts';
import { bodyOf, type Content, type ScheduleBody } from './content.ts';
import type { Schedule } from './target.tsx';

const labels = texts.automation.schedules;
const { fields } = labels;
const shown = ['type', 'run_date', 'days_of_week', 'day_of_month', 'time_of_day', 'zone_id', 'anchor_date'];
const places = [
  ['description'],
  ...shown.map((name) => ['schedule', name]),
  ['schedule', 'interval'],
  ['config', 'params'],
  ['config', 'output_folder'],
  ['config', 'email_recipients'],
];

interface ScheduleFormProps {
  projectId: string;
  parameters: Parameters;
  initial: () => Content;
  label: string;
  save: (body: ScheduleBody) => Promise<Schedule>;
  onSaved: (saved: Schedule) => unknown;
  /** It may have been changed elsewhere. */
  onRefused?: () => unknown;
}

/** When a playbook runs, with which values, and where its output goes. */
export function ScheduleForm({
  projectId,
  parameters,
  initial,
  label,
  save,
  onSaved,
  onRefused,
}: ScheduleFormProps) {
  const [content, setContent] = useState(initial);
  const change = (part: Partial<Content>) => setContent((before) => ({ ...before, ...part }));
  const [stored, setStored] = useState(content);
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: (written: Content) => save(bodyOf(written, parameters)),
    onSuccess: (saved, written) => {
      setStored(written);
      return onSaved(saved);
    },
    onError: onRefused,
  });
  useUnsaved(content !== stored && !isPending);
  const form = useFirstFault(error);
  const { cadence, values } = content;
  const left = unplaced(error, places);
  return (
    <Form ref={form} onSubmit={() => mutate(content)}>
      <Input
        label={fields.description}
        fault={faultAt(error, 'description')}
        value={content.description}
        onChange={({ target }) => change({ description: target.value })}
      />
      <CadenceFields
        {...{ cadence, error }}
        change={(part) => change({ cadence: { ...cadence, ...part } })}
      />
      <Fieldset legend={texts.automation.parameters.title}>
        <ParameterValues
          {...{ projectId, parameters, values, error, at: ['config', 'params'] }}
          onChange={(changed) => change({ values: changed })}
        />
      </Fieldset>
      <Input
        label={fields.folder}
        hint={fields.folderHint}
        fault={faultAt(error, 'config', 'output_folder')}
        value={content.folder}
        onChange={({ target }) => change({ folder: target.value })}
      />
      <TextArea
        isCode
        label={fields.recipients}
        hint={fields.recipientsHint}
        fault={faultAt(error, 'config', 'email_recipients')}
        rows={3}
        value={content.recipients}
        onChange={({ target }) => change({ recipients: target.value })}
      />
      <Group>
        <Button variant="filled" type="submit" disabled={isPending}>
          {label}
        </Button>
        {data !== undefined && !isPending && error === null && (
          <span role="status">{labels.saved(data.revision)}</span>
        )}
      </Group>
      {left !== null && <Failure error={left} />}
    </Form>
  );
}
