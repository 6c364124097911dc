import type { KeptRows } from '../../tables/kept-rows/kept-rows.ts';
import type { ExportFormat } from '../report-formats/contract.ts';
import type { Delivery } from './deliveries.ts';

/**
 * What is brought: a revision of a report as a document, a file of the project as it then is, or rows of a
 * query.
 */
export type DeliveredContent =
  | { type: 'report'; reportId: string; revision: number; format: ExportFormat; name: string }
  | { type: 'file'; fileId: string; name: string }
  | { type: 'rows'; rows: KeptRows; format: 'csv' | 'json'; name: string };

export interface MailContent {
  subject: string;
  /**
   * The words themselves, or the Markdown of a report: that is read when the mail is sent, and not kept
   * twice.
   */
  text: string | { reportId: string; revision: number };
  attachments: DeliveredContent[];
}

/** To an incoming webhook of Slack, whose address is a secret of the node. */
export interface SlackContent {
  text: string;
}

export interface WebhookContent {
  url: string;
  payload: unknown;
}

export const slackContentOf = (row: Pick<Delivery, 'content'>) => row.content as unknown as SlackContent;
export const webhookContentOf = (row: Pick<Delivery, 'content'>) => row.content as unknown as WebhookContent;
export const fileContentOf = (row: Pick<Delivery, 'content'>) => row.content as unknown as DeliveredContent;
export const mailContentOf = (row: Pick<Delivery, 'content'>) => row.content as unknown as MailContent;
