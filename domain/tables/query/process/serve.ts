import { flushCompileCache } from 'node:module';
import { keepsTooMuch, watchMemory } from '../../../../data/process-pool/memory.ts';
import { attachLake, type Engine, locationKey, openBlankEngine } from './engine.ts';
import { LakeUnavailable, shownFailure } from './failure.ts';
import type {
  FromProcess,
  ProcessSettings,
  ProcessStatement,
  StatementOutcome,
  ToProcess,
} from './messages.ts';
import { type Interruption, runStatement } from './statement.ts';

export interface Channel {
  send(message: FromProcess): void;
  onMessage(listener: (message: ToProcess) => void): void;
  onParentGone(listener: () => void): void;
}

interface Running extends Interruption {
  statementId: number;
}

/** An interrupt between two steps of a statement is lost, so it is repeated until the statement ends. */
const interruptIntervalMs = 50;

export function serveStatements(channel: Channel): void {
  let settings: ProcessSettings | undefined;
  let engine: Promise<Engine> | undefined;
  let running: Running | undefined;

  // SIGKILL, because an ordinary exit waits for the running statement.
  channel.onParentGone(() => process.kill(process.pid, 'SIGKILL'));
  channel.onMessage((message) => {
    if (message.kind === 'configure') {
      settings = message.settings;
      engine = openBlankEngine(settings);
      engine.then(() => channel.send({ kind: 'ready' })).catch(endLoudly);
      // Flushed now, because the process is killed in the end, which would lose the cache for the next one.
      flushCompileCache();
    } else if (message.kind === 'interrupt') {
      if (running?.statementId === message.statementId) void interrupt(running);
    } else if (settings !== undefined) {
      void run(settings, message.statementId, message.statement).catch(endLoudly);
    }
  });

  async function interrupt(statement: Running): Promise<void> {
    statement.isRequested = true;
    const current = await engine;
    const repeat = setInterval(() => {
      if (running !== statement) clearInterval(repeat);
      else current?.connection.interrupt();
    }, interruptIntervalMs);
    if (running === statement) current?.connection.interrupt();
  }

  async function run(limits: ProcessSettings, statementId: number, statement: ProcessStatement) {
    const current: Running = { statementId, isRequested: false };
    running = current;
    const overMemory = {
      kind: 'failure',
      statementId,
      code: 'query_too_large',
      message: 'The query needs more memory than it may use.',
      privateDetail: undefined,
      isSpent: true,
    } as const;
    const memory = watchMemory(limits.memoryLimitBytes, {
      onExceeded: () => void interrupt(current),
      // The parent kills a spent process; exiting from inside would wait for the very thread that ignores
      // interrupts.
      onHopeless: () => channel.send(overMemory),
    });
    const settled = await outcomeOf(limits, statement, current);
    running = undefined;
    const wasExceeded = memory.stop();
    const shown = wasExceeded && settled.kind === 'failure' ? overMemory : settled;
    const isSpent = shown.isSpent || keepsTooMuch(limits.memoryLimitBytes);
    channel.send({ ...shown, isSpent });
  }

  async function outcomeOf(
    limits: ProcessSettings,
    statement: ProcessStatement,
    current: Running,
  ): Promise<StatementOutcome> {
    const { statementId } = current;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const ready = await engineFor(limits, statement);
        const answer = await runStatement(ready, statement, limits.maxAnswerBytes, current);
        return { kind: 'answer', statementId, answer, isSpent: false };
      } catch (error) {
        const { broken, ...failure } = shownFailure(
          error,
          statement.location,
          statement.atVersions.size > 0 || /\bat\b/i.test(statement.sql),
        );
        if (broken === 'engine') {
          await replaceEngine(limits);
          // Reading twice is harmless, and a retry recovers from a lost connection to the catalog.
          if (attempt === 1 && !current.isRequested) continue;
        }
        return { kind: 'failure', statementId, ...failure, isSpent: broken === 'process' };
      }
    }
  }

  async function engineFor(limits: ProcessSettings, statement: ProcessStatement): Promise<Engine> {
    const current = await engine;
    const key = locationKey(statement.location);
    if (current?.attachedTo === key) return current;
    const blank =
      current?.attachedTo === undefined && current !== undefined ? current : await replaceEngine(limits);
    try {
      await attachLake(blank, limits, statement.location);
    } catch (error) {
      throw new LakeUnavailable(error instanceof Error ? error.message : String(error));
    }
    return blank;
  }

  async function replaceEngine(limits: ProcessSettings): Promise<Engine> {
    const old = await engine;
    await old?.ending;
    old?.close();
    engine = openBlankEngine(limits);
    return engine;
  }
}

/** If the engine cannot open, the process cannot serve anything; the parent sees the exit and the reason. */
function endLoudly(error: unknown): void {
  process.stderr.write(`query process: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
