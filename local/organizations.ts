import { parseArgs } from 'node:util';
import { createDatabase, type Database } from '../data/postgres/client.ts';
import { readEnvironment, storesConfig, storesEnvironment } from '../data/stores-config.ts';
import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import {
  allOrganizations,
  getListed,
  setSuspended,
  showOrganization,
} from '../domain/workspace/organizations/suspension.ts';
import { runCommand } from './command.ts';
import { commandEnvironment } from './command-environment.ts';
import { deleteOrganization, keepFromDeletion } from './organizations/deletion.ts';
import { printUsage } from './organizations/usage.ts';

const usage = `Usage: npm run --silent organizations -- create NAME
       npm run --silent organizations -- list
       npm run --silent organizations -- show | suspend | resume ID
       npm run --silent organizations -- delete ID --confirm ID [--in-days N]
       npm run --silent organizations -- keep ID
       npm run --silent organizations -- usage [ID] [--month YYYY-MM]`;

const print = (value: object): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};

/** What each command takes: its one argument, or none, or either, and its options. */
const commands: Readonly<Record<string, { takes: 'one' | 'none' | 'either'; options?: readonly string[] }>> =
  {
    create: { takes: 'one' },
    list: { takes: 'none' },
    show: { takes: 'one' },
    suspend: { takes: 'one' },
    resume: { takes: 'one' },
    delete: { takes: 'one', options: ['confirm', 'in-days'] },
    keep: { takes: 'one' },
    usage: { takes: 'either', options: ['month'] },
  };

interface Asked {
  command: string;
  argument: string;
  options: { confirm?: string; 'in-days'?: string; month?: string };
}

/** @throws Error with the usage */
function read(args: readonly string[]): Asked {
  const text = { type: 'string' } as const;
  const options = { confirm: text, 'in-days': text, month: text };
  const parsed = (() => {
    try {
      return parseArgs({ args: [...args], options, allowPositionals: true });
    } catch {
      throw new Error(usage);
    }
  })();
  const [command = '', argument = '', ...rest] = parsed.positionals;
  const known = Object.hasOwn(commands, command) ? commands[command] : undefined;
  const isGiven = argument.trim() !== '';
  const isRight =
    known !== undefined &&
    rest.length === 0 &&
    (known.takes === 'either' || isGiven === (known.takes === 'one')) &&
    Object.keys(parsed.values).every((name) => known.options?.includes(name));
  if (!isRight) throw new Error(usage);
  return { command, argument, options: parsed.values };
}

/**
 * Adds, lists, shows, suspends, resumes and deletes organizations, and prints each as a line of JSON: in the
 * database of DATABASE_URL, or without one in the running stack of WORKSPACE_DATA_DIR.
 */
async function main(args: readonly string[]): Promise<void> {
  const asked = read(args);
  const environment = await commandEnvironment();
  if (asked.command === 'create') return create(environment, asked.argument);
  const url = environment['DATABASE_URL'] ?? '';
  const { db } = createDatabase({ url, maxConnections: 1, applicationName: 'organizations' });
  await run(db, environment, asked);
}

async function create(environment: NodeJS.ProcessEnv, name: string): Promise<void> {
  const made = await provisionOrganization(environment, { name });
  const { organizationId, clientId, clientSecret, ownerToken } = made;
  print({ organizationId, clientId, clientSecret, ownerPath: `/owner/${ownerToken}` });
}

async function run(
  db: Database,
  environment: NodeJS.ProcessEnv,
  { command, argument: id, options }: Asked,
): Promise<void> {
  switch (command) {
    case 'list':
      for await (const organization of allOrganizations(db)) print(organization);
      return;
    case 'show':
      return print(await showOrganization(db, id));
    case 'suspend':
    case 'resume':
      return print(await setSuspended(db, id, command === 'suspend'));
    case 'delete':
    case 'keep': {
      const { temporal } = storesConfig(readEnvironment(storesEnvironment, environment));
      const { confirm, 'in-days': inDays } = options;
      if (command === 'delete') await deleteOrganization({ db, temporal }, id, { confirm, inDays });
      else await keepFromDeletion({ db, temporal }, id);
      return print(await getListed(db, id));
    }
    case 'usage':
      return printUsage({ db, url: environment['DATABASE_URL'] ?? '', print }, id, options.month);
  }
}

await runCommand(main);
