import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { faultAt, unplaced } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
import { useFirstFault } from '../../parts/first-fault.ts';
import { Form } from '../../parts/form.tsx';
import { Input } from '../../parts/input.tsx';
import { Failure } from '../../parts/states.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { ProjectSelect } from '../../project/select.tsx';
import * as texts from '../../texts/index.ts';
import { ModeFields, type ModeFieldsProps, modePlaces } from './mode-fields.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import { bodyOf, type DatasetBody, type Settings } from './settings.ts';

const labels = texts.connections.dataset;
const places = [['name'], ['guard'], ['project_id'], ['schedule']];

interface DatasetFormProps extends Pick<ModeFieldsProps, 'type' | 'columns'> {
  label: string;
  initial: () => Settings;
  /** Given what was saved last too. */
  save: (body: DatasetBody, before: DatasetBody) => Promise<unknown>;
  onSaved: () => unknown;
  saved: string;
  submit: string;
  /** Further buttons. */
  children?: ReactNode;
}

/** How a resource is copied, how much a copy may lose, and when it is taken. */
export function DatasetForm({ type, columns, initial, save, onSaved, ...shown }: DatasetFormProps) {
  const [settings, setSettings] = useState(initial);
  const [stored, setStored] = useState(settings);
  const change = (part: Partial<Settings>) => setSettings((before) => ({ ...before, ...part }));
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: (written: Settings) => save(bodyOf(written), bodyOf(stored)),
    onSuccess: (_, written) => {
      setStored(written);
      return onSaved();
    },
  });
  useUnsaved(settings !== stored && !isPending);
  const form = useFirstFault(error);
  const enabledHint = useId();
  const { name, mayLose, projectId, isEnabled } = settings;
  const rest = unplaced(error, [...places, ...modePlaces(type, settings)]);
  return (
    <Form ref={form} aria-label={shown.label} onSubmit={() => mutate(settings)}>
      <Input
        label={labels.name}
        fault={faultAt(error, 'name')}
        required
        value={name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <ModeFields {...{ type, columns, settings, change, error }} />
      <Input
        label={labels.guard}
        hint={labels.guardHint}
        fault={faultAt(error, 'guard')}
        type="number"
        step="any"
        value={mayLose}
        onChange={({ target }) => change({ mayLose: target.value })}
      />
      <ScheduleFields {...{ settings, change, error }} />
      <Field label={labels.project} hint={labels.projectHint} fault={faultAt(error, 'project_id')}>
        {(control) => (
          <ProjectSelect
            control={control}
            none={labels.noProject}
            chosen={projectId}
            onChoose={(id) => change({ projectId: id })}
          />
        )}
      </Field>
      <Checkbox
        label={labels.enabled}
        aria-describedby={enabledHint}
        checked={isEnabled}
        onChange={({ target }) => change({ isEnabled: target.checked })}
      />
      <Text c="dimmed" id={enabledHint}>
        {labels.enabledHint}
      </Text>
      <Group>
        <Button variant="filled" type="submit" disabled={isPending}>
          {shown.submit}
        </Button>
        {shown.children}
        {isSuccess && settings === stored && <span role="status">{shown.saved}</span>}
      </Group>
      {rest !== null && <Failure error={rest} />}
    </Form>
  );
}
