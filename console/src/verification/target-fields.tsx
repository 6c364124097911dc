import { faultAt } from '../parts/faults.ts';
import { Field } from '../parts/field.tsx';
import { ProjectSelect } from '../project/select.tsx';
import * as texts from '../texts/index.ts';
import type { Content } from './content.ts';
import { TableChoice } from './param-field.tsx';

const told = texts.verification.target;
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
      <Field label={told.which}>
        {(control) => (
          <select
            {...control}
            value={isOfOne ? 'one' : 'selected'}
            onChange={({ target }) => change({ isOfOne: target.value === 'one' })}
          >
            <option value="one">{told.one}</option>
            <option value="selected">{told.selected}</option>
          </select>
        )}
      </Field>
      {isOfOne ? (
        <Field label={told.table} fault={fault}>
          {(control) => (
            <TableChoice control={control} value={tableId} onChange={(id) => change({ tableId: id })} />
          )}
        </Field>
      ) : (
        <>
          <Field label={told.project}>
            {(control) => (
              <ProjectSelect
                control={control}
                none={texts.parts.all}
                chosen={projectId}
                onChoose={(id) => change({ projectId: id })}
              />
            )}
          </Field>
          <Field label={told.tier}>
            {(control) => (
              <select
                {...control}
                value={tier}
                onChange={({ target }) => change({ tier: target.value as Content['tier'] })}
              >
                <option value="">{texts.parts.all}</option>
                {tiers.map((one) => (
                  <option key={one} value={one}>
                    {texts.data.tiers[one]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {projectId === '' && tier === '' && namePattern === '' && <p role="status">{told.all}</p>}
          <Field label={told.pattern} hint={told.patternHint} fault={fault}>
            {(control) => (
              <input
                {...control}
                maxLength={500}
                value={namePattern}
                onChange={({ target }) => change({ namePattern: target.value })}
              />
            )}
          </Field>
        </>
      )}
    </>
  );
}
