/**
 * Holds the source to its structure: which wing may import which, no circle among the rooms of the domain, a README
 * in each of them, one place that knows DuckLake's own names, and no file that nobody wants to read.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

const maxLines = 300;
const readmeLines = 20;

/** What a wing may import beside itself. Of workflows, wings that do not host them know names and contracts only. */
const wings: Readonly<Record<string, readonly string[]>> = {
  api: ['domain', 'data', 'workflows'],
  worker: ['activities', 'domain', 'data', 'workflows'],
  activities: ['domain', 'data', 'workflows'],
  domain: ['data', 'workflows'],
  data: [],
  workflows: [],
};
const knownOfWorkflows = /\/(contract|names)\.ts$|^workflows\/(task-queues|trace-header)\.ts$/;
const generated = 'data/postgres/schema.gen.ts';
/** The only folder that may say `ducklake_`: its tables, and its procedures too, are another version's before long. */
const duckLakeFolder = 'data/lake/ducklake/';
const specifier = /(?:from|import|import\(|new URL\()\s*'(\.{1,2}\/[^']+)'/g;

const faults: string[] = [];
/** Which room imports which, with a file that does. */
const rooms = new Map<string, Map<string, string>>();

for (const wing of Object.keys(wings)) {
  for (const file of globSync(`${wing}/**/*.ts`)) {
    const text = readFileSync(file, 'utf8');
    const lines = text.split('\n').length - 1;
    if (lines > maxLines && file !== generated) faults.push(`${file} has ${lines} lines; split it.`);
    if (text.toLowerCase().includes('ducklake_') && !file.startsWith(duckLakeFolder))
      faults.push(`${file} names what is DuckLake's own; ${duckLakeFolder} is the place for it.`);
    for (const [, path] of text.matchAll(specifier)) look(wing, file, join(dirname(file), path!));
  }
}
for (const [room, imported] of rooms) findCircle([room], imported);
for (const room of globSync('domain/*')) {
  const readme = `${room}/README.md`;
  if (!existsSync(readme))
    faults.push(`${readme} is missing: what it is, the way through it, what it may import.`);
  else if (readFileSync(readme, 'utf8').split('\n').length - 1 > readmeLines)
    faults.push(`${readme} has more than ${readmeLines} lines.`);
}
for (const fault of faults) console.error(fault);
console.log(`${globSync('domain/*').length} rooms, ${faults.length} faults of structure.`);
process.exit(faults.length === 0 ? 0 : 1);

function look(wing: string, file: string, target: string): void {
  const [to] = target.split('/');
  if (to === undefined || !(to in wings) || to === wing) {
    if (to === 'domain' && wing === 'domain') note(file, target);
    return;
  }
  const isAllowed =
    wings[wing]!.includes(to) && (to !== 'workflows' || wing === 'worker' || knownOfWorkflows.test(target));
  if (!isAllowed) faults.push(`${file} imports ${target}: ${wing} may not.`);
}

function note(file: string, target: string): void {
  const [from, to] = [file, target].map((path) => path.split('/')[1]!);
  if (from === to) return;
  const imported = rooms.get(from!) ?? new Map<string, string>();
  rooms.set(from!, imported.set(to!, file));
}

function findCircle(way: readonly string[], imported: ReadonlyMap<string, string>): void {
  for (const [next, file] of imported) {
    if (next === way[0]) faults.push(`The rooms ${[...way, next].join(' → ')} go in a circle, at ${file}.`);
    else if (!way.includes(next)) findCircle([...way, next], rooms.get(next) ?? new Map());
  }
}
