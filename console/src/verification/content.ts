import type { components } from '../../../clients/typescript/src/index.ts';
import { fromLine, fromValueLine, isInexact, linesOf, toLine, toValueLine } from './lines.ts';

export type Definition = components['schemas']['VerificationTestDefinition'];
export type Kind = Definition['kind'];
type Tier = NonNullable<Extract<Definition['target'], { selector: unknown }>['selector']['modelingTier']>;

/** How a parameter is written: names of columns and values one per line. */
type Written = 'columns' | 'otherColumns' | 'column' | 'values' | 'table' | 'number' | 'code';

interface Param {
  name: string;
  as: Written;
  isOptional?: true;
}

/** The parameters of each kind of test. */
export const paramsOf: Readonly<Record<Kind, readonly Param[]>> = {
  not_null: [{ name: 'columns', as: 'columns' }],
  unique: [{ name: 'columns', as: 'columns' }],
  accepted_values: [
    { name: 'column', as: 'column' },
    { name: 'values', as: 'values' },
  ],
  relationship: [
    { name: 'columns', as: 'columns' },
    { name: 'to_table_id', as: 'table' },
    { name: 'to_columns', as: 'otherColumns' },
  ],
  row_count: [
    { name: 'min', as: 'number', isOptional: true },
    { name: 'max', as: 'number', isOptional: true },
    { name: 'max_change_ratio', as: 'number', isOptional: true },
  ],
  freshness: [
    { name: 'column', as: 'column', isOptional: true },
    { name: 'max_age_seconds', as: 'number' },
  ],
  expression: [{ name: 'expression', as: 'code' }],
  sql: [{ name: 'sql', as: 'code' }],
};

/** A test as it is edited. */
export interface Content {
  name: string;
  description: string;
  kind: Kind;
  /** Each as it is written. */
  params: Readonly<Record<string, string>>;
  /** The values that were accepted when it was opened. */
  values: readonly (string | number | boolean)[];
  /** One table; where there is none, what selects tables. */
  tableId: string;
  isOfOne: boolean;
  projectId: string;
  tier: Tier | '';
  namePattern: string;
  severity: Definition['severity'];
  blocking: boolean;
  keepRows: boolean;
  enabled: boolean;
}

export const newContent = (tableId = ''): Content => ({
  ...{ name: '', description: '', kind: 'not_null', params: {}, values: [] },
  ...{ tableId, isOfOne: true, projectId: '', tier: '', namePattern: '' },
  ...{ severity: 'error', blocking: false, keepRows: true, enabled: true },
});

export function contentOf(definition: Definition): Content {
  const { name, description, kind, params, target, severity, blocking, keepRows, enabled } = definition;
  const isOfOne = 'tableId' in target;
  const { projectId = '', modelingTier = '', namePattern = '' } = isOfOne ? {} : target.selector;
  return {
    ...{ name, description, kind, severity, blocking, keepRows, enabled, isOfOne },
    params: Object.fromEntries(Object.entries(params).map(([key, value]) => [key, textOf(key, value)])),
    values: kind === 'accepted_values' ? (params['values'] as Content['values']) : [],
    tableId: isOfOne ? target.tableId : '',
    ...{ projectId, tier: modelingTier, namePattern },
  };
}

const textOf = (name: string, value: unknown): string =>
  Array.isArray(value)
    ? value.map((item) => (name === 'values' ? toValueLine(item) : toLine(String(item)))).join('\n')
    : String(value);

/** Whether its values cannot be written here, as a browser would lose digits of them. */
export const hasInexact = ({ values }: Content): boolean => values.some(isInexact);

export function bodyOf(content: Content) {
  const { name, description, kind, isOfOne, tableId, projectId, tier, namePattern } = content;
  const { severity, blocking, keepRows, enabled } = content;
  const params = paramsOf[kind].flatMap(({ name: param, as, isOptional }): [string, unknown][] => {
    const text = content.params[param] ?? '';
    if (isOptional && text.trim() === '') return [];
    if (as === 'number') return [[param, Number(text)]];
    if (as === 'columns' || as === 'otherColumns') return [[param, linesOf(text).map(fromLine)]];
    if (as !== 'values') return [[param, text]];
    return [[param, linesOf(text).map((line) => fromValueLine(line, content.values))]];
  });
  return {
    ...{ name, description, severity, blocking, keep_rows: keepRows, enabled },
    params: Object.fromEntries(params),
    target: isOfOne
      ? { table_id: tableId }
      : {
          selector: {
            ...(projectId !== '' && { project_id: projectId }),
            ...(tier !== '' && { modeling_tier: tier }),
            ...(namePattern !== '' && { name_pattern: namePattern }),
          },
        },
  };
}

export type DefinitionBody = ReturnType<typeof bodyOf>;
