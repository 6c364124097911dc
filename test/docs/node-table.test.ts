import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nodeTypes } from '../../domain/automation/workflows/graphs/node-types.ts';

const file = new URL('../../docs/workflows.md', import.meta.url);
const heading = '| Type | Config | Takes | Gives |';

/** The table of the docs, generated from the types declared in the code. `UPDATE_DOCS=1` writes it. */
function table(): string {
  const rows = nodeTypes.map(({ type, config, inputs, outputs, secretKeys }) => {
    const keys = Object.entries(config.shape).map(([key, schema]) => {
      const isOptional = schema.safeParse(undefined).success;
      const marks = [isOptional ? '?' : '', secretKeys.includes(key) ? ' (secret)' : ''].join('');
      return `\`${key}\`${marks}`;
    });
    const takes = inputs.map(
      ({ name, types, required, many }) =>
        `\`${name}\`: ${types.join(', ')}${many ? ', many' : ''}${required ? '' : ', optional'}`,
    );
    const gives = outputs.map(({ name, type: of }) => (name === of ? `\`${name}\`` : `\`${name}\`: ${of}`));
    return `| \`${type}\` | ${keys.join(', ')} | ${takes.join('; ')} | ${gives.join(', ')} |`;
  });
  return [heading, '|---|---|---|---|', ...rows].join('\n');
}

test('the table of node types in the docs is that of the code', () => {
  const text = readFileSync(file, 'utf8');
  if (process.env['UPDATE_DOCS'] !== undefined) {
    const start = text.indexOf(heading);
    writeFileSync(file, `${(start < 0 ? text : text.slice(0, start)).trimEnd()}\n\n${table()}\n`);
    return;
  }
  expect(text).toContain(table());
});
