import { useEffect, useState } from 'react';
import { TextArea } from '../../../parts/input.tsx';
import * as texts from '../../../texts/index.ts';

const labels = texts.automation.workflows.node;

export interface JsonFieldProps {
  label: string;
  hint: string | undefined;
  fault: string | undefined;
  value: unknown;
  isEditable: boolean;
  /** Given undefined where nothing is written. */
  onChange: (value: unknown) => void;
  /** Told when there begins to be one text more or less that cannot be saved. */
  onHalf: (by: 1 | -1) => void;
}

/** A member for which there is no better control. What isn't valid JSON yet is kept here, and not saved. */
export function JsonField({ label, hint, fault, value, isEditable, onChange, onHalf }: JsonFieldProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const read = readJson(text);
  const isHalf = read.fault !== undefined;
  useEffect(() => {
    if (!isHalf) return;
    onHalf(1);
    return () => onHalf(-1);
  }, [isHalf, onHalf]);
  return (
    <TextArea
      isCode
      label={labels.asJson(label)}
      hint={hint}
      fault={read.fault ?? fault}
      rows={Math.min(24, text.split('\n').length + 1)}
      spellCheck={false}
      readOnly={!isEditable}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const now = readJson(target.value);
        if (now.fault === undefined) onChange(now.value);
      }}
    />
  );
}

function readJson(text: string): { value?: unknown; fault?: string } {
  if (text.trim() === '') return {};
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { fault: labels.notJson((error as Error).message) };
  }
}
