import { useState } from 'react';
import type { Control } from './field.tsx';
import { TextArea } from './input.tsx';

interface LinesInputProps {
  control: Control;
  value: readonly string[];
  isEditable: boolean;
  onChange: (lines: string[]) => void;
}

/** A list of texts, one per line. */
export function LinesInput({ control, value, isEditable, onChange }: LinesInputProps) {
  // With the empty lines, where the next one is about to be written.
  const [text, setText] = useState(() => value.join('\n'));
  return (
    <TextArea
      isCode
      {...control}
      rows={Math.min(12, text.split('\n').length + 1)}
      spellCheck={false}
      readOnly={!isEditable}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const lines = target.value.split('\n').map((line) => line.trim());
        onChange(lines.filter((line) => line !== ''));
      }}
    />
  );
}
