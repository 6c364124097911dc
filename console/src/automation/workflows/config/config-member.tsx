import { useState } from 'react';
import { Field } from '../../../parts/field.tsx';
import { LinesInput } from '../../../parts/lines-input.tsx';
import * as texts from '../../../texts/index.ts';
import { textOfValue } from '../../parameters.ts';
import { IdChoice } from './id-choice.tsx';
import { IdsChoice } from './ids-choice.tsx';
import { JsonField, type JsonFieldProps } from './json-field.tsx';
import { choicesOf, hidden, kindOf, type Schema } from './members.ts';
import { SecretInput } from './secret-input.tsx';
import { TextInput } from './text-input.tsx';

const labels = texts.automation.workflows.node;

interface ConfigMemberProps extends Omit<JsonFieldProps, 'label' | 'hint'> {
  name: string;
  schema: Schema;
  isRequired: boolean;
  projectId: string;
}

/** A member of a config under its label, in the control that fits its schema. */
export function ConfigMember({ name, schema, isRequired, projectId, ...rest }: ConfigMemberProps) {
  const { fault, value, isEditable, onChange } = rest;
  // Not another control while it is written.
  const [kind] = useState(() => kindOf(name, schema, value));
  const [isStored] = useState(value === hidden);
  const named = Object.hasOwn(labels.labels, name) ? labels.labels[name]! : name.replaceAll('_', ' ');
  const label = isRequired ? texts.automation.required(named) : named;
  const hint =
    [
      schema['description'],
      kind === 'lines' && labels.perLine,
      kind === 'secret' && isStored && labels.stored,
      schema['minimum'] !== undefined && labels.limits(Number(schema['minimum']), Number(schema['maximum'])),
      'default' in schema && texts.automation.parameters.defaultIs(textOfValue(schema['default'])),
    ]
      .filter((part) => typeof part === 'string')
      .join(' ') || undefined;
  const text = typeof value === 'string' ? value : '';
  const items = Array.isArray(value) ? (value as string[]) : [];
  const list = (written: string[]) => onChange(written.length === 0 ? undefined : written);
  const line = (written: string) => onChange(written === '' ? undefined : written);
  const of = choicesOf(name) ?? 'tables';
  if (kind === 'json') return <JsonField {...rest} {...{ label, hint }} />;
  if (kind === 'ids')
    return <IdsChoice {...{ label, of, projectId, fault, isEditable }} value={items} onChange={list} />;
  return (
    <Field {...{ label, hint, fault }}>
      {(control) => {
        if (kind === 'id')
          return <IdChoice {...{ control, of, projectId, isEditable }} value={text} onChange={line} />;
        if (kind === 'secret')
          return <SecretInput {...{ control, isEditable }} value={text} onChange={line} />;
        if (kind === 'lines')
          return <LinesInput {...{ control, isEditable }} value={items} onChange={list} />;
        return <TextInput {...{ control, kind, schema, value, isEditable, onChange }} />;
      }}
    </Field>
  );
}
