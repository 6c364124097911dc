#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { version } from '../../typescript/src/index.ts';
import { automationCommands } from './commands/automation.ts';
import { chatCommand } from './commands/chat.ts';
import { completionCommand } from './commands/completion.ts';
import { fileCommands } from './commands/files.ts';
import { importCommand } from './commands/import.ts';
import { loginCommands } from './commands/login.ts';
import { projectCommands } from './commands/projects.ts';
import { queryCommands } from './commands/query.ts';
import { runCommands } from './commands/runs.ts';
import { tableCommands } from './commands/tables.ts';
import { urlOf } from './context.ts';
import { exitCodes, explained } from './failure.ts';
import { plain } from './output.ts';
import { mayBeOfVersion, otherVersion, versionText } from './version.ts';

const program = new Command('workspace')
  .description('Command line of the Analytics Workspace Service.')
  .version(version, '-V, --cli-version')
  .option('--url <address>', 'address of the service (default: WORKSPACE_URL, then the one you logged in to)')
  .option('--project <id>', 'id of the project (default: the one you chose, or the only one)')
  .option('--json', 'print JSON')
  .option('--no-color', 'print without colors (NO_COLOR does the same)')
  .showHelpAfterError('Help: workspace --help')
  .exitOverride();

loginCommands(program);
projectCommands(program);
tableCommands(program);
importCommand(program);
queryCommands(program);
chatCommand(program);
runCommands(program);
automationCommands(program);
fileCommands(program);
completionCommand(program);
overrideExits(program);

/** Whoever reads what is printed may stop reading. */
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = await report(error);
}

async function report(error: unknown): Promise<number> {
  // Commander has said what was wrong; help and version are no faults.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return exitCodes.ok;
  const { message: said, exitCode, details } = explained(error);
  const served = mayBeOfVersion(error) ? await otherVersion(await urlOf(program)) : undefined;
  const message = served === undefined ? said : `${said}\n${versionText(served)}`;
  if (program.opts<{ json?: boolean }>().json === true)
    process.stderr.write(`${JSON.stringify({ error: { message, ...details } })}\n`);
  else process.stderr.write(`${message.split('\n').map(plain).join('\n')}\n`);
  return exitCode;
}

/** Subcommands exit by themselves unless each is told not to. */
function overrideExits(command: Command): void {
  for (const each of command.commands) {
    each.exitOverride().showHelpAfterError('Help: workspace --help');
    overrideExits(each);
  }
}
