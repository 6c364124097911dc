import { flushCompileCache } from 'node:module';
import type { Writable } from 'node:stream';
import { keepsTooMuch, watchMemory } from '../../../../data/process-pool/memory.ts';
import { createOutflow, keepByteOrderMarks, type Outflow } from '../../../../packages/row-formats/index.ts';
import { analyzeAll, followRenaming } from '../../../../packages/sql-guard/index.ts';
import { buildFiles } from '../build/build.ts';
import { definedColumnFault } from '../defined-columns.ts';
import { exportFiles } from '../export/export-files.ts';
import { describeStatement } from '../postgres/describe.ts';
import { runCatalog } from '../postgres/run-catalog.ts';
import { openScratch, type Scratch } from '../postgres/scratch.ts';
import { streamRows } from '../stream/stream-rows.ts';
import { attachLake, type Engine, isAttachedTo, openBlankEngine } from './engine.ts';
import { LakeUnavailable, shownFailure, withoutValues } from './failure.ts';
import type {
  FromProcess,
  ProcessSettings,
  SentTask,
  StatementOutcome,
  TaskAnswers,
  ToProcess,
} from './messages.ts';
import { learnPlain, makePlain, type PlainTables } from './plain-tables.ts';
import { openShadow, type Shadow } from './shadow.ts';
import { runStatement } from './statement.ts';
import { type Interruption, stopIfInterrupted } from './transaction.ts';

export interface Channel {
  send(message: FromProcess): void;
  onMessage(listener: (message: ToProcess) => void): void;
  onParentGone(listener: () => void): void;
  /** Takes the pieces of streams; see `stream/frames.ts`. */
  pieces: Writable;
}

interface Running extends Interruption {
  statementId: number;
  outflow: Outflow;
}

type RunMessage = Extract<ToProcess, { kind: 'run' }>;
type Settled = OmitEach<StatementOutcome, 'pieces'>;
type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

keepByteOrderMarks();

/** An interrupt between two steps of a statement is lost, so it is repeated until the statement ends. */
const interruptIntervalMs = 50;

