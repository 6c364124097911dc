import type { ExportFormat } from '../../../packages/documents/index.ts';
import type { StoredRows } from '../../tables/stored-results/stored-results.ts';
import type { Delivery } from './deliveries.ts';

/**
 * The delivered content: a revision of a report as a document, a file of the project as it is at that time,
 * or rows of a query.
 */
export type DeliveredContent =
  | { type: 'report'; reportId: string; revision: number; format: ExportFormat; name: string }
  | { type: 'file'; fileId: string; name: string }
  | { type: 'rows'; rows: StoredRows; format: 'csv' | 'json'; name: string };

/**
 * What a mail shows in itself: a revision of a report, or a dashboard as it was kept
 * (`dashboards/mailed.ts`), whose page is attached if the mail can't show all of it.
 */
export type MailedContent =
  | { type: 'report'; reportId: string; revision: number }
  | { type: 'dashboard'; key: string; page: DeliveredContent & { type: 'file' } };

export interface MailContent {
  subject: string;
  /**
   * The text itself, or a reference to a report, whose Markdown is read when the mail is sent and not stored
   * twice.
   */
  text: string | { reportId: string; revision: number };
  /** What the mail shows below its text; nothing if left out. */
  shows?: MailedContent[];
  attachments: DeliveredContent[];
}

/** A message to an incoming webhook of Slack, whose address is a secret of the node. */
export interface SlackContent {
  text: string;
}

export interface WebhookContent {
  url: string;
  payload: unknown;
}

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    deliveries: {
      content: Document<DeliveredContent | MailContent | SlackContent | WebhookContent>;
    };
  }
}

export const slackContentOf = (row: Pick<Delivery, 'content'>) => row.content as SlackContent;
export const webhookContentOf = (row: Pick<Delivery, 'content'>) => row.content as WebhookContent;
export const fileContentOf = (row: Pick<Delivery, 'content'>) => row.content as DeliveredContent;
export const mailContentOf = (row: Pick<Delivery, 'content'>) => row.content as MailContent;
