import { Button, Group } from '@mantine/core';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { Panel } from '../parts/panel.tsx';
import { type Parameter, parametersNow } from '../saved/parameter.ts';
import { ParameterFields } from '../saved/parameter-fields.tsx';
import { ValueInput } from '../saved/value-input.tsx';
import * as texts from '../texts/index.ts';
import type { Sheet } from './sheets.ts';

const labels = texts.query.parameters;

interface ParametersProps {
  sheet: Sheet;
  onChange: (part: Partial<Sheet>) => void;
}

/** A field for each parameter of the statement, and what they are. */
export function ParameterBar({ sheet, onChange }: ParametersProps) {
  const [isOpen, setIsOpen] = useState(false);
  const now = parametersNow(sheet.sql, sheet.parameters);
  const names = Object.entries(now);
  if (names.length === 0) return null;
  const change = (parameters: Record<string, Parameter>) => onChange({ parameters });
  return (
    <fieldset className="parameters" aria-label={labels.title}>
      {names.map(([name, parameter]) => (
        <ValueInput
          key={name}
          label={name}
          parameter={parameter}
          value={sheet.typed[name] ?? ''}
          onChange={(text) => onChange({ typed: { ...sheet.typed, [name]: text } })}
        />
      ))}
      <Group>
        <Button leftSection={<SlidersHorizontal size={14} />} onClick={() => setIsOpen(true)}>
          {labels.settings}
        </Button>
      </Group>
      <Panel title={labels.settings} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <ParameterFields parameters={now} onChange={change} />
      </Panel>
    </fieldset>
  );
}
