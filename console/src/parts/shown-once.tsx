import { Button } from '@mantine/core';
import { useId } from 'react';
import * as texts from '../texts/index.ts';
import { Input, TextArea } from './input.tsx';

interface ShownOnceProps {
  /** What they are, and their values. */
  values: readonly (readonly [label: string, value: string])[];
  onClose: () => void;
}

/** Secrets that the service shows this once, until they are put away. */
export function ShownOnce({ values, onClose }: ShownOnceProps) {
  return (
    <div className="asks" role="status">
      <p>{texts.parts.shownOnce}</p>
      {values.map(([label, value]) => (
        <Secret key={label} label={label} value={value} />
      ))}
      <p>
        <Button onClick={onClose}>{texts.parts.close}</Button>
      </p>
    </div>
  );
}

function Secret({ label, value }: { label: string; value: string }) {
  const field = useId();
  return (
    <>
      <label htmlFor={field}>{label}</label>
      {value.includes('\n') ? (
        <TextArea
          isCode
          id={field}
          readOnly
          rows={value.split('\n').length}
          value={value}
          onFocus={({ target }) => target.select()}
        />
      ) : (
        <Input id={field} readOnly value={value} onFocus={({ target }) => target.select()} />
      )}
    </>
  );
}
