import { Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Input, Select } from '../parts/input.tsx';
import * as texts from '../texts/index.ts';
import type { Csv, CsvChoice } from './reading.ts';

const labels = texts.intake.csv;

interface CsvOptionsProps {
  /** What was detected, and what was set. */
  inEffect: Csv;
  onChange: (change: CsvChoice) => void;
}

/** How the text of a file becomes rows and values. */
export function CsvOptions({ inEffect, onChange }: CsvOptionsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [detected] = useState(inEffect);
  const { charEncoding, columnSeparator, quoteCharacter, escapeCharacter, headerRow, firstDataRow } =
    inEffect;
  const { dateFormat, thousands, nullValues } = inEffect;
  const row = (text: string, least: number) => Math.max(least, Math.trunc(Number(text)));
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{labels.title}</summary>
      {isOpen && (
        <>
          <Text c="dimmed">{labels.hint}</Text>
          <Group align="start">
            <Choice
              label={labels.separator}
              options={labels.separators}
              value={columnSeparator}
              detected={detected.columnSeparator}
              onChange={(text) => onChange({ columnSeparator: text })}
            />
            <Choice
              label={labels.quote}
              options={labels.quotes}
              value={quoteCharacter}
              detected={detected.quoteCharacter}
              onChange={(text) => onChange({ quoteCharacter: text })}
            />
            <Choice
              label={labels.escape}
              options={labels.escapes}
              value={escapeCharacter}
              detected={detected.escapeCharacter}
              onChange={(text) => onChange({ escapeCharacter: text })}
            />
            <Written
              label={labels.encoding}
              value={charEncoding}
              list={encodings}
              onChange={(text) => onChange({ charEncoding: text })}
            />
            <Written
              label={labels.headerRow}
              hint={labels.headerRowHint}
              value={String(headerRow)}
              isNumber
              onChange={(text) => onChange({ headerRow: row(text, 0) })}
            />
            <Written
              label={labels.firstRow}
              value={String(firstDataRow)}
              isNumber
              onChange={(text) => onChange({ firstDataRow: row(text, 1) })}
            />
            <Written
              label={labels.dates}
              hint={labels.datesHint}
              value={dateFormat}
              onChange={(text) => onChange({ dateFormat: text })}
            />
            <Choice
              label={labels.thousands}
              options={labels.groups}
              value={thousands}
              detected={detected.thousands}
              onChange={(text) => onChange({ thousands: text })}
            />
            <Written
              label={labels.nulls}
              hint={labels.nullsHint}
              value={nullValues.join(', ')}
              onChange={(text) => onChange({ nullValues: text.split(',').map((one) => one.trim()) })}
            />
          </Group>
        </>
      )}
    </details>
  );
}

const encodings = ['UTF_8', 'UTF_16', 'ISO_8859_1', 'WINDOWS_1252', 'SHIFT_JIS', 'GB18030', 'MACINTOSH'];

interface ChoiceProps {
  label: string;
  options: Readonly<Record<string, string>>;
  value: string;
  detected: string;
  onChange: (value: string) => void;
}

/** One of a few characters, each by its name; the one that was detected first stays among them. */
const Choice = ({ label, options, value, detected, onChange }: ChoiceProps) => (
  <Select label={label} value={value} onChange={({ target }) => onChange(target.value)}>
    {[...new Set([...Object.keys(options), detected, value])].map((one) => (
      <option key={one} value={one}>
        {options[one] ?? (one === '' ? labels.unset : one)}
      </option>
    ))}
  </Select>
);

interface WrittenProps {
  label: string;
  hint?: ReactNode;
  value: string;
  isNumber?: boolean;
  list?: readonly string[];
  onChange: (value: string) => void;
}

/** A text that counts when it was written: each change reads the file anew. */
function Written({ label, hint, value, isNumber = false, list, onChange }: WrittenProps) {
  const [written, setWritten] = useState<string>();
  const end = () => {
    if (written !== undefined && written !== value) onChange(written);
    setWritten(undefined);
  };
  const listId = `list of ${label}`.replaceAll(' ', '-');
  return (
    <Input
      label={
        <>
          {label}{' '}
          {hint !== undefined && (
            <Text span c="dimmed">
              {hint}
            </Text>
          )}{' '}
          {list !== undefined && (
            <datalist id={listId}>
              {list.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        </>
      }
      type={isNumber ? 'number' : 'text'}
      min={0}
      value={written ?? value}
      {...(list === undefined ? {} : { list: listId })}
      onChange={({ target }) => setWritten(target.value)}
      onBlur={end}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        // The file is read by it first.
        event.preventDefault();
        end();
      }}
    />
  );
}
