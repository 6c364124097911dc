/**
 * Checks the structure of the source: which part may import which, the order of the domain's wings, no cycle
 * among its rooms, a README in each of them, one place that names DuckLake's own tables, and the length of
 * files.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

const maxLines = 300;
const readmeLines = 20;
/** Comments beyond the formatter's width, which it does not wrap. */
const longComment = /^(?=.{111}) *(?:\/\/|\/\*|\* )/m;

/**
 * What a part may import besides itself. Parts that do not host workflows may import only names and contracts
 * from there.
 */
const parts: Readonly<Record<string, readonly string[]>> = {
  api: ['service', 'domain', 'data', 'workflows'],
  worker: ['service', 'activities', 'domain', 'data', 'workflows'],
  activities: ['service', 'domain', 'data', 'workflows'],
  service: ['domain', 'data', 'workflows'],
  domain: ['data', 'workflows'],
  data: [],
  workflows: [],
};
/** The wings of the domain, lowest first, each with the lower ones that it may import. */
const wings: Readonly<Record<string, readonly string[]>> = {
  workspace: [],
  tables: ['workspace'],
  intake: ['tables', 'workspace'],
  publishing: ['tables', 'workspace'],
  analyst: ['publishing', 'tables', 'workspace'],
  automation: ['analyst', 'publishing', 'intake', 'tables', 'workspace'],
};
const knownOfWorkflows = /\/(contract|names)\.ts$|^workflows\/(task-queues|trace-header)\.ts$/;
const generated = 'data/postgres/schema.gen.ts';
/**
 * The only folder that may contain `ducklake_`: DuckLake's tables and procedures change between its versions.
 */
const duckLakeFolder = 'data/lake/ducklake/';
const specifier = /(?:from|import|import\(|new URL\()\s*'(\.{1,2}\/[^']+)'/g;

const faults: string[] = [];
/** For each room, the rooms that it imports, with a file that does. */
const rooms = new Map<string, Map<string, string>>();

for (const part of Object.keys(parts)) {
  for (const file of globSync(`${part}/**/*.ts`)) {
    const text = readFileSync(file, 'utf8');
    const lines = text.split('\n').length - 1;
    if (lines > maxLines && file !== generated) faults.push(`${file} has ${lines} lines; split it.`);
    if (longComment.test(text) && file !== generated)
      faults.push(`${file} has a comment of more than 110 columns. Wrap it.`);
    if (text.toLowerCase().includes('ducklake_') && !file.startsWith(duckLakeFolder))
      faults.push(`${file} names something internal to DuckLake. Move it to ${duckLakeFolder}.`);
    for (const [, path] of text.matchAll(specifier)) checkImport(part, file, join(dirname(file), path!));
  }
}
for (const [room, imported] of rooms) findCycle([room], imported);
for (const folder of [...globSync('domain/*/'), ...globSync('domain/*/*/')]) {
  const [, wing] = folder.split('/');
  if (!(wing! in wings))
    faults.push(`${folder} must be in one of the folders ${Object.keys(wings).join(', ')}.`);
  checkReadme(folder);
}
for (const fault of faults) console.error(fault);
console.log(`${globSync('domain/*/*/').length} modules checked, ${faults.length} structure faults.`);
process.exit(faults.length === 0 ? 0 : 1);

function checkImport(part: string, file: string, target: string): void {
  const [to] = target.split('/');
  if (to === undefined || !(to in parts)) return;
  if (part === 'domain' && to === 'domain') checkWing(file, target);
  if (to === part) return;
  const isAllowed =
    parts[part]!.includes(to) && (to !== 'workflows' || part === 'worker' || knownOfWorkflows.test(target));
  if (!isAllowed) faults.push(`${file} imports ${target}: ${part} may not.`);
}

function checkWing(file: string, target: string): void {
  const [, wing] = file.split('/');
  const [, toWing] = target.split('/');
  if (wing !== toWing) {
    if (!wings[wing!]?.includes(toWing!))
      faults.push(`${file} imports ${target}: the wing ${wing} may not import ${toWing}.`);
    return;
  }
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === to) return;
  const imported = rooms.get(from) ?? new Map<string, string>();
  rooms.set(from, imported.set(to, file));
}

/** The innermost folder with a README. */
function roomOf(file: string): string {
  let folder = dirname(file);
  while (!existsSync(`${folder}/README.md`) && folder !== 'domain') folder = dirname(folder);
  return folder;
}

function findCycle(way: readonly string[], imported: ReadonlyMap<string, string>): void {
  for (const [next, file] of imported) {
    if (next === way[0]) faults.push(`The modules ${[...way, next].join(' → ')} form a cycle, at ${file}.`);
    else if (!way.includes(next)) findCycle([...way, next], rooms.get(next) ?? new Map());
  }
}

function checkReadme(folder: string): void {
  const readme = `${folder}/README.md`;
  if (!existsSync(readme)) faults.push(`${readme} is missing. Write what the folder is and how to read it.`);
  else if (readFileSync(readme, 'utf8').split('\n').length - 1 > readmeLines)
    faults.push(`${readme} has more than ${readmeLines} lines. Shorten it.`);
}
