/**
 * Compiles a folder of time zone files, as the `tzdata` of PyPI and of Linux distributions have, to the file
 * that ICU reads instead of its own rules:
 *
 *   node data/zone-rules/compile.ts FOLDER INTO
 *
 * FOLDER contains `tzdata.zi`, `zone.tab` and the compiled zones; INTO receives `zoneinfo64.res`.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { finalRuleOf } from './final-rule.ts';
import { icuNames } from './icu-names.ts';
import { changesOf, readPosixRule, type YearlyRule, yearOf } from './posix-rule.ts';
import { type Resource, writeResourceBundle } from './resource-bundle.ts';
import { type Change, isTzif, type LocalTimeType, readTzif, type ZoneHistory } from './tzif.ts';

/** Rules that ICU cannot express are written out until then. */
const writtenOutUntil = 2100;

/** The region of zones that belong to no country, as `Etc/GMT+5`. */
const worldwide = '001';

const least32 = -(2 ** 31);
const most32 = 2 ** 31 - 1;

const integers = (values: readonly number[]): Resource => ({ type: 'integers', values });
const text = (value: string): Resource => ({ type: 'string', text: value });

/** The bytes of `zoneinfo64.res`. @throws Error if the folder lacks a file or one of them cannot be read */
export function compileZones(folder: string): { version: string; zones: number; file: Buffer } {
  const source = readFileSync(join(folder, 'tzdata.zi'), 'latin1');
  const version = /^# version (\S+)/.exec(source)?.[1];
  if (version === undefined) throw new Error(`${join(folder, 'tzdata.zi')} doesn't name its version.`);
  const files = zoneFiles(folder);
  const targets = targetsOf(source, files);
  const names = [...new Set([...files.keys(), ...targets.keys()])].toSorted();
  const indexes = new Map(names.map((name, index) => [name, index]));
  const rules: Record<string, Resource> = {};
  const zones = names.map((name): Resource => {
    const target = targets.get(name);
    if (target !== undefined) return { type: 'integer', value: indexes.get(target)! };
    const same = names.filter((other) => other === name || targets.get(other) === name);
    const links = same.length === 1 ? [] : same.map((sameName) => indexes.get(sameName)!);
    return zoneOf(readTzif(files.get(name)!), links, rules);
  });
  const regions = regionsOf(readFileSync(join(folder, 'zone.tab'), 'utf8'));
  const regionOf = (name: string) => regions.get(name) ?? regions.get(targets.get(name) ?? '') ?? worldwide;
  const root: Resource = {
    type: 'table',
    entries: {
      TZVersion: text(version),
      Zones: { type: 'array', items: zones },
      Names: { type: 'array', items: names.map(text) },
      Rules: { type: 'table', entries: rules },
      Regions: { type: 'array', items: names.map((name) => text(regionOf(name))) },
    },
  };
  return { version, zones: names.length, file: writeResourceBundle(root) };
}

function zoneFiles(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    // Distributions repeat the zones with leap seconds and without, and copy the machine's own.
    if (/^(?:posix|right)\/|^(?:posixrules|localtime)$/.test(path)) continue;
    const full = join(folder, path);
    if (!statSync(full).isFile()) continue;
    const file = readFileSync(full);
    if (isTzif(file)) files.set(relative(folder, full), file);
  }
  return files;
}

/** What a name is another name of: the database's links, and the names that only ICU has. */
function targetsOf(source: string, files: ReadonlyMap<string, Buffer>): Map<string, string> {
  const links = new Map(icuNames);
  for (const [, target = '', name = ''] of source.matchAll(/^L (\S+) (\S+)$/gm)) links.set(name, target);
  const endOf = (name: string): string => {
    const target = links.get(name);
    return target === undefined ? name : endOf(target);
  };
  return new Map(
    [...links.keys()].flatMap((name) => (files.has(endOf(name)) ? [[name, endOf(name)] as const] : [])),
  );
}

function regionsOf(table: string): Map<string, string> {
  const lines = table.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [country = '', , zone = ''] = line.split('\t');
      return [zone, country];
    }),
  );
}

