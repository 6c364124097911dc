import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { faultAt, unplaced } from '../../parts/faults.ts';
import { useFirstFault } from '../../parts/first-fault.ts';
import { Form } from '../../parts/form.tsx';
import { Input, TextArea } from '../../parts/input.tsx';
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
    <Form ref={form} onSubmit={() => mutate(content)}>
      <Input
        label={fields.title}
        fault={faultAt(error, 'title')}
        value={content.title}
        onChange={({ target }) => change({ title: target.value })}
      />
      <Input
        label={fields.description}
        fault={faultAt(error, 'description')}
        value={content.description}
        onChange={({ target }) => change({ description: target.value })}
      />
      <TextArea
        isCode
        label={fields.instructions}
        hint={fields.instructionsHint}
        fault={faultAt(error, 'instructions')}
        rows={12}
        value={content.instructions}
        onChange={({ target }) => change({ instructions: target.value })}
      />
      <ParameterFields rows={content.rows} onChange={(rows) => change({ rows })} error={error} />
      <OutputFields {...{ content, change, error }} />
      <ModelField
        value={content.model}
        onChange={(model) => change({ model })}
        fault={faultAt(error, 'model')}
      />
      <Group>
        <Button variant="filled" type="submit" disabled={isPending || isTwice}>
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

const places = [['title'], ['description'], ['instructions'], ['output'], ['model']];
