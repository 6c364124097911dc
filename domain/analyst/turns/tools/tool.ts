import { z } from 'zod';
import type { LakeDeps } from '../../../../data/lake/commit.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import type { ChartDrawer } from '../../../publishing/charts/draw.ts';
import type { ReportDeps } from '../../../publishing/reports/assets.ts';
import type { AttachedTable } from '../../../tables/catalog-entries/catalog-entries.ts';
import type { QueryDeps } from '../../../tables/query/run.ts';
import type { DataVersion, NewPart } from '../../conversations/messages.ts';

export type ToolDeps = QueryDeps & ReportDeps & { charts: ChartDrawer; lake: LakeDeps };

/** What a call of a tool works with: its turn, what that may see, and at which versions. */
export interface ToolCall {
  deps: ToolDeps;
  organizationId: string;
  projectId: string;
  conversationId: string;
  messageId: string;
  /**
   * The part that shows the call. What a call makes is named after it, so that a second try makes nothing
   * twice.
   */
  partIndex: number;
  /** Who asked: what the tool does is recorded as theirs. */
  callerId: string;
  /** When the turn was asked for, in ms: part of the ids of what it makes. */
  atMs: number;
  tables: readonly AttachedTable[];
  dataVersions: readonly DataVersion[];
  signal: AbortSignal;
}

/** What a call came to. */
export interface ToolAnswer {
  /** Told to the model, as JSON. */
  output: unknown;
  /** Told to people, in a line. */
  summary: string;
  resultId?: string;
  /** Writes what it made in the transaction that ends the call. */
  record?(db: OrganizationTransaction): Promise<unknown>;
  /** What it adds to the reply: a chart, a report. */
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

/** A text that a model gives: bounded, and one that stores can keep. */
export const text = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'It holds characters that are none.');
