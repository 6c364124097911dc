import { faultAt } from '../parts/faults.ts';
import { Field } from '../parts/field.tsx';
import { Input, Select } from '../parts/input.tsx';
import { ProjectSelect } from '../project/select.tsx';
import * as texts from '../texts/index.ts';
import type { Content } from './content.ts';
import { TableChoice } from './param-field.tsx';

const labels = texts.verification.target;
const tiers = Object.keys(texts.data.tiers) as (keyof typeof texts.data.tiers)[];

interface TargetFieldsProps {
  content: Content;
  change: (part: Partial<Content>) => void;
  error: Error | null;
}

/** One table, or what selects tables anew at each run. */
export function TargetFields({ content, change, error }: TargetFieldsProps) {
  const { isOfOne, tableId, projectId, tier, namePattern } = content;
  const fault = faultAt(error, 'target');
  return (
    <>
      <Select
        label={labels.which}
        value={isOfOne ? 'one' : 'selected'}
        onChange={({ target }) => change({ isOfOne: target.value === 'one' })}
      >
        <option value="one">{labels.one}</option>
        <option value="selected">{labels.selected}</option>
      </Select>
      {isOfOne ? (
        <Field label={labels.table} fault={fault}>
          {(control) => (
            <TableChoice control={control} value={tableId} onChange={(id) => change({ tableId: id })} />
          )}
        </Field>
      ) : (
        <>
          <Field label={labels.project}>
            {(control) => (
              <ProjectSelect
                control={control}
                none={texts.parts.all}
                chosen={projectId}
                onChoose={(id) => change({ projectId: id })}
              />
            )}
          </Field>
          <Select
            label={labels.tier}
            value={tier}
            onChange={({ target }) => change({ tier: target.value as Content['tier'] })}
          >
            <option value="">{texts.parts.all}</option>
            {tiers.map((tier) => (
              <option key={tier} value={tier}>
                {texts.data.tiers[tier]}
              </option>
            ))}
          </Select>
          {projectId === '' && tier === '' && namePattern === '' && <p role="status">{labels.all}</p>}
          <Input
            label={labels.pattern}
            hint={labels.patternHint}
            fault={fault}
            maxLength={500}
            value={namePattern}
            onChange={({ target }) => change({ namePattern: target.value })}
          />
        </>
      )}
    </>
  );
}
