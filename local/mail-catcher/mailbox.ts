import PostalMime, { type Email } from 'postal-mime';

export interface CaughtMail {
  id: number;
  receivedAt: Date;
  /** The envelope's recipients, regardless of the headers. */
  recipients: readonly string[];
  subject: string;
  source: Buffer;
}

export interface Mailbox {
  add(mail: Pick<CaughtMail, 'recipients' | 'subject' | 'source'>): void;
  /** Newest first. */
  list(): readonly CaughtMail[];
  find(id: number): CaughtMail | undefined;
}

/** The newest mails, in memory; bounded in number and in total bytes. */
export function createMailbox({ maxMails = 200, maxBytes = 67_108_864 } = {}): Mailbox {
  const mails: CaughtMail[] = [];
  let [lastId, heldBytes] = [0, 0];
  return {
    add(mail) {
      lastId += 1;
      heldBytes += mail.source.length;
      mails.unshift({ ...mail, id: lastId, receivedAt: new Date() });
      while (mails.length > maxMails || (heldBytes > maxBytes && mails.length > 1))
        heldBytes -= mails.pop()!.source.length;
    },
    list: () => mails,
    find: (id) => mails.find((mail) => mail.id === id),
  };
}

/** The parser bounds depth and size of headers; the server bounds the size of a mail. */
export function readMail({ source }: Pick<CaughtMail, 'source'>): Promise<Email> {
  return PostalMime.parse(source, { attachmentEncoding: 'arraybuffer' });
}
