import { readText } from '../../../data/objects/read.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { MailBounds, MailPart } from '../../../packages/documents/index.ts';
import type { ReportFormatter } from '../documents/formatter.ts';
import { type DashboardSource, inOrder } from './document.ts';
import type { ShownTile } from './shown.ts';

/**
 * A dashboard as it was read, kept for mails. It isn't read from the page among the project's files, because
 * others can write there, and a mail shows nothing of theirs.
 */
interface Mailed extends DashboardSource {
  /** For clients that show no HTML. */
  text: string;
}

/** A mail shows fewer rows; one more says that there are more. */
const keptRows = 101;
const shownRows = 20;
const maxTextLength = 20_000;

export async function keepMailed(
  objects: Pick<ObjectStore, 'put'>,
  key: string,
  { source, material }: DashboardSource,
  tiles: readonly ShownTile[],
): Promise<void> {
  const results = Object.fromEntries(
    Object.entries(material.results).map(([id, table]) => [
      id,
      { ...table, rows: table.rows.slice(0, keptRows) },
    ]),
  );
  const mailed: Mailed = { source, material: { ...material, results }, text: textOf(source.title, tiles) };
  await objects.put(key, Buffer.from(JSON.stringify(mailed)), 'application/json');
}

/** The dashboard as a part of a mail, and as text. */
export async function mailedDashboard(
  { objects, reportFormats }: { objects: Pick<ObjectStore, 'read'>; reportFormats: ReportFormatter },
  organizationId: string,
  key: string,
): Promise<{ text: string; part(bounds: MailBounds): Promise<MailPart> }> {
  const { source, material, text } = JSON.parse(await readText(objects, key)) as Mailed;
  return {
    text,
    part: (bounds) => reportFormats.mailPart(organizationId, source, bounds, async () => material),
  };
}

function textOf(title: string, tiles: readonly ShownTile[]): string {
  const parts = [title, ...inOrder(tiles).map((tile) => [tile.title, ...linesOf(tile)].join('\n').trim())];
  const text = parts.filter((part) => part !== '').join('\n\n');
  if (text.length <= maxTextLength) return `${text}\n`;
  return `${text.slice(0, maxTextLength).toWellFormed()}…\n`;
}

function linesOf({ shown }: ShownTile): string[] {
  switch (shown.kind) {
    case 'text':
      return [shown.markdown];
    case 'fault':
      return [shown.detail];
    case 'number':
      return [`${shown.text} ${shown.label}`];
    case 'picture':
      return ['[A chart: the HTML part of this mail shows it.]'];
    case 'table': {
      const rows = [shown.columns.map(({ name }) => name), ...shown.rows.slice(0, shownRows)];
      const more = shown.isCut || shown.rows.length > shownRows ? ['…'] : [];
      return [...rows.map((cells) => cells.join(' | ')), ...more];
    }
  }
}
