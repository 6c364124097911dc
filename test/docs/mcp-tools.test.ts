import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tools } from '../../api/mcp/tools/index.ts';

const file = new URL('../../docs/mcp.md', import.meta.url);
const head = '| Tool | Scope | What it does |\n|---|---|---|\n';

/** The table of the docs, generated from the tools. `UPDATE_DOCS=1` writes it. */
const rows = tools
  .map(
    ({ name, scope, description }) =>
      `| \`${name}\` | \`${scope}\` | ${/^.*?\.(?= |$)/.exec(description)![0]} |\n`,
  )
  .join('');

test('the table of MCP tools in the docs is that of the code', () => {
  const text = readFileSync(file, 'utf8');
  const written = text.replace(/(?<=What it does \|\n\|---\|---\|---\|\n)(?:\|.*\n)*/, () => rows);
  if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(file, written);
  else expect(text).toContain(head + rows);
});
