import { newId } from '../../../data/ids.ts';
import type { ReportMaterial } from '../../../packages/documents/index.ts';
import type { ReportFormatter } from '../documents/formatter.ts';
import type { Dashboard } from './dashboards.ts';
import type { ShownTile } from './shown.ts';

/** A dashboard as PDF: its tiles one after another, from the top left. */
export function dashboardPdf(
  { reportFormats }: { reportFormats: ReportFormatter },
  dashboard: Dashboard,
  tiles: readonly ShownTile[],
  signal: AbortSignal,
): Promise<Buffer> {
  const material: ReportMaterial = { charts: {}, results: {}, images: {} };
  const parts = [...tiles]
    .sort((a, b) => a.tile.y - b.tile.y || a.tile.x - b.tile.x)
    .map(({ title, shown }) => {
      const heading = title === '' ? '' : `## ${plain(title)}\n\n`;
      return heading + markdownOf(shown, material);
    });
  const markdown = [plain(dashboard.description), ...parts].filter((part) => part !== '').join('\n\n');
  const source = { title: dashboard.name, markdown, writtenAt: new Date().toISOString() };
  return reportFormats.format(dashboard.organization_id, 'pdf', source, async () => material, signal);
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
