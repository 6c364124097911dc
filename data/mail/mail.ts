/** A mail to one address. */
export interface Mail {
  /** The recipient: one mailbox, without a name. */
  to: string;
  subject: string;
  text: string;
  /** The same for clients that show HTML, with `cid:` and the ids of pictures where it shows them. */
  html?: string;
  pictures?: readonly (MailAttachment & { cid: string })[];
  attachments: readonly MailAttachment[];
  /** The source of its Message-ID: the same mail has the same one. */
  id: string;
}

export interface MailAttachment {
  name: string;
  contentType: string;
  bytes: Buffer;
}

/** The outcome of sending a mail. Accepted and refused are certain. */
export type MailOutcome =
  /** The server accepted it; `receipt` is its answer. */
  | { kind: 'accepted'; receipt: string }
  /** The server certainly did not take it; `permanent` if another attempt cannot succeed. */
  | { kind: 'refused'; permanent: boolean; message: string }
  /** The server may have it. */
  | { kind: 'uncertain'; message: string };

/** Of pictures and attachments. Servers accept little more, and the mail is held in memory. */
export const maxAttachmentsBytes = 10_485_760;

/** Base64 and line breaks add a third. */
export const mailTooLarge = 'The attachments of an email can have up to 10 MiB in total.';
