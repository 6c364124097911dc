import { faultAt } from '../../parts/faults.ts';
import { Input, Select } from '../../parts/input.tsx';
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
      <Select
        label={fields.output}
        value={output}
        onChange={({ target }) => change({ output: target.value as Content['output'] })}
      >
        <option value="report">{outputs.report}</option>
        <option value="file">{outputs.file}</option>
      </Select>
      {output === 'report' ? (
        <Input
          label={fields.reportTitle}
          hint={fields.reportHint}
          fault={faultAt(error, 'output')}
          value={reportTitle}
          onChange={({ target }) => change({ reportTitle: target.value })}
        />
      ) : (
        <Input
          label={fields.path}
          fault={faultAt(error, 'output')}
          value={path}
          onChange={({ target }) => change({ path: target.value })}
        />
      )}
    </>
  );
}
