import type { Email } from 'postal-mime';
import type { CaughtMail } from './mailbox.ts';

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #ddd;
vertical-align:top;overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f6f6;padding:1rem}`;

const kept =
  "The newest 200 mails that this stack sent. They weren't delivered to anybody, and they are deleted when the stack stops.";

export interface ReadMail {
  mail: CaughtMail;
  email: Email;
}

export function listPage(mails: readonly CaughtMail[]): string {
  const rows = mails.map((mail) => {
    const subject = mail.subject === '' ? '(no subject)' : mail.subject;
    return `<tr><td>${timeOf(mail)}</td><td>${text(mail.recipients.join(', '))}</td>
<td><a href="/mails/${mail.id}">${text(subject)}</a></td></tr>`;
  });
  const table = `<table><tr><th>Received</th><th>To</th><th>Subject</th></tr>${rows.join('\n')}</table>`;
  return page('Mails', `<h1>Mails</h1><p>${kept}</p>${rows.length === 0 ? '<p>None yet.</p>' : table}`);
}

/** The content of a mail is shown as text only, never as part of the page. */
export function mailPage({ mail, email }: ReadMail): string {
  const { from, subject = '', messageId = '', attachments } = email;
  const fields: [string, string][] = [
    ['From', from === undefined ? '' : `${from.name} <${from.address ?? ''}>`],
    ['To', mail.recipients.join(', ')],
    ['Subject', subject],
    ['Message-ID', messageId],
  ];
  const links = attachments.map((attachment, index) => {
    const name = nameOf(attachment.filename);
    return `<li><a href="/mails/${mail.id}/attachments/${index}">${text(name)}</a> (${text(attachment.mimeType)})</li>`;
  });
  const table = fields.map(([name, value]) => `<tr><th>${name}</th><td>${text(value)}</td></tr>`).join('\n');
  return page(
    subject,
    `<p><a href="/">All mails</a></p><table><tr><th>Received</th><td>${timeOf(mail)}</td></tr>${table}</table>
<pre>${text(email.text ?? email.html ?? '')}</pre>
${links.length === 0 ? '' : `<p>Attached:</p><ul>${links.join('\n')}</ul>`}<p>${
      email.html === undefined ? '' : `<a href="/mails/${mail.id}/html">HTML</a> · `
    }<a href="/mails/${mail.id}/source">Source</a></p>`,
  );
}

/** The HTML of a mail with its pictures. */
export function htmlOf({ html = '', attachments }: Email): string {
  const sources = new Map(
    attachments.flatMap(({ contentId, mimeType, content }): [string, string][] =>
      contentId === undefined || !/^image\/\w+$/.test(mimeType)
        ? []
        : [
            [
              contentId.replace(/^<|>$/g, ''),
              `data:${mimeType};base64,${Buffer.from(content as ArrayBuffer).toString('base64')}`,
            ],
          ],
    ),
  );
  return html.replaceAll(/ src="cid:([^"]+)"/g, (all, id: string) =>
    sources.has(id) ? ` src="${sources.get(id)}"` : all,
  );
}

/** A file name from a mail, made valid for a header. */
export function nameOf(filename: string | null | undefined): string {
  const name = (filename ?? '').toWellFormed().replace(/[/\\]/g, '-');
  return name === '' ? 'attachment' : name;
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text(title)}</title><style>${style}</style><body>${body}</body></html>\n`;
}

const timeOf = ({ receivedAt }: CaughtMail) => receivedAt.toISOString().replace('T', ' ').slice(0, 19);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function text(value: string): string {
  return value.replace(/[&<>"]/g, (character) => entities[character]!);
}
