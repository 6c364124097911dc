import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { AppError } from '../../../data/errors.ts';
import { type SentError, toSent } from '../../../data/lake/sent-error.ts';
import { blocksOf } from './blocks.ts';
import type { ExportFormat, ReportMaterial, ReportSource } from './contract.ts';
import { docxOf } from './docx/document.ts';
import { selfContained } from './markdown.ts';
import { pdfOf } from './pdf/document.ts';
import { referencesOf } from './references.ts';
import { readMarkdown, tooDeep } from './tree.ts';

export interface FormatTask {
  format: ExportFormat;
  source: ReportSource;
  /** Port for requesting the report's references. */
  material: MessagePort;
}

export type FormatAnswer = { document: Uint8Array } | { error: SentError };

const nothing: ReportMaterial = { charts: {}, results: {}, images: {} };

/** Entry point of the thread: errors are returned in serialised form. */
export async function formatInThread({ format, source, material: port }: FormatTask): Promise<FormatAnswer> {
  try {
    const root = readMarkdown(source.markdown);
    const references = referencesOf(root);
    let material = nothing;
    if (Object.values(references).some((each) => each.length > 0)) {
      port.postMessage(references);
      [material] = (await once(port, 'message')) as [ReportMaterial];
    }
    if (format === 'markdown') return { document: Buffer.from(selfContained(root, material)) };
    const make = format === 'pdf' ? pdfOf : docxOf;
    try {
      return { document: await make(source, blocksOf(root, source.title, material)) };
    } catch (error) {
      if (error instanceof AppError || Object.keys(material.images).length === 0) throw error;
      // An image may be broken in a way that only the document library detects; then the report is written
      // without images.
      const inWords = { ...material, images: {} };
      return { document: await make(source, blocksOf(root, source.title, inWords)) };
    }
  } catch (error) {
    // The call stack is limited like everything else.
    return { error: toSent(error instanceof RangeError ? tooDeep(error) : error) };
  } finally {
    port.close();
  }
}
