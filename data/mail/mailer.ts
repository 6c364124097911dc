import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import {
  type Mail,
  type MailAttachment,
  type MailOutcome,
  mailTooLarge,
  maxAttachmentsBytes,
} from './mail.ts';
import { createSession, type SessionFailure, type SessionTimeouts } from './session.ts';
import { asciiDomain, isMailAddress, type Mailbox, type SmtpServer } from './smtp-url.ts';

export interface SendOptions {
  /**
   * Awaited once the server has accepted sender and recipient, before it gets any of the content. If it
   * rejects, the mail is not sent and `send` rejects with the same error.
   */
  beforeData(): Promise<void>;
}

export interface Mailer {
  /** Sends a mail once. It rejects only with an error of `beforeData`; everything else is an outcome. */
  send(mail: Mail, options: SendOptions): Promise<MailOutcome>;
}

export interface MailerOptions {
  server: SmtpServer;
  from: Mailbox;
  replyTo?: Mailbox;
  timeouts?: Partial<SessionTimeouts>;
}

const chunkBytes = 65_536;
/** Answer to MAIL from a server that requires a login. It concerns the login, not this mail. */
const loginWanted = 530;
/**
 * A server that shuts down sends this to every client, including one waiting for the answer to its content.
 */
const shutsDown = 421;

export const noMailServer = 'There is no mail server. An operator must set SMTP_URL.';

const refused = (message: string): MailOutcome => ({ kind: 'refused', permanent: true, message });

/** Sends mails over SMTP, each in its own session; without a server, every mail is refused. */
export function createMailer(options: MailerOptions | undefined): Mailer {
  if (options === undefined) return { send: async () => refused(noMailServer) };
  const { server, from, replyTo, timeouts = {} } = options;

  async function send(mail: Mail, { beforeData }: SendOptions): Promise<MailOutcome> {
    const message = await compose(mail, from, replyTo);
    const progress: Progress = { before: undefined, hasEnded: false };
    const session = createSession(server, timeouts);
    try {
      await session.open();
      const envelope = { from: from.address, to: [asciiDomain(mail.to)], size: message.length };
      const { response } = await session.deliver(envelope, contentOf(message, beforeData, progress));
      session.quit();
      if (progress.hasEnded) return { kind: 'accepted', receipt: session.shown(response) };
      return {
        kind: 'uncertain',
        message: 'The mail server answered before it had received the whole email.',
      };
    } catch (error) {
      const outcome = outcomeOf(error as SessionFailure, progress, session.shown);
      session.close();
      // The session may fail while `beforeData` is running; the caller gets its outcome only after that has
      // finished.
      await progress.before;
      return outcome;
    }
  }

  return {
    async send(mail, sendOptions) {
      if (!isMailAddress(mail.to)) return refused("This address can't receive email.");
      const sent = [...mail.attachments, ...(mail.pictures ?? [])];
      const sizeBytes = sent.reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (sizeBytes > maxAttachmentsBytes) return refused(mailTooLarge);
      return send(mail, sendOptions);
    },
  };
}

/** How much of the content was sent. */
interface Progress {
  /** The promise of `beforeData`, once called. */
  before: Promise<void> | undefined;
  /**
   * All content was handed over, and the line that ends it may be in transit. Before that, no server can have
   * taken the mail.
   */
  hasEnded: boolean;
}

/** The first read happens when the server has asked for the content, so `beforeData` is called here. */
async function* contentOf(message: Buffer, beforeData: () => Promise<void>, progress: Progress) {
  progress.before = beforeData();
  await progress.before;
  for (let from = 0; from < message.length; from += chunkBytes)
    yield message.subarray(from, from + chunkBytes);
  progress.hasEnded = true;
}

/** Names and addresses are passed as objects: user input is encoded, never parsed as a list or a header. */
function compose(mail: Mail, from: Mailbox, replyTo: Mailbox | undefined): Promise<Buffer> {
  const attached = ({ name, contentType, bytes }: MailAttachment) => ({
    filename: name,
    contentType,
    content: bytes,
  });
  const composed = new MailComposer({
    from,
    to: { name: '', address: mail.to },
    ...(replyTo && { replyTo }),
    text: mail.text,
    ...(mail.html === undefined ? {} : { html: mail.html }),
    messageId: `<${mail.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    // Keeps automatic out-of-office replies from answering it.
    headers: { Subject: subjectHeader(mail.subject), 'Auto-Submitted': 'auto-generated' },
    attachments: [
      ...(mail.pictures ?? []).map((picture) => ({
        ...attached(picture),
        cid: picture.cid,
        contentDisposition: 'inline' as const,
      })),
      ...mail.attachments.map(attached),
    ],
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composed.compile().build();
}

/**
 * A subject that looks like an encoded word (RFC 2047) would be decoded by mail clients, so it is encoded
 * once more.
 */
function subjectHeader(subject: string): string | { prepared: boolean; foldLines: boolean; value: string } {
  if (!subject.includes('=?')) return subject;
  const line = subject.replace(/[\r\n]+/g, ' ');
  return { prepared: true, foldLines: true, value: encodeWord(line, 'B', 52) };
}

function outcomeOf(
  { code, responseCode, message }: SessionFailure,
  { hasEnded }: Progress,
  shown: (text: string) => string,
): MailOutcome {
  // A definite answer to the content: the mail was not taken.
  const isAnswer = code === 'EMESSAGE' && responseCode !== undefined && responseCode !== shutsDown;
  if (hasEnded && !isAnswer)
    return {
      kind: 'uncertain',
      message: `The email was handed to the mail server, but its response is unknown: ${shown(message)}`,
    };
  // A failure of this mail itself; failures of the server, the network or the login may be fixed later.
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isFinal = responseCode === undefined || (responseCode >= 500 && responseCode !== loginWanted);
  return { kind: 'refused', permanent: isOfMail && isFinal, message: shown(message) };
}
