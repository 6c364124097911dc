import type { components } from '../../../../clients/typescript/src/index.ts';
import { type ParameterRow, parametersOf, rowsOf } from '../parameters.ts';

export type Playbook = components['schemas']['Playbook'];

/** A playbook as it is edited. */
export interface Content {
  title: string;
  description: string;
  instructions: string;
  rows: readonly ParameterRow[];
  output: 'report' | 'file';
  reportTitle: string;
  path: string;
  /** Empty for the default one. */
  model: string;
}

const empty: Content = {
  ...{ title: '', description: '', instructions: '', rows: [], model: '' },
  ...{ output: 'report', reportTitle: '', path: '' },
};

export function contentOf(playbook: Playbook | undefined): Content {
  if (playbook === undefined) return empty;
  const { title, description, instructions, parameters, output, model } = playbook;
  return {
    ...{ title, description, instructions, model: model ?? '' },
    rows: rowsOf(parameters),
    output: output.type,
    reportTitle: output.type === 'report' ? output.title : '',
    path: output.type === 'file' ? output.path : '',
  };
}

/** The same as it is sent. */
export const bodyOf = (content: Content) => {
  const { title, description, instructions, rows, output, reportTitle, path, model } = content;
  return {
    ...{ title, description, instructions, model: model === '' ? null : model },
    parameters: parametersOf(rows),
    output:
      output === 'report' ? { type: 'report' as const, title: reportTitle } : { type: 'file' as const, path },
  };
};

export type PlaybookBody = ReturnType<typeof bodyOf>;
