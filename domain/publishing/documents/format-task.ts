import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { type SentError, toSent } from '../../../data/lake/sent-error.ts';
import {
  type ExportFormat,
  type MailBounds,
  type MailPart,
  makeDocument,
  makeMailPart,
  type ReportMaterial,
  type ReportReferences,
  type ReportSource,
} from '../../../packages/documents/index.ts';
import { asAppError } from './faults.ts';

/** A document, or a part of a mail. */
export type Wanted = { format: ExportFormat } | { format: 'mail'; bounds: MailBounds };

export interface FormatTask {
  wanted: Wanted;
  source: ReportSource;
  /** Port for requesting the report's references. */
  material: MessagePort;
}

export type Formatted = { document: Uint8Array } | { part: MailPart };
export type FormatAnswer = Formatted | { error: SentError };

/** Entry point of the thread: errors are returned in serialised form. */
export async function formatInThread({ wanted, source, material: port }: FormatTask): Promise<FormatAnswer> {
  const load = async (references: ReportReferences): Promise<ReportMaterial> => {
    port.postMessage(references);
    const [material] = (await once(port, 'message')) as [ReportMaterial];
    return material;
  };
  try {
    if (wanted.format === 'mail') return { part: await makeMailPart(source, wanted.bounds, load) };
    return { document: await makeDocument(wanted.format, source, load) };
  } catch (error) {
    return { error: toSent(asAppError(error)) };
  } finally {
    port.close();
  }
}
