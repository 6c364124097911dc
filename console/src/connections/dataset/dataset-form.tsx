import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { faultAt, unplaced } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
import { useFirstFault } from '../../parts/first-fault.ts';
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
    <form
      ref={form}
      className="narrow"
      aria-label={shown.label}
      onSubmit={(event) => {
        event.preventDefault();
        mutate(settings);
      }}
    >
      <Field label={labels.name} fault={faultAt(error, 'name')}>
        {(control) => (
          <input
            {...control}
            required
            value={name}
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
      </Field>
      <ModeFields {...{ type, columns, settings, change, error }} />
      <Field label={labels.guard} hint={labels.guardHint} fault={faultAt(error, 'guard')}>
        {(control) => (
          <input
            {...control}
            type="number"
            step="any"
            value={mayLose}
            onChange={({ target }) => change({ mayLose: target.value })}
          />
        )}
      </Field>
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
      <label className="check">
        <input
          type="checkbox"
          aria-describedby={enabledHint}
          checked={isEnabled}
          onChange={({ target }) => change({ isEnabled: target.checked })}
        />{' '}
        {labels.enabled}
      </label>
      <p className="hint" id={enabledHint}>
        {labels.enabledHint}
      </p>
      <p className="buttons">
        <button type="submit" disabled={isPending}>
          {shown.submit}
        </button>
        {shown.children}
        {isSuccess && settings === stored && <span role="status">{shown.saved}</span>}
      </p>
      {rest !== null && <Failure error={rest} />}
    </form>
  );
}
