/** Finds words and phrases of a dialect in what people read: docs/contributing/style.md says how we write. */
import { globSync, readFileSync } from 'node:fs';

/** What is not used, and what to write in its place. */
const phrases: readonly [RegExp, string][] = [
  [/which is the most\b/i, 'the limit is …'],
  [/\bthe most there may be\b/i, 'the limit is …'],
  [
    /\b(?:is|are) no (?:JSON|UTF-8|number|date|integer|URL|address|text|CSV|boolean|object|list|valid)\b/i,
    "isn't …",
  ],
  [/\bno JSON yet\b/i, "isn't valid JSON"],
  [/\bsays nothing more\b/i, 'has no more runs'],
  [/\bthat there are not\b/i, "that don't exist"],
  [/\bmay be had\b/i, 'is available'],
  [/\bleave it alone\b|\bto be left alone\b/i, 'wait, or do not send requests'],
  [/\bwhom it runs as\b/i, 'the person it runs as'],
  [/\bis wanted\b|\bare wanted\b/i, 'must be …'],
  [/\bwhere (?:it is |they are )?left out\b/i, 'by default'],
  [/\bthat are too many\b/i, 'the extra …'],
  [/\bagain and again\b/i, 'repeatedly'],
  [/\btold as such\b/i, 'reported as …'],
  [/\bof which there (?:is|are)\b/i, 'name the thing'],
  [/\bwhat (?:of|for) the (?:data|past)\b/i, 'name the thing'],
  [/\bwherever a table is\b/i, 'anywhere you can use a table'],
  [/\bin place of\b/i, 'instead of'],
  [/\bthe other side\b/i, 'the remote service'],
  [/\bwhoever (?:may|asks)\b/i, 'anyone who can …'],
  [/\bis mended\b|\bmends (?:it|them|most)\b|\bwould mend\b/i, 'fix'],
];

const pages = [...globSync('{README,CHANGELOG}.md'), ...globSync('{docs,deploy}/**/*.md')];
const code = globSync(
  '{api,worker,activities,workflows,service,domain,packages/*/src,data,local,migrations}/**/*.ts',
);
const clients = globSync('{console/src,clients/*/src}/**/*.{ts,tsx}');
const exempt = new Set(['local/check-words.ts', 'docs/contributing/style.md']);

const faults: string[] = [];
for (const file of [...pages, ...code, ...clients]) {
  if (exempt.has(file) || file.endsWith('.gen.ts')) continue;
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const [index, line] of lines.entries())
    for (const [phrase, instead] of phrases)
      if (phrase.test(line))
        faults.push(`${file}:${index + 1}: "${phrase.exec(line)![0]}"; write: ${instead}`);
}
for (const fault of faults) console.error(fault);
console.log(
  `Checked the words of ${pages.length + code.length + clients.length} files. ${faults.length} phrases to replace.`,
);
process.exit(faults.length === 0 ? 0 : 1);
