import type { Control } from '../../../parts/field.tsx';
import { Input, Select, TextArea } from '../../../parts/input.tsx';
import * as texts from '../../../texts/index.ts';
import type { Kind, Schema } from './members.ts';

interface TextInputProps {
  control: Control;
  kind: Kind;
  schema: Schema;
  value: unknown;
  isEditable: boolean;
  /** Given undefined where nothing is written: what is left empty is left to the service. */
  onChange: (value: unknown) => void;
}

/** The control of a text, a number, a choice, or of yes and no. */
export function TextInput({ control, kind, schema, value, isEditable, onChange }: TextInputProps) {
  const text = value === undefined ? '' : String(value);
  const changed = (written: string) => onChange(written === '' ? undefined : typed(kind, written));
  if (kind === 'choice' || kind === 'boolean') {
    const values = kind === 'boolean' ? ['true', 'false'] : (schema['enum'] as unknown[]).map(String);
    const { unset, yes, no } = texts.automation.parameters;
    const shown = (option: string) => (kind === 'choice' ? option : option === 'true' ? yes : no);
    return (
      <Select
        {...control}
        disabled={!isEditable}
        value={text}
        onChange={({ target }) => changed(target.value)}
      >
        {['', ...values, ...(text === '' || values.includes(text) ? [] : [text])].map((one) => (
          <option key={one} value={one}>
            {one === '' ? unset : shown(one)}
          </option>
        ))}
      </Select>
    );
  }
  if (kind === 'long')
    return (
      <TextArea
        isCode
        {...control}
        rows={Math.min(24, text.split('\n').length + 3)}
        spellCheck={false}
        readOnly={!isEditable}
        value={text}
        onChange={({ target }) => changed(target.value)}
      />
    );
  return (
    <Input
      {...control}
      type={kind === 'number' ? 'number' : 'text'}
      step={kind === 'number' && schema['type'] === 'number' ? 'any' : undefined}
      min={schema['minimum'] as number | undefined}
      max={schema['maximum'] as number | undefined}
      autoComplete="off"
      readOnly={!isEditable}
      value={text}
      onChange={({ target }) => changed(target.value)}
    />
  );
}

const typed = (kind: Kind, text: string): unknown =>
  kind === 'number' ? Number(text) : kind === 'boolean' ? text === 'true' : text;
