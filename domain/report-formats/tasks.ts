import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { type SentError, toSent } from '../../data/lake/sent-error.ts';
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
  /** Where what the report refers to is asked for. */
  material: MessagePort;
}

export type FormatAnswer = { document: Uint8Array } | { error: SentError };

const nothing: ReportMaterial = { charts: {}, results: {}, images: {} };

/** What the thread runs: errors go as they can travel. */
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
    const blocks = blocksOf(root, source.title, material);
    return { document: await (format === 'pdf' ? pdfOf(source, blocks) : docxOf(source, blocks)) };
  } catch (error) {
    // The stack of calls is as bounded as everything else.
    return { error: toSent(error instanceof RangeError ? tooDeep(error) : error) };
  } finally {
    port.close();
  }
}
