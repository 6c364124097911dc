import { faultAt } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
import * as texts from '../../texts/index.ts';
import type { Content } from './content.ts';

const { fields, outputs } = texts.automation.playbooks;

interface OutputFieldsProps {
  content: Content;
  change: (part: Partial<Content>) => void;
  error: Error | null;
}

/** What a playbook makes of its answer. */
export function OutputFields({ content: { output, reportTitle, path }, change, error }: OutputFieldsProps) {
  return (
    <>
      <Field label={fields.output}>
        {(control) => (
          <select
            {...control}
            value={output}
            onChange={({ target }) => change({ output: target.value as Content['output'] })}
          >
            <option value="report">{outputs.report}</option>
            <option value="file">{outputs.file}</option>
          </select>
        )}
      </Field>
      {output === 'report' ? (
        <Field label={fields.reportTitle} hint={fields.reportHint} fault={faultAt(error, 'output')}>
          {(control) => (
            <input
              {...control}
              value={reportTitle}
              onChange={({ target }) => change({ reportTitle: target.value })}
            />
          )}
        </Field>
      ) : (
        <Field label={fields.path} fault={faultAt(error, 'output')}>
          {(control) => (
            <input {...control} value={path} onChange={({ target }) => change({ path: target.value })} />
          )}
        </Field>
      )}
    </>
  );
}