function zoneOf(history: ZoneHistory, links: readonly number[], rules: Record<string, Resource>): Resource {
  const rule = history.footer === '' ? undefined : readPosixRule(history.footer);
  const final = rule && finalRuleOf(rule);
  const { footerFrom = 0 } = history;
  const until = final === undefined ? writtenOutUntil : yearOf(footerFrom) + 1;
  const later = rule === undefined ? [] : changesOf(rule, yearOf(footerFrom), until);
  const changes = [...history.changes, ...later.filter(({ at }) => at > footerFrom)];
  const finalYear = final && firstYearOfRule({ ...history, changes }, rule!, until + 1);
  const kept = changes.filter(({ at }) => finalYear === undefined || yearOf(at) < finalYear);
  const { types, map } = splitTypes({ ...history, changes: kept });
  const entries: Record<string, Resource> = { typeOffsets: integers(types.flat()) };
  const [before, within, after] = [
    kept.filter(({ at }) => at < least32),
    kept.filter(({ at }) => at >= least32 && at <= most32),
    kept.filter(({ at }) => at > most32),
  ];
  if (before.length > 0) entries['transPre32'] = integers(before.flatMap(halves));
  if (within.length > 0) entries['trans'] = integers(within.map(({ at }) => at));
  if (after.length > 0) entries['transPost32'] = integers(after.flatMap(halves));
  if (kept.length > 0) entries['typeMap'] = { type: 'binary', bytes: Uint8Array.from(map) };
  if (links.length > 0) entries['links'] = integers(links);
  if (final !== undefined && finalYear !== undefined) {
    const name = `r${final.values.join('_')}`;
    rules[name] ??= integers(final.values);
    entries['finalRule'] = text(name);
    entries['finalRaw'] = { type: 'integer', value: final.raw };
    entries['finalYear'] = { type: 'integer', value: finalYear };
  }
  return { type: 'table', entries };
}

const halves = ({ at }: Change): [number, number] => [
  Number(BigInt.asIntN(32, BigInt(at) >> 32n)),
  Number(BigInt.asIntN(32, BigInt(at))),
];

/** The first year, at most `latest`, from whose beginning the rule says what the changes say. */
function firstYearOfRule(
  { initial, changes }: Pick<ZoneHistory, 'initial' | 'changes'>,
  rule: YearlyRule,
  latest: number,
): number {
  const offsetBefore = (year: number, all: readonly Change[]) =>
    (all.findLast(({ at }) => yearOf(at) < year)?.to ?? initial).offset;
  const of = (year: number, all: readonly Change[]) =>
    JSON.stringify(all.filter(({ at }) => yearOf(at) === year).map(({ at, to }) => [at, to.offset]));
  let year = latest;
  while (year > 1900) {
    const byRule = changesOf(rule, year - 2, year - 1);
    if (of(year - 1, changes) !== of(year - 1, byRule)) break;
    if (offsetBefore(year - 1, changes) !== offsetBefore(year - 1, byRule)) break;
    year -= 1;
  }
  return year;
}

/**
 * ICU keeps an offset in two parts, of which the second is what clocks are put forward by. A file tells only
 * whether they are: the zone's time without it is that of the changes beside it. The sum is always the
 * file's.
 */
function splitTypes({ initial, changes }: Pick<ZoneHistory, 'initial' | 'changes'>): {
  types: [number, number][];
  map: number[];
} {
  const sequence = [initial, ...changes.map(({ to }) => to)];
  const parts = sequence.map((type, index) => split(type, sequence, index));
  const types = [...new Map(parts.map((part) => [part.join(), part])).values()];
  const indexes = new Map(types.map((part, index) => [part.join(), index]));
  return { types, map: parts.slice(1).map((part) => indexes.get(part.join())!) };
}

const mostSavings = 2 * 3_600;

function split(
  { offset, isDst }: LocalTimeType,
  sequence: readonly LocalTimeType[],
  index: number,
): [raw: number, savings: number] {
  const beside = [sequence[index - 1], sequence[index + 1]].filter((type) => type !== undefined);
  if (!isDst) {
    // Beside a "saving" time of winter, as Ireland's, this one is the summer's.
    const winter = beside.find((type) => type.isDst && type.offset < offset);
    const savings = winter === undefined ? 0 : offset - winter.offset;
    return savings > 0 && savings <= mostSavings ? [winter!.offset, savings] : [offset, 0];
  }
  const standard = [
    sequence.slice(0, index).findLast((type) => !type.isDst),
    sequence.slice(index + 1).find((type) => !type.isDst),
  ].filter((type) => type !== undefined);
  const found = standard.find((type) => offset > type.offset && offset - type.offset <= mostSavings);
  if (found !== undefined) return [found.offset, offset - found.offset];
  return standard.some((type) => type.offset > offset) ? [offset, 0] : [offset - 3_600, 3_600];
}

if (import.meta.main) {
  const [folder, into] = process.argv.slice(2);
  if (folder === undefined || into === undefined) {
    process.stderr.write('usage: node data/zone-rules/compile.ts FOLDER INTO\n');
    process.exit(2);
  }
  const { version, zones, file } = compileZones(folder);
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, 'zoneinfo64.res'), file);
  process.stdout.write(`Wrote the rules of ${zones} zones (${version}, ${file.length} bytes) to ${into}.\n`);
}
