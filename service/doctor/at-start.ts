import type { Logger } from 'pino';
import type { Database } from '../../data/postgres/client.ts';
import type { storesConfig } from '../../data/stores-config.ts';
import { isAutomationPaused, pauseWhereNotResumed, placeOf } from '../../domain/workspace/pause/pause.ts';
import { examineStores } from './examine.ts';

/** The settings of a process, or its end with what is wrong with them. */
export function configOrExit<Config>(read: () => Config): Config {
  try {
    return read();
  } catch (error) {
    exitWith((error as Error).message);
  }
}

/** Ends a process that cannot start, with a text for its operator. */
export function exitWith(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/**
 * Logs what a process that starts would lack. What may come later, such as a store that cannot be reached, is
 * left to readiness; the process ends where it would show or write what it may not.
 */
export async function examineAtStart(
  config: ReturnType<typeof storesConfig>,
  logger: Pick<Logger, 'warn' | 'error' | 'fatal' | 'flush'>,
): Promise<void> {
  const findings = await examineStores(config);
  for (const { check, state, found, todo, isFatal = false } of findings) {
    if (state === 'ok') continue;
    const level = isFatal ? 'fatal' : state === 'failed' ? 'error' : 'warn';
    logger[level]({ check, todo }, found);
  }
  const fatal = findings.find(({ isFatal }) => isFatal === true);
  if (fatal !== undefined) exitWith(`${fatal.check}: ${fatal.found} ${fatal.todo ?? ''}`);
}

/**
 * With START_PAUSED, pauses all automation of a database that was not resumed in this place, before anything
 * of it can start. The process ends if the database cannot be asked.
 */
export async function pauseAtStart(
  { startPaused, databaseUrl, objectStore }: ReturnType<typeof storesConfig>,
  db: Database,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  if (startPaused)
    await pauseWhereNotResumed(db, placeOf(databaseUrl, objectStore)).catch((error: unknown) =>
      exitWith(
        `START_PAUSED: automation couldn't be paused, so the process doesn't start: ${(error as Error).message}`,
      ),
    );
  const isPaused = await isAutomationPaused(db).catch(() => false);
  if (isPaused)
    logger.warn(
      { todo: 'To resume it, run `npm run automation -- resume`.' },
      'all automation is paused: schedules, triggers and deliveries do nothing',
    );
}

/** Why a process cannot listen, and what to do. */
export function explainListening(
  error: NodeJS.ErrnoException,
  { port, variable }: { port: number; variable: string },
): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} is taken by another process. End that process, or set ${variable} to another port.`;
  if (error.code === 'EACCES')
    return `This user isn't allowed to listen on port ${port}. Set ${variable} to a port above 1023.`;
  return `Port ${port}: ${error.message}`;
}
