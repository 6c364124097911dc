import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { createMailbox, readMail } from './mailbox.ts';
import { createMailPage } from './web.ts';

/** Takes every mail that is sent to it and shows it on a page: nothing leaves the machine. */
const { values } = parseArgs({
  options: { smtp: { type: 'string' }, page: { type: 'string' }, of: { type: 'string' } },
});

/** What a mail with ten megabytes attached comes to, encoded. */
const maxMailBytes = 20_971_520;

const mailbox = createMailbox();
const smtp = new SMTPServer({
  // Whoever is on this machine may send: there is no login, and no certificate that would mean anything.
  disabledCommands: ['AUTH', 'STARTTLS'],
  authOptional: true,
  disableReverseLookup: true,
  size: maxMailBytes,
  maxClients: 20,
  socketTimeout: 60_000,
  closeTimeout: 500,
  banner: 'Mails are caught here, and sent nowhere',
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
      // What cannot be read is kept all the same: its source can.
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
// The supervisor is gone, however it ended.
process.once('disconnect', stop);

smtp.listen(Number(values.smtp), '127.0.0.1');
page.listen(Number(values.page), '127.0.0.1');
await Promise.all([once(smtp.server, 'listening'), once(page, 'listening')]);
process.send?.({ ready: true });
