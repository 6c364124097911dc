import { z } from 'zod';
import type { LakeDeps } from '../../../../data/lake/commit.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import type { ChartDrawer } from '../../../publishing/documents/drawer.ts';
import type { ReportDeps } from '../../../publishing/reports/assets.ts';
import type { AttachedTable } from '../../../tables/catalog-entries/catalog-entries.ts';
import type { QueryDeps } from '../../../tables/query/run.ts';
import type { DataVersion, NewPart } from '../../conversations/messages.ts';

export type ToolDeps = QueryDeps & ReportDeps & { charts: ChartDrawer; lake: LakeDeps };

/** Context of a tool call: its turn, and the tables and versions visible to it. */
export interface ToolCall {
  deps: ToolDeps;
  organizationId: string;
  projectId: string;
  conversationId: string;
  messageId: string;
  /**
   * The part that shows the call. Ids of created resources are derived from it, so that a second attempt
   * creates nothing twice.
   */
  partIndex: number;
  /** The user who asked; the tool's actions are recorded as theirs. */
  callerId: string;
  /** Whose rights the call has, all of them together. */
  actsFor: readonly string[];
  /** When the turn was requested, in ms; part of the ids of created resources. */
  atMs: number;
  tables: readonly AttachedTable[];
  /** Of the tables, and of those behind the views as far as the asker may read them. */
  dataVersions: readonly DataVersion[];
  /** Ids of the tables that the reply has read: those of its earlier calls, and those that this one adds. */
  reads: Set<string>;
  /** The snapshot of the lake at which views are read; undefined if nothing was attached. */
  snapshotId: number | undefined;
  signal: AbortSignal;
}

/** The result of a call. */
export interface ToolAnswer {
  /** Shown to the model, as JSON. */
  output: unknown;
  /** Shown to people, in one line. */
  summary: string;
  resultId?: string;
  /** Writes its results in the transaction that ends the call. */
  record?(db: OrganizationTransaction): Promise<unknown>;
  /** A part it adds to the reply: a chart or a report. */
  part?: Pick<NewPart, 'type' | 'resource_id' | 'title'> & { type: 'chart' | 'report' };
}

export interface Tool {
  name: string;
  description: string;
  input: z.ZodObject;
  run(call: ToolCall, input: unknown): Promise<ToolAnswer>;
}

export function defineTool<Input extends z.ZodObject>(tool: {
  name: string;
  description: string;
  input: Input;
  run(call: ToolCall, input: z.output<Input>): Promise<ToolAnswer>;
}): Tool {
  return tool as unknown as Tool;
}

/** A text given by a model: limited in length, and storable. */
export const text = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .refine(
      (value) => value.isWellFormed() && !value.includes('\0'),
      "The text contains characters that aren't valid.",
    );
