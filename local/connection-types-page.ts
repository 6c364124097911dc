import { inWords } from '../domain/intake/data-connections/settings.ts';
import type { ConnectionTypeTable, Field } from '../domain/intake/data-connections/types/field.ts';
import { typeTables } from '../domain/intake/data-connections/types/types.ts';

/** The tables of docs/connections.md, in Markdown: what each type accepts. */
export function documentTypes(): string {
  return Object.values(typeTables).map(documentType).join('\n\n');
}

function documentType(table: ConnectionTypeTable): string {
  const rows = [
    ...table.config.map((field) => row(field, 'config', table)),
    ...table.secrets.map((field) => row(field, 'secrets', table)),
  ];
  return [
    `### ${table.label}: \`${table.type}\``,
    '',
    '| Key | In | Label | Value | Required |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function row(field: Field, part: string, { config }: ConnectionTypeTable): string {
  const cells = [`\`${field.key}\``, `\`${part}\``, field.label, valueText(field), neededOf(field, config)];
  return `| ${cells.join(' | ')} |`;
}

function valueText({ type, values, range, preset, example }: Field): string {
  const kinds = {
    string: 'text',
    boolean: 'true or false',
    enum: (values ?? []).map((value) => `\`${value}\``).join(', '),
    integer: `integer from ${range?.[0]} to ${range?.[1]}`,
  };
  const left = preset === undefined ? '' : `; default \`${preset}\``;
  const shown = example === undefined || type === 'enum' || type === 'boolean' || example === preset;
  return `${kinds[type]}${left}${shown ? '' : `, such as \`${example}\``}`;
}

function neededOf({ required, requiredWhen, appliesWhen }: Field, config: readonly Field[]): string {
  if (required) return 'yes';
  if (requiredWhen !== undefined) return inWords(requiredWhen, config);
  return appliesWhen === undefined ? '' : `no; only ${inWords(appliesWhen, config)}`;
}
