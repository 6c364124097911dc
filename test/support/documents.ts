import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { fromBuffer } from 'yauzl';

export interface PdfPage {
  text: string;
  /** Its parts, and their distance from the left edge. */
  parts: { text: string; x: number }[];
  width: number;
  height: number;
  /** Targets of its links. */
  links: string[];
}

/** What a PDF reader finds in it, page by page. */
export async function readPdf(bytes: Uint8Array): Promise<PdfPage[]> {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: VerbosityLevel.ERRORS });
  const document = await task.promise;
  const pages: PdfPage[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const [, , width, height] = page.view as [number, number, number, number];
    const links = (await page.getAnnotations()).flatMap(({ url }: { url?: string }) => url ?? []);
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
    const parts = items.flatMap((item) =>
      'str' in item ? [{ text: item.str, x: item.transform[4] as number }] : [],
    );
    pages.push({ text, parts, width, height, links });
  }
  await task.destroy();
  return pages;
}

/** The parts of a Word package as text, and the names of all of them. */
export function readDocx(bytes: Buffer): Promise<{ names: string[]; text: Record<string, string> }> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      const names: string[] = [];
      const text: Record<string, string> = {};
      zip.on('error', reject);
      zip.on('end', () => resolve({ names, text }));
      zip.on('entry', (entry: { fileName: string }) => {
        names.push(entry.fileName);
        zip.openReadStream(entry as never, (failure, stream) => {
          if (failure) return reject(failure);
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('end', () => {
            if (/\.(?:xml|rels|svg)$/.test(entry.fileName))
              text[entry.fileName] = Buffer.concat(chunks).toString('utf8');
            zip.readEntry();
          });
        });
      });
      zip.readEntry();
    });
  });
}

export const hasProgram = (name: string): boolean =>
  spawnSync(name, ['--version'], { stdio: 'ignore', timeout: 30_000 }).error === undefined;

/** Pages rendered by poppler as greyscale images; each with its share of pixels that are not white. */
export function drawnPages(pdf: Uint8Array): { ink: number }[] {
  return inFolder((folder) => {
    writeFileSync(join(folder, 'a.pdf'), pdf);
    execFileSync('pdftoppm', ['-r', '40', '-gray', join(folder, 'a.pdf'), join(folder, 'page')]);
    const names = readdirSync(folder).filter((name) => name.endsWith('.pgm'));
    return names.sort().map((name) => {
      const image = readFileSync(join(folder, name));
      const header = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(image.toString('latin1', 0, 40))!;
      const pixels = image.subarray(header[0].length);
      let dark = 0;
      for (const pixel of pixels) if (pixel < 250) dark += 1;
      return { ink: dark / pixels.length };
    });
  });
}

/** The document as a PDF with LibreOffice's layout. */
export function officePdf(docx: Buffer): Buffer {
  return inFolder((folder) => {
    writeFileSync(join(folder, 'a.docx'), docx);
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
    execFileSync(
      'soffice',
      [profile, '--headless', '--convert-to', 'pdf', '--outdir', folder, join(folder, 'a.docx')],
      { stdio: 'ignore', timeout: 100_000 },
    );
    return readFileSync(join(folder, 'a.pdf'));
  });
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'document-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
