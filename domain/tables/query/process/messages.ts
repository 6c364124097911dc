import type { ErrorCode } from '../../../../data/errors.ts';
import type { PlainTable } from '../../../../data/lake/ducklake/table-layout.ts';
import type { ExtensionSource } from '../../../../data/lake/engine/extensions.ts';
import type { LakeLocation } from '../../../../data/lake/location.ts';
import type { ObjectStoreSettings } from '../../../../data/objects/settings.ts';
import type { RowFormat } from '../../../../packages/row-formats/index.ts';
import type { Analyzed, DefinitionText, Renamed, Renaming } from '../../../../packages/sql-guard/index.ts';
import type { BuildTask, Built } from '../build/contract.ts';
import type { Exported, ExportTask } from '../export/contract.ts';
import type { CatalogAnswer, CatalogTask, Described, DescribeTask } from '../postgres/contract.ts';
import type {
  OnlyCheck,
  PlainReading,
  QueryAnswer,
  QueryParameter,
  QueryRelation,
  ReadingLocation,
} from '../request.ts';
import type { Streamed, StreamTask } from '../stream/contract.ts';

/**
 * The settings sent once to a query process. Secrets are passed only here, never in its environment or
 * arguments.
 */
export interface ProcessSettings extends ExtensionSource {
  objectStore: ObjectStoreSettings;
  /** This process's own folder for spill files. */
  tempDir: string;
  threads: number;
  memoryLimitBytes: number;
  tempLimitBytes: number;
  maxAnswerBytes: number;
}

export interface ProcessStatement {
  kind: 'run';
  location: ReadingLocation;
  plain?: PlainReading | undefined;
  relations: readonly QueryRelation[];
  sql: string;
  parameters: readonly QueryParameter[];
  tableSources: readonly string[];
  limit: number;
  rowFormat: RowFormat;
  atVersions: ReadonlyMap<string, number>;
  onlyCheck?: OnlyCheck | undefined;
}

/** Analyzes definitions over empty tables; nothing is read from the lake. */
export interface AnalyzeTask {
  kind: 'analyze';
  location: LakeLocation;
  definitions: readonly DefinitionText[];
}

/** Follows a renaming in a definition. */
export interface RenameTask {
  kind: 'rename';
  location: LakeLocation;
  definition: DefinitionText;
  renaming: Renaming;
}

/** What a query process can do, one at a time. */
export type ProcessTask = ProcessStatement | StreamTask | DescribeTask | CatalogTask | OtherTask;

type OtherTask = AnalyzeTask | RenameTask | BuildTask | ExportTask;

/** The answer to each kind of task. */
export interface TaskAnswers {
  run: QueryAnswer;
  stream: Streamed;
  describe: Described;
  catalog: CatalogAnswer;
  analyze: Analyzed[];
  rename: { renamed: Renamed };
  build: Built;
  export: Exported;
}

export type AnswerOf<Task extends ProcessTask> = TaskAnswers[Task['kind']];

/** Tables that a process gets to know, and those that no statement will name any more. */
export interface PlainTableNews {
  tables: readonly PlainTable[];
  forgotten: readonly string[];
}

export type ToProcess =
  | { kind: 'configure'; settings: ProcessSettings }
  | { kind: 'run'; statementId: number; task: SentTask; news: PlainTableNews }
  | { kind: 'interrupt'; statementId: number };

/** A task as a process gets it: plain tables by their keys, since it knows them already. */
export type SentTask =
  | WithKeys<ProcessStatement>
  | WithKeys<StreamTask>
  | WithKeys<DescribeTask>
  | WithKeys<CatalogTask>
  | OtherTask;

type WithKeys<Task extends { plain?: PlainReading | undefined }> = Omit<Task, 'plain'> & {
  plain?: PlainReading<string> | undefined;
};

/** What every outcome of a statement says. */
interface Ended {
  statementId: number;
  /** The process should not be given another statement, for example because it holds too much memory. */
  isSpent: boolean;
  /** Number of pieces that it sent, which come by another way; the outcome is theirs too. */
  pieces: number;
}

export type FromProcess =
  /** With the extensions that it has loaded from files of the configured folder. */
  | { kind: 'ready'; extensionsFromFiles: readonly string[] }
  | ({ kind: 'answer'; answer: TaskAnswers[keyof TaskAnswers] } & Ended)
  | ({
      kind: 'failure';
      code: ErrorCode;
      message: string;
      /** The engine's own message, for the log; absent if it is `message`. */
      privateDetail: string | undefined;
    } & Ended);

export type StatementOutcome = Extract<FromProcess, { kind: 'answer' | 'failure' }>;
