import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import { type Mail, type MailOutcome, mailTooLarge, maxAttachmentsBytes } from './mail.ts';
import { createSession, type SessionFailure, type SessionTimeouts } from './session.ts';
import { asciiDomain, isMailAddress, type Mailbox, type SmtpServer } from './smtp-url.ts';

export interface SendOptions {
  /**
   * Awaited when the server has accepted sender and recipient, before it gets any of the content. Where it
   * rejects, the mail is not sent, and `send` rejects with the same.
   */
  beforeData(): Promise<void>;
}

export interface Mailer {
  /**
   * Sends a mail, once. It rejects with what `beforeData` rejects with alone: everything else is an outcome.
   */
  send(mail: Mail, options: SendOptions): Promise<MailOutcome>;
}

export interface MailerOptions {
  server: SmtpServer;
  from: Mailbox;
  replyTo?: Mailbox;
  timeouts?: Partial<SessionTimeouts>;
}

const chunkBytes = 65_536;
/**
 * An answer to MAIL of a server that sends for its own users alone: about the login, whichever mail it is.
 */
const loginWanted = 530;
/**
 * A server that shuts down says it to whoever is connected, a client that waits for its content's answer too.
 */
const shutsDown = 421;

export const noMailServer = 'No mail server is set: an operator sets SMTP_URL.';

const refused = (message: string): MailOutcome => ({ kind: 'refused', permanent: true, message });

/** Sends mails over SMTP, each in a session of its own; without a server, every mail is refused. */
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
      return { kind: 'uncertain', message: 'The mail server answered before it had the whole mail.' };
    } catch (error) {
      const outcome = outcomeOf(error as SessionFailure, progress, session.shown);
      session.close();
      // The session may fail while this is under way: whoever asked must not be answered before it has come
      // out.
      await progress.before;
      return outcome;
    }
  }

  return {
    async send(mail, sendOptions) {
      if (!isMailAddress(mail.to)) return refused('The address is not one that a mail can be sent to.');
      const sizeBytes = mail.attachments.reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (sizeBytes > maxAttachmentsBytes) return refused(mailTooLarge);
      return send(mail, sendOptions);
    },
  };
}

/** How far the content came. */
interface Progress {
  /** `beforeData`, once it was called. */
  before: Promise<void> | undefined;
  /**
   * All of it was handed over: the line that ends it may be under way. Before, no server can have taken the
   * mail.
   */
  hasEnded: boolean;
}

/** It is read from its beginning when the server has asked for it, so this is where `beforeData` belongs. */
async function* contentOf(message: Buffer, beforeData: () => Promise<void>, progress: Progress) {
  progress.before = beforeData();
  await progress.before;
  for (let from = 0; from < message.length; from += chunkBytes)
    yield message.subarray(from, from + chunkBytes);
  progress.hasEnded = true;
}

/** Names and addresses go as objects: what callers wrote is encoded, never parsed as a list or a header. */
function compose(mail: Mail, from: Mailbox, replyTo: Mailbox | undefined): Promise<Buffer> {
  const composed = new MailComposer({
    from,
    to: { name: '', address: mail.to },
    ...(replyTo && { replyTo }),
    text: mail.text,
    messageId: `<${mail.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    // Receivers' rules for absences do not answer what a machine sent.
    headers: { Subject: subjectHeader(mail.subject), 'Auto-Submitted': 'auto-generated' },
    attachments: mail.attachments.map(({ name, contentType, bytes }) => ({
      filename: name,
      contentType,
      content: bytes,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composed.compile().build();
}

/**
 * A text that looks like an encoded word (RFC 2047) would be decoded by whoever shows it: it is encoded once
 * more.
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
  // An answer to the content: it says that the mail was not taken.
  const isAnswer = code === 'EMESSAGE' && responseCode !== undefined && responseCode !== shutsDown;
  if (hasEnded && !isAnswer)
    return {
      kind: 'uncertain',
      message: `The mail was handed over, and its server's answer is not known: ${shown(message)}`,
    };
  // About this mail, and not about the server, the network or the login, which somebody may mend.
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isFinal = responseCode === undefined || (responseCode >= 500 && responseCode !== loginWanted);
  return { kind: 'refused', permanent: isOfMail && isFinal, message: shown(message) };
}
