import { useId } from 'react';
import * as texts from '../texts/index.ts';

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
        <button type="button" className="plain" onClick={onClose}>
          {texts.parts.close}
        </button>
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
        <textarea
          id={field}
          readOnly
          rows={value.split('\n').length}
          value={value}
          onFocus={({ target }) => target.select()}
        />
      ) : (
        <input id={field} readOnly value={value} onFocus={({ target }) => target.select()} />
      )}
    </>
  );
}
