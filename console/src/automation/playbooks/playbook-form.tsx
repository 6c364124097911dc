import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { faultAt, unplaced } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
import { useFirstFault } from '../../parts/first-fault.ts';
import { Failure } from '../../parts/states.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import * as texts from '../../texts/index.ts';
import { ParameterFields } from '../parameter-fields.tsx';
import { nameTwice } from '../parameters.ts';
import { bodyOf, type Content, contentOf, type Playbook, type PlaybookBody } from './content.ts';
import { ModelField } from './model-field.tsx';
import { OutputFields } from './output-fields.tsx';

const labels = texts.automation.playbooks;
const { fields } = labels;

interface PlaybookFormProps {
  /** What is edited; undefined for a new one. */
  playbook?: Playbook;
  label: string;
  save: (body: PlaybookBody) => Promise<Playbook>;
  onSaved: (saved: Playbook) => unknown;
  /** It may have been changed elsewhere. */
  onRefused?: () => unknown;
}

/** The fields of a playbook, with what the service says of each. */
export function PlaybookForm({ playbook, label, save, onSaved, onRefused }: PlaybookFormProps) {
  const [content, setContent] = useState(() => contentOf(playbook));
  const change = (part: Partial<Content>) => setContent((before) => ({ ...before, ...part }));
  const [stored, setStored] = useState(content);
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: (written: Content) => save(bodyOf(written)),
    onSuccess: (saved, written) => {
      setStored(written);
      return onSaved(saved);
    },
    onError: onRefused,
  });
  useUnsaved(content !== stored && !isPending);
  const form = useFirstFault(error);
  const isTwice = nameTwice(content.rows) !== undefined;
  const parameterPlaces = content.rows.map(({ name }) => ['parameters', name]);
  const left = unplaced(error, [...places, ...parameterPlaces]);
  return (
    <form
      ref={form}
      className="narrow"
      onSubmit={(event) => {
        event.preventDefault();
        mutate(content);
      }}
    >
      <Field label={fields.title} fault={faultAt(error, 'title')}>
        {(control) => (
          <input
            {...control}
            value={content.title}
            onChange={({ target }) => change({ title: target.value })}
          />
        )}
      </Field>
      <Field label={fields.description} fault={faultAt(error, 'description')}>
        {(control) => (
          <input
            {...control}
            value={content.description}
            onChange={({ target }) => change({ description: target.value })}
          />
        )}
      </Field>
      <Field
        label={fields.instructions}
        hint={fields.instructionsHint}
        fault={faultAt(error, 'instructions')}
      >
        {(control) => (
          <textarea
            {...control}
            rows={12}
            value={content.instructions}
            onChange={({ target }) => change({ instructions: target.value })}
          />
        )}
      </Field>
      <ParameterFields rows={content.rows} onChange={(rows) => change({ rows })} error={error} />
      <OutputFields {...{ content, change, error }} />
      <ModelField
        value={content.model}
        onChange={(model) => change({ model })}
        fault={faultAt(error, 'model')}
      />
      <p className="buttons">
        <button type="submit" disabled={isPending || isTwice}>
          {label}
        </button>
        {data !== undefined && !isPending && error === null && (
          <span role="status">{labels.saved(data.revision)}</span>
        )}
      </p>
      {left !== null && <Failure error={left} />}
    </form>
  );
}

const places = [['title'], ['description'], ['instructions'], ['output'], ['model']];
