import type { Root } from 'mdast';
import type { ReportBlocks } from './block.ts';
import type { ExportFormat, ReportMaterial, ReportReferences, ReportSource } from './contract.ts';
import { DocumentFault } from './fault.ts';
import type { MailBounds, MailPart } from './mail/contract.ts';

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
  return withTree(source, load, (root, material) => written(format, source, root, material));
}

/**
 * A report as a part of a mail, below its title: HTML with the styles that clients of mail understand, and
 * its pictures as PNG and JPEG. What exceeds the bounds is left out.
 *
 * @throws DocumentFault report_too_complex; what `load` throws
 */
export async function makeMailPart(
  source: ReportSource,
  bounds: MailBounds,
  load: (references: ReportReferences) => Promise<ReportMaterial> = async () => nothing,
): Promise<MailPart> {
  const { mailPartOf } = await import('./mail/part.ts');
  return withTree(source, load, async (root, material) =>
    withoutBroken(material, async (usable) => {
      const { blocksOf } = await import('./blocks.ts');
      return mailPartOf(source, blocksOf(root, source.title, usable), bounds);
    }),
  );
}

/** Parses the report, and loads what it refers to. */
async function withTree<Made>(
  { markdown }: ReportSource,
  load: (references: ReportReferences) => Promise<ReportMaterial>,
  make: (root: Root, material: ReportMaterial) => Promise<Made>,
): Promise<Made> {
  const { readMarkdown, tooDeep } = await import('./tree.ts');
  const { referencesOf } = await import('./references.ts');
  try {
    const root = readMarkdown(markdown);
    const references = referencesOf(root);
    const isComplete = Object.values(references).every((each) => each.length === 0);
    return await make(root, isComplete ? nothing : await load(references));
  } catch (error) {
    // The call stack is limited like everything else.
    throw error instanceof RangeError ? tooDeep(error) : error;
  }
}

/**
 * An image may be broken in a way that only the document library detects; then the report is written without
 * images.
 */
async function withoutBroken<Made>(
  material: ReportMaterial,
  make: (material: ReportMaterial) => Promise<Made>,
): Promise<Made> {
  try {
    return await make(material);
  } catch (error) {
    if (error instanceof DocumentFault || Object.keys(material.images).length === 0) throw error;
    return make({ ...material, images: {} });
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
  return withoutBroken(material, (usable) => make(source, blocksOf(root, source.title, usable)));
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
