import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { type SentError, toSent } from '../../../data/lake/sent-error.ts';
import {
  type ExportFormat,
  makeDocument,
  type ReportMaterial,
  type ReportReferences,
  type ReportSource,
} from '../../../packages/documents/index.ts';
import { asAppError } from './faults.ts';

export interface FormatTask {
  format: ExportFormat;
  source: ReportSource;
  /** Port for requesting the report's references. */
  material: MessagePort;
}

export type FormatAnswer = { document: Uint8Array } | { error: SentError };

/** Entry point of the thread: errors are returned in serialised form. */
export async function formatInThread({ format, source, material: port }: FormatTask): Promise<FormatAnswer> {
  const load = async (references: ReportReferences): Promise<ReportMaterial> => {
    port.postMessage(references);
    const [material] = (await once(port, 'message')) as [ReportMaterial];
    return material;
  };
  try {
    return { document: await makeDocument(format, source, load) };
  } catch (error) {
    return { error: toSent(asAppError(error)) };
  } finally {
    port.close();
  }
}
