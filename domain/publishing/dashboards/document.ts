import { newId } from '../../../data/ids.ts';
import {
  type MailBounds,
  mailNote,
  pageOf,
  type ReportMaterial,
  type ReportSource,
} from '../../../packages/documents/index.ts';
import type { ReportFormatter } from '../documents/formatter.ts';
import type { Dashboard } from './dashboards.ts';
import type { ShownTile } from './shown.ts';

/** A dashboard as a report: its tiles one after another, from the top left. */
export interface DashboardSource {
  source: ReportSource;
  material: ReportMaterial;
}

export function sourceOf(dashboard: Dashboard, tiles: readonly ShownTile[]): DashboardSource {
  const material: ReportMaterial = { charts: {}, results: {}, images: {} };
  const parts = inOrder(tiles).map(({ title, shown }) => {
    const heading = title === '' ? '' : `## ${plain(title)}\n\n`;
    return heading + markdownOf(shown, material);
  });
  const markdown = [plain(dashboard.description), ...parts].filter((part) => part !== '').join('\n\n');
  const source = { title: dashboard.name, markdown, writtenAt: new Date().toISOString() };
  return { source, material };
}

/** Tiles from the top left. */
export const inOrder = (tiles: readonly ShownTile[]): ShownTile[] =>
  [...tiles].sort((a, b) => a.tile.y - b.tile.y || a.tile.x - b.tile.x);

/** A dashboard as PDF. */
export function dashboardPdf(
  { reportFormats }: { reportFormats: ReportFormatter },
  dashboard: Dashboard,
  tiles: readonly ShownTile[],
  signal: AbortSignal,
): Promise<Buffer> {
  const { source, material } = sourceOf(dashboard, tiles);
  return reportFormats.format(dashboard.organization_id, 'pdf', source, async () => material, signal);
}

/** So that the page can be attached to a mail. */
const pageBounds: MailBounds = { htmlBytes: 2_097_152, pictureBytes: 2_621_440, tableRows: 500 };

/** A dashboard as a page by itself, like a mail that shows it. */
export async function dashboardPageFile(
  { reportFormats }: { reportFormats: ReportFormatter },
  organizationId: string,
  { source, material }: DashboardSource,
  signal: AbortSignal,
): Promise<Buffer> {
  const part = await reportFormats.mailPart(organizationId, source, pageBounds, async () => material, signal);
  const note = part.isCut ? mailNote('The page ends here because it would be too large.') : '';
  return Buffer.from(pageOf(source.title, { ...part, html: part.html + note }));
}

function markdownOf(shown: ShownTile['shown'], material: ReportMaterial): string {
  switch (shown.kind) {
    case 'text':
      return shown.markdown;
    case 'fault':
      return `*${plain(shown.detail)}*`;
    case 'number':
      return `**${plain(shown.text)}** ${plain(shown.label)}`;
    case 'picture': {
      const id = newId('cht');
      material.charts[id] = shown.svg;
      return `![](chart:${id})`;
    }
    case 'table': {
      const id = newId('res');
      material.results[id] = {
        title: '',
        columns: shown.columns.map(({ name, isNumber }) => ({
          name,
          dataType: isNumber ? 'DOUBLE' : 'STRING',
        })),
        columnCount: shown.columns.length,
        rows: shown.rows,
        isCut: shown.isCut,
      };
      const fault = shown.fault === undefined ? '' : `*${plain(shown.fault)}*\n\n`;
      return `${fault}![](result:${id})`;
    }
  }
}

/** One line of text, whatever it means in Markdown. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .replaceAll(/[!-/:-@[-`{-~]/g, (character) => `\\${character}`);
