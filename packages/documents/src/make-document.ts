import type { Root } from 'mdast';
import type { ReportBlocks } from './block.ts';
import type { ExportFormat, ReportMaterial, ReportReferences, ReportSource } from './contract.ts';
import { DocumentFault } from './fault.ts';

const nothing: ReportMaterial = { charts: {}, results: {}, images: {} };

/**
 * A report as self-contained Markdown (UTF-8), PDF, DOCX or a part of an HTML page. `load` is called once,
 * and only if the report refers to something; what it leaves out is shown by its words. The work takes up to
 * seconds of this thread, and loads its libraries and fonts when they are first needed: about 200 MiB.
 *
 * @throws DocumentFault report_too_complex; what `load` throws
 */
export async function makeDocument(
  format: ExportFormat,
  source: ReportSource,
  load: (references: ReportReferences) => Promise<ReportMaterial> = async () => nothing,
): Promise<Uint8Array> {
  const { readMarkdown, tooDeep } = await import('./tree.ts');
  const { referencesOf } = await import('./references.ts');
  try {
    const root = readMarkdown(source.markdown);
    const references = referencesOf(root);
    const isComplete = Object.values(references).every((each) => each.length === 0);
    const material = isComplete ? nothing : await load(references);
    return await written(format, source, root, material);
  } catch (error) {
    // The call stack is limited like everything else.
    throw error instanceof RangeError ? tooDeep(error) : error;
  }
}

async function written(
  format: ExportFormat,
  source: ReportSource,
  root: Root,
  material: ReportMaterial,
): Promise<Uint8Array> {
  if (format === 'markdown') {
    const { selfContained } = await import('./markdown.ts');
    return Buffer.from(selfContained(root, material));
  }
  const { blocksOf } = await import('./blocks.ts');
  const make = await writerOf(format);
  try {
    return await make(source, blocksOf(root, source.title, material));
  } catch (error) {
    if (error instanceof DocumentFault || Object.keys(material.images).length === 0) throw error;
    // An image may be broken in a way that only the document library detects; then the report is written
    // without images.
    return await make(source, blocksOf(root, source.title, { ...material, images: {} }));
  }
}

type Writer = (source: ReportSource, blocks: ReportBlocks) => Promise<Uint8Array>;

async function writerOf(format: 'pdf' | 'docx' | 'html'): Promise<Writer> {
  if (format === 'pdf') return (await import('./pdf/document.ts')).pdfOf;
  if (format === 'html') return (await import('./html.ts')).htmlOf;
  return (await import('./docx/document.ts')).docxOf;
}

/** Paths of the font files that documents use, for those who package them. */
export async function fontPaths(): Promise<string[]> {
  const { fontFiles } = await import('./fonts.ts');
  return Object.values(fontFiles).flatMap((styles) => Object.values(styles));
}
