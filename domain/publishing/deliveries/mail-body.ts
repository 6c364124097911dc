import { AppError, isRetryable } from '../../../data/errors.ts';
import type { Mail } from '../../../data/mail/mail.ts';
import { type MailPart, mailNote, mailPage, mailText } from '../../../packages/documents/index.ts';
import { mailedDashboard } from '../dashboards/mailed.ts';
import { type ExportDeps, mailReport } from '../reports/export.ts';
import type { DeliveredContent, MailContent, MailedContent } from './content.ts';
import type { Delivery } from './deliveries.ts';
import { reportOf, textOf } from './load.ts';

/** Gmail hides what follows the first 102 kB of a mail. */
const maxHtmlBytes = 100_000;
/** The page around the parts with their notes and the subject, which is in the page as its title. */
const pageBytes = 6_000;
/** Less has no room for a title and something below it. */
const leastPartBytes = 3_000;
const longestTitle = 300;
const tableRows = 100;

export interface MailBody extends Pick<Mail, 'text' | 'html' | 'pictures'> {
  /** Attached because the mail doesn't show all of it. */
  pages: DeliveredContent[];
}

/** What is shown of a part, and what is said if that isn't all. */
interface Part {
  text: string;
  make(bounds: { htmlBytes: number; pictureBytes: number }): Promise<MailPart>;
  cutNote: string;
  page?: DeliveredContent;
}

/** What a mail shows, as text and as HTML with its pictures, which take at most `pictureBytes`. */
export async function mailBodyOf(
  deps: ExportDeps,
  row: Pick<Delivery, 'organization_id' | 'project_id'>,
  { subject, text, shows = [] }: MailContent,
  pictureBytes: number,
): Promise<MailBody> {
  const parts = typeof text === 'string' ? (text.trim() === '' ? [] : [ownText(text)]) : [];
  const shown: MailedContent[] = [
    ...(typeof text === 'string' ? [] : [{ type: 'report' as const, ...text }]),
    ...shows,
  ];
  for (const each of shown) parts.push(await partOf(deps, row, each));
  const plain = parts.map((part) => part.text).join('\n');
  try {
    return { text: plain, ...(await htmlOf(subject, parts, pictureBytes)) };
  } catch (error) {
    // What is too complex to be shown is attached, as it would be without HTML.
    if (!(error instanceof AppError) || isRetryable(error)) throw error;
    return { text: plain, pages: parts.flatMap(({ page }) => page ?? []) };
  }
}

async function htmlOf(subject: string, parts: readonly Part[], pictureBytes: number) {
  const html: string[] = [];
  const pictures = new Map<string, MailPart['pictures'][number]>();
  const pages: DeliveredContent[] = [];
  let [leftHtml, leftPictures] = [maxHtmlBytes - pageBytes, pictureBytes];
  for (const [index, { make, cutNote, page }] of parts.entries()) {
    if (leftHtml < leastPartBytes) {
      html.push(mailNote('This mail is cut here. Everything else is attached.'));
      pages.push(...parts.slice(index).flatMap((part) => part.page ?? []));
      break;
    }
    const made = await make({ htmlBytes: leftHtml, pictureBytes: leftPictures });
    html.push(made.html);
    leftHtml -= Buffer.byteLength(made.html);
    for (const picture of made.pictures) {
      if (!pictures.has(picture.cid)) leftPictures -= picture.bytes.length;
      pictures.set(picture.cid, picture);
    }
    if (!made.isCut) continue;
    html.push(mailNote(cutNote));
    leftHtml -= Buffer.byteLength(mailNote(cutNote));
    if (page !== undefined) pages.push(page);
  }
  const shown = [...pictures.values()].map(({ bytes, ...picture }) => ({
    ...picture,
    bytes: Buffer.from(bytes),
  }));
  return { html: mailPage(subject.slice(0, longestTitle), html), pictures: shown, pages };
}

const ownText = (text: string): Part => ({
  text,
  make: async ({ htmlBytes }) => mailText(text, htmlBytes),
  cutNote: 'The text is cut here. The plain text of this mail has all of it.',
});

async function partOf(
  deps: ExportDeps,
  row: Pick<Delivery, 'organization_id' | 'project_id'>,
  shown: MailedContent,
): Promise<Part> {
  if (shown.type === 'report') {
    const { report, version } = await reportOf(deps, row, shown);
    return {
      text: textOf(version),
      make: (bounds) => mailReport(deps, report, version, { ...bounds, tableRows }),
      cutNote: 'This mail shows only a part of the report. The complete report is attached.',
    };
  }
  const { text, part } = await mailedDashboard(deps, row.organization_id, shown.key);
  return {
    text,
    make: (bounds) => part({ ...bounds, tableRows }),
    cutNote: 'This mail shows only a part of the dashboard. The complete page is attached.',
    page: shown.page,
  };
}
