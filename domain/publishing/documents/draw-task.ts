import { type SentError, toSent } from '../../../data/lake/sent-error.ts';
import { type ChartDocument, chartPng, chartSvg } from '../../../packages/documents/index.ts';
import { asAppError } from './faults.ts';

export type DrawTask = { name: 'svg'; document: ChartDocument } | { name: 'png'; svg: string };
export type DrawAnswer = { output: string | Uint8Array } | { error: SentError };

/** Entry point of the thread: errors are returned in serialised form. */
export async function drawInThread(task: DrawTask): Promise<DrawAnswer> {
  try {
    return { output: await (task.name === 'svg' ? chartSvg(task.document) : chartPng(task.svg)) };
  } catch (error) {
    return { error: toSent(asAppError(error)) };
  }
}
