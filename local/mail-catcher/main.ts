import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { createMailbox, readMail } from './mailbox.ts';
import { createMailPage } from './web.ts';

/** Accepts every mail and shows it on a page; nothing leaves the machine. */
const { values } = parseArgs({
  options: { smtp: { type: 'string' }, page: { type: 'string' }, of: { type: 'string' } },
});

/** Encoded size of a mail with attachments of ten megabytes. */
const maxMailBytes = 20_971_520;

const mailbox = createMailbox();
const smtp = new SMTPServer({
  // Any local process may send: there is no login, and a certificate would prove nothing.
  disabledCommands: ['AUTH', 'STARTTLS'],
  authOptional: true,
  disableReverseLookup: true,
  size: maxMailBytes,
  maxClients: 20,
  socketTimeout: 60_000,
  closeTimeout: 500,
  banner: 'Mails are caught here and not delivered',
  onData(stream, { envelope }, answer) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => {
      if (!stream.sizeExceeded) chunks.push(chunk);
    });
    stream.once('error', answer);
    stream.once('end', () => {
      if (stream.sizeExceeded) {
        answer(Object.assign(new Error('The mail is larger than 20 MiB'), { responseCode: 552 }));
        return;
      }
      const source = Buffer.concat(chunks);
      const recipients = envelope.rcptTo.map(({ address }) => address);
      // A mail that cannot be parsed is kept as well; its source can be shown.
      readMail({ source })
        .catch(() => undefined)
        .then((email) => {
          mailbox.add({ recipients, subject: email?.subject ?? '', source });
          answer(null, 'OK: caught');
        });
    });
  },
});
smtp.on('error', (error) => console.error(error.message));
const page = createMailPage(mailbox);

function stop(): void {
  page.close();
  page.closeAllConnections();
  smtp.close(() => process.exit(0));
}
process.once('SIGTERM', stop);
// The supervisor has ended, in whatever way.
process.once('disconnect', stop);

smtp.listen(Number(values.smtp), '127.0.0.1');
page.listen(Number(values.page), '127.0.0.1');
await Promise.all([once(smtp.server, 'listening'), once(page, 'listening')]);
process.send?.({ ready: true });
