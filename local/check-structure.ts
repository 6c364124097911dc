/**
 * Checks the structure of the source: which part may import which, the order of the domain's wings and of the
 * console's rooms, no cycle among rooms, a README in each of them, packages that need nothing of this repository, one place that names
 * DuckLake's own tables, and the length of files.
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
  api: ['service', 'domain', 'data', 'workflows', 'packages'],
  worker: ['service', 'activities', 'domain', 'data', 'workflows', 'packages'],
  activities: ['service', 'domain', 'data', 'workflows', 'packages'],
  service: ['domain', 'data', 'workflows', 'packages'],
  domain: ['data', 'workflows', 'packages'],
  data: ['packages'],
  workflows: [],
  packages: [],
};
/** Their files too import only the face of a package. */
const besideParts = '{bench,deploy,local,migrations,test}/**/*.ts';
/** What a package shows; everything else of it is its own. */
const face = /^packages\/[\w-]+\/index\.ts$/;
/** The wings of the domain, lowest first, each with the lower ones that it may import. */
const wings: Readonly<Record<string, readonly string[]>> = {
  workspace: [],
  tables: ['workspace'],
  intake: ['tables', 'workspace'],
  publishing: ['tables', 'workspace'],
  analyst: ['publishing', 'tables', 'workspace'],
  automation: ['analyst', 'publishing', 'intake', 'tables', 'workspace'],
};
/** The console's rooms, lowest first: each may import those before it. `router.tsx` shows all. */
const consoleRooms = [
  ...['texts', 'style', 'parts', 'charts', 'session', 'project', 'cadences', 'intake', 'data', 'automation'],
  ...['runs', 'saved', 'query', 'verification', 'connections', 'dashboards', 'reports', 'ask', 'files'],
  ...['settings', 'home', 'shell'],
];
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
      faults.push(`${file} names what is DuckLake's own; ${duckLakeFolder} is the place for it.`);
    const check = part === 'packages' ? checkPackage : checkImport.bind(undefined, part);
    for (const [, path] of text.matchAll(specifier)) check(file, join(dirname(file), path!));
  }
}
for (const file of globSync(besideParts))
  for (const [, path] of readFileSync(file, 'utf8').matchAll(specifier))
    checkFace(file, join(dirname(file), path!));
for (const file of globSync('console/src/*/**/*.{ts,tsx}'))
  for (const [, path] of readFileSync(file, 'utf8').matchAll(specifier))
    checkConsoleRoom(file, join(dirname(file), path!));
for (const folder of globSync('packages/*/'))
  for (const needed of ['README.md', 'index.ts'])
    if (!existsSync(`${folder}/${needed}`)) faults.push(`${folder}/${needed} is missing.`);
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
  if (part === 'api' && to === 'api') checkApiWing(file, target);
  if (to === part) return;
  const isAllowed =
    parts[part]!.includes(to) && (to !== 'workflows' || part === 'worker' || knownOfWorkflows.test(target));
  if (!isAllowed) faults.push(`${file} imports ${target}: ${part} may not.`);
  checkFace(file, target);
}

function checkFace(file: string, target: string): void {
  if (target.startsWith('packages/') && !face.test(target))
    faults.push(`${file} imports ${target}: of a package only its index.ts may be imported.`);
}

/** A package's tests may use helpers that all tests share. */
function checkPackage(file: string, target: string): void {
  const [, name, folder] = file.split('/');
  const isOwn = target.startsWith(`packages/${name}/`);
  if (!isOwn && !(folder === 'test' && target.startsWith('test/support/')))
    faults.push(`${file} imports ${target}: a package needs nothing of this repository.`);
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

/** The folders of the API have the order of the domain's wings; what several need is beside them. */
function checkApiWing(file: string, target: string): void {
  const [, from] = file.split('/');
  const [, to] = target.split('/');
  if (from === to || !(from! in wings) || !(to! in wings) || wings[from!]!.includes(to!)) return;
  faults.push(`${file} imports ${target}: api/${from} may not import api/${to}.`);
}

function checkConsoleRoom(file: string, target: string): void {
  const [, , room] = file.split('/');
  const [part, , toRoom] = target.split('/');
  const place = consoleRooms.indexOf(room!);
  if (place === -1) faults.push(`${file}: give console/src/${room} a place in the order of the rooms.`);
  else if (part === 'console' && room !== toRoom && !consoleRooms.slice(0, place).includes(toRoom!))
    faults.push(`${file} imports ${target}: console/src/${room} may not import ${toRoom}.`);
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
