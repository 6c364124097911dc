/**
 * Checks that every regular expression of the service runs in linear time, because it is applied to input
 * from callers. Reports each pattern that can backtrack more than that, with an input that shows it, and each
 * pattern built at run time.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, parse } from 'acorn';
import { checkSync } from 'recheck';

const wings = ['api', 'domain', 'data', 'activities', 'worker', 'workflows', 'packages/*/src'];

/** Patterns that are safe for a reason the checker cannot see, by file. */
const allowed: Readonly<Record<string, string>> = {
  'packages/sql-guard/src/guard/splice.ts':
    'It meets a statement within a query process, which has a time and is killed beyond it.',
};

interface Found {
  place: string;
  source: string;
  flags: string;
}

function patternsOf(file: string): { literals: Found[]; dynamic: string[] } {
  const code = stripTypeScriptTypes(readFileSync(file, 'utf8'));
  const literals: Found[] = [];
  const dynamic: string[] = [];
  const at = (node: AnyNode) => `${file}:${code.slice(0, node.start).split('\n').length}`;
  walk(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
    if (node.type === 'Literal' && node.regex !== undefined && node.regex !== null)
      literals.push({ place: at(node), source: node.regex.pattern, flags: node.regex.flags });
    const isMade = node.type === 'NewExpression' || node.type === 'CallExpression';
    if (isMade && node.callee.type === 'Identifier' && node.callee.name === 'RegExp') dynamic.push(at(node));
  });
  return { literals, dynamic };
}

function walk(node: unknown, visit: (node: AnyNode) => void): void {
  if (Array.isArray(node)) for (const child of node) walk(child, visit);
  else if (typeof node === 'object' && node !== null) {
    if ('type' in node && typeof node.type === 'string') visit(node as AnyNode);
    for (const value of Object.values(node)) walk(value, visit);
  }
}

const files = spawnSync(
  'git',
  ['ls-files', ...wings.map((wing) => `${wing}/**/*.ts`), ...wings.map((wing) => `${wing}/*.ts`)],
  {
    encoding: 'utf8',
  },
).stdout.split('\n');
const faults: string[] = [];
let count = 0;
for (const file of new Set(files.filter((name) => name.endsWith('.ts') && !name.endsWith('.gen.ts')))) {
  const { literals, dynamic } = patternsOf(file);
  for (const place of dynamic)
    if (!(file in allowed)) faults.push(`${place}: this pattern is built at run time.`);
  for (const { place, source, flags } of literals) {
    count += 1;
    const result = checkSync(source, flags, { timeout: 20_000, checker: 'auto' });
    if (result.status === 'safe' || file in allowed) continue;
    const why =
      result.status === 'vulnerable'
        ? `${result.complexity.summary}, by ${result.attack.pattern}`
        : "can't be checked";
    faults.push(`${place}: /${source}/${flags}: ${why}`);
  }
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`Checked ${count} patterns. ${faults.length} are not linear.\n`);
process.exit(faults.length === 0 ? 0 : 1);
