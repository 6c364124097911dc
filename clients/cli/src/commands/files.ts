import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { type Document, documentIn, slug } from '../files/documents.ts';
import type { Kind, Stored } from '../files/kind.ts';
import { changedFields, kindsOf, nameIn, sameAs } from '../files/kinds.ts';
import { plain } from '../output.ts';

interface Step {
  kind: Kind;
  file: string;
  name: string;
  does: 'create' | 'update' | 'nothing';
  fields: string[];
  document: Document;
  stored?: Stored;
}

export function fileCommands(program: Command): void {
  program
    .command('pull')
    .description('write playbooks, schedules, workflows, tests and connections to files in a directory')
    .argument('<directory>')
    .action(async (directory: string, _: object, command: Command) => {
      const context = await contextOf(command);
      const written: string[] = [];
      for (const kind of await kindsOf(context)) {
        const stored = (await kind.list()).filter(({ isOver }) => isOver !== true);
        if (stored.length > 0) await mkdir(join(directory, kind.folder), { recursive: true });
        const taken = new Set<string>();
        for (const { name, document } of stored) {
          const file = join(directory, kind.folder, `${unused(slug(name), taken)}.json`);
          await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
          written.push(file);
        }
      }
      context.output.show(written, () => `Wrote ${written.length} files.`);
    });

  program
    .command('apply')
    .description('create and update what the files in a directory describe; shows the plan and asks first')
    .argument('<directory>')
    .option('--yes', 'apply without asking')
    .option('--plan', 'only show the plan')
    .option('--secrets', 'also send the secrets of existing connections')
    .action(async (directory: string, options: ApplyOptions, command: Command) => {
      const context = await contextOf(command);
      const { output } = context;
      const steps = await planOf(directory, await kindsOf(context), options);
      const due = steps.filter(({ does }) => does !== 'nothing');
      const shown = steps.map(({ file, name, does, fields }) => ({ file, name, does, fields }));
      if (options.plan) return output.show(shown, () => planText(steps));
      if (!output.json) output.hint(planText(steps));
      if (due.length > 0 && !options.yes && !(await isConfirmed())) throw new Failure('Nothing was changed.');
      for (const [at, { kind, document, stored, file }] of due.entries()) {
        try {
          const { shownOnce = [] } =
            stored === undefined ? await kind.create(document) : await kind.update(stored, document);
          for (const line of shownOnce) output.hint(line);
        } catch (error) {
          // What is done is found as it is by the next apply.
          output.hint(`Applied ${at} of ${due.length}. ${plain(file)} failed.`);
          throw error;
        }
      }
      output.show(shown, () => `Applied ${due.length} of ${steps.length}.`);
    });
}

interface ApplyOptions {
  yes?: boolean;
  plan?: boolean;
  secrets?: boolean;
}

function unused(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`;
  taken.add(free);
  return free;
}

/** What the files ask for, compared with what is there. Nothing is deleted. */
async function planOf(directory: string, kinds: readonly Kind[], { secrets }: ApplyOptions): Promise<Step[]> {
  const steps: Step[] = [];
  for (const kind of kinds) {
    const folder = join(directory, kind.folder);
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort();
    if (names.length === 0) continue;
    const all = await kind.list();
    for (const file of names.map((name) => join(folder, name))) {
      const document = await documentIn(file);
      const name = nameIn(kind, document, file);
      if (steps.some((step) => step.kind === kind && step.name === name))
        throw new Failure(`Two files in ${kind.folder} have the name ${name}.`);
      const stored = sameAs(kind, all, name);
      if (stored === undefined) steps.push({ kind, file, name, does: 'create', fields: [], document });
      else {
        const sends = secrets === true && document['secrets'] !== undefined;
        const changed = changedFields(stored, document);
        const fields = sends ? [...changed, 'secrets'] : changed;
        const { secrets: _, ...others } = document;
        const does = fields.length === 0 ? 'nothing' : 'update';
        steps.push({ kind, file, name, does, fields, document: sends ? document : others, stored });
      }
    }
  }
  if (steps.length === 0)
    throw new Failure(
      `folder).join(', ')}. => ${directory} has no files to apply. Put them into the folders ${kinds.map(({ folder }) => folder).join(', ')}. => folder).join(', ')}.`,
    );
  return steps;
}

function planText(steps: readonly Step[]): string {
  const signs = { create: '+', update: '~', nothing: '=' };
  return steps
    .map(({ kind, name, does, fields }) => {
      const what = does === 'update' ? ` (${fields.join(', ')})` : '';
      return `${signs[does]} ${kind.folder} ${plain(name)}${what}`;
    })
    .join('\n');
}

async function isConfirmed(): Promise<boolean> {
  if (process.stdin.isTTY !== true)
    throw new Failure(
      'Nothing was changed, because nobody can answer the question. Add --yes to apply without asking.',
    );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question('Apply? [y/N] ').finally(() => lines.close());
  return /^y(es)?$/i.test(answer.trim());
}
