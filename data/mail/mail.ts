/** A mail to one address. */
export interface Mail {
  /** The address that takes it: one mailbox, without a name. */
  to: string;
  subject: string;
  text: string;
  attachments: readonly MailAttachment[];
  /** What its Message-ID is made of: the same mail has the same one. */
  id: string;
}

export interface MailAttachment {
  name: string;
  contentType: string;
  bytes: Buffer;
}

/** What became of a mail. Only what is certain is called so. */
export type MailOutcome =
  /** The server has it; `receipt` is what it said. */
  | { kind: 'accepted'; receipt: string }
  /** The server certainly does not have it; `permanent` where another try is no use. */
  | { kind: 'refused'; permanent: boolean; message: string }
  /** The server may have it. */
  | { kind: 'uncertain'; message: string };

/** Servers take little more, and the mail is held in memory. */
export const maxAttachmentsBytes = 10_485_760;

/** Base64 and line ends add a third. */
export const mailTooLarge = 'A mail takes attachments of at most 10 MiB altogether.';