export function serveStatements(channel: Channel): void {
  let settings: ProcessSettings | undefined;
  let engine: Promise<Engine> | undefined;
  let shadow: Promise<Shadow> | undefined;
  let scratch: Scratch | undefined;
  let running: Running | undefined;
  const plainTables: PlainTables = { tables: new Map(), shapes: new Map() };

  // SIGKILL, because an ordinary exit waits for the running statement.
  channel.onParentGone(() => process.kill(process.pid, 'SIGKILL'));
  channel.onMessage((message) => {
    if (message.kind === 'configure') {
      settings = message.settings;
      engine = openBlankEngine(settings);
      engine
        .then(({ extensionsFromFiles }) => channel.send({ kind: 'ready', extensionsFromFiles }))
        .catch(endLoudly);
      // Flushed now, because the process is killed in the end, which would lose the cache for the next one.
      flushCompileCache();
    } else if (message.kind === 'interrupt') {
      if (running?.statementId === message.statementId) void interrupt(running);
    } else if (settings !== undefined) {
      void run(settings, message).catch(endLoudly);
    }
  });

  async function interrupt(statement: Running): Promise<void> {
    statement.isRequested = true;
    statement.outflow.endWaits();
    const current = await engine;
    const binding = await shadow?.catch(() => undefined);
    const stop = () => {
      current?.connection.interrupt();
      binding?.interrupt();
      scratch?.connection.interrupt();
    };
    const repeat = setInterval(() => {
      if (running !== statement) clearInterval(repeat);
      else stop();
    }, interruptIntervalMs);
    if (running === statement) stop();
  }

  async function run(limits: ProcessSettings, { statementId, task, news }: RunMessage) {
    const outflow = createOutflow(channel.pieces, statementId);
    const current: Running = { statementId, isRequested: false, outflow };
    running = current;
    const overMemory = {
      kind: 'failure',
      statementId,
      code: 'query_too_large',
      message: 'The query needs more memory than it may use.',
      privateDetail: undefined,
      isSpent: true,
      pieces: 0,
    } as const;
    const memory = watchMemory(limits.memoryLimitBytes, {
      onExceeded: () => void interrupt(current),
      // The parent kills a spent process; exiting from inside would wait for the very thread that ignores
      // interrupts.
      onHopeless: () => channel.send(overMemory),
    });
    await learnPlain(plainTables, news, (await engine)!);
    const settled = await outcomeOf(limits, task, current);
    running = undefined;
    const wasExceeded = memory.stop();
    const shown = wasExceeded && settled.kind === 'failure' ? overMemory : settled;
    const isSpent = shown.isSpent || keepsTooMuch(limits.memoryLimitBytes);
    channel.send({ ...shown, isSpent, pieces: outflow.sent });
  }

  async function outcomeOf(limits: ProcessSettings, task: SentTask, current: Running): Promise<Settled> {
    const { statementId } = current;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await perform(limits, task, current);
        return { kind: 'answer', statementId, answer, isSpent: false };
      } catch (error) {
        // A file that is being written may be completed when the transaction ends; whoever removes it waits
        // for that.
        if (task.kind === 'build' || task.kind === 'export') await (await engine)?.ending;
        const shown = shownFailure(error, task.location, readsThePast(task));
        const { broken, ...failure } = readsFurther(task) ? withoutValues(shown, error) : shown;
        if (broken === 'engine') {
          await replaceEngine(limits);
          // Reading twice is harmless, and a retry recovers from a lost connection to the catalog.
          if (attempt === 1 && !current.isRequested && current.outflow.sent === 0) continue;
        }
        return { kind: 'failure', statementId, ...failure, isSpent: broken === 'process' };
      }
    }
  }

  async function perform(
    limits: ProcessSettings,
    task: SentTask,
    current: Running,
  ): Promise<TaskAnswers[keyof TaskAnswers]> {
    const stop = () => stopIfInterrupted(current);
    switch (task.kind) {
      case 'run':
        return runStatement(await readyFor(limits, task), task, limits.maxAnswerBytes, current);
      case 'stream':
        return streamRows(await readyFor(limits, task), task, limits.maxAnswerBytes, current);
      case 'describe':
        return describeStatement(await readyFor(limits, task), task, current);
      case 'catalog':
        return runCatalog(await scratchFor(task), task, limits.maxAnswerBytes, current);
      case 'build':
        return buildFiles(await engineFor(limits, task), task, current);
      case 'export':
        return exportFiles(await engineFor(limits, task), task, current);
      case 'analyze':
        return analyzeAll(
          {
            parser: (await engine)!.parser,
            binder: await shadowOf(limits),
            columnFault: definedColumnFault,
            stopIfInterrupted: stop,
          },
          task.definitions,
        );
      case 'rename': {
        const { definition, renaming } = task;
        const { parser } = (await engine)!;
        return { renamed: await followRenaming(parser, await shadowOf(limits), definition, renaming) };
      }
    }
  }

  /** Opened when first needed, and again after it could not be opened. */
  function shadowOf(limits: ProcessSettings): Promise<Shadow> {
    shadow ??= openShadow(limits).catch((error: unknown) => {
      shadow = undefined;
      throw error;
    });
    return shadow;
  }

  /** One at a time: a client asks several questions about the catalog, one after the other. */
  async function scratchFor({ plain, names }: Extract<SentTask, { kind: 'catalog' }>): Promise<Scratch> {
    const keys = plain?.tables ?? [];
    if (scratch?.content === keys.join()) return scratch;
    scratch?.close();
    scratch = undefined;
    scratch = await openScratch(plainTables, keys, names);
    return scratch;
  }

  async function readyFor(
    limits: ProcessSettings,
    task: Extract<SentTask, { kind: 'run' | 'stream' | 'describe' }>,
  ): Promise<Engine> {
    const current = await engineFor(limits, task);
    if (task.plain !== undefined) await makePlain(current, plainTables, task.plain.tables);
    return current;
  }

  async function engineFor(limits: ProcessSettings, { location }: SentTask): Promise<Engine> {
    const current = await engine;
    if (current !== undefined && isAttachedTo(current, location)) return current;
    const blank =
      current?.attachedTo === undefined && current !== undefined ? current : await replaceEngine(limits);
    try {
      await attachLake(blank, limits, location);
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

/** Whether it reads through a view what its caller may not read. */
const readsFurther = (task: SentTask): boolean =>
  'relations' in task && task.relations.some((relation) => relation.readsFurther === true);

function readsThePast(task: SentTask): boolean {
  if (task.kind === 'build' || task.kind === 'export') return true;
  if (task.kind !== 'run' && task.kind !== 'stream' && task.kind !== 'describe') return false;
  return task.atVersions.size > 0 || /\bat\b/i.test(task.sql);
}

/** If the engine cannot open, the process cannot serve anything; the parent sees the exit and the reason. */
function endLoudly(error: unknown): void {
  process.stderr.write(`query process: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
