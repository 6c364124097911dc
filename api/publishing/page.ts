import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { gridColumns } from '../../domain/publishing/dashboards/layout.ts';
import type { Shown } from '../../domain/publishing/saved-queries/shown.ts';
import { Html, html } from '../pages/html.ts';

const style = `
:root{color-scheme:light;--ink:#1a1d21;--dim:#565d66;--line:#d5dae1;--paper:#fff;--back:#f3f4f6;--act:#1652c9;--bad:#b3261e}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:90rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.1rem;line-height:1.3;margin:0 0 .5rem}
p,ul,ol,pre,blockquote{margin:0 0 .75rem}
pre{overflow:auto}
img{max-width:100%;height:auto;display:block}
a{color:var(--act)}
form{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;margin:0 0 1rem}
label{font-weight:600}
input,select{display:block;font:inherit;padding:.4rem .5rem;border:1px solid #767d86;border-radius:.3rem;background:var(--paper);color:inherit}
button{font:inherit;font-weight:600;padding:.45rem 1rem;border:1px solid var(--act);border-radius:.3rem;background:var(--act);color:#fff}
.tiles{display:grid;grid-template-columns:repeat(${gridColumns},minmax(0,1fr));gap:1rem}
.tile{background:var(--paper);border:1px solid var(--line);border-radius:.5rem;padding:1rem;min-width:0;overflow:hidden}
.table{overflow:auto;max-height:32rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid var(--line);vertical-align:top}
th{position:sticky;top:0;background:var(--paper)}
.right{text-align:right;font-variant-numeric:tabular-nums}
.center{text-align:center}
.number{font-size:2.5rem;font-weight:600;line-height:1.2;margin:0}
.note{color:var(--dim);font-size:.9rem}
.fault{color:var(--bad)}
@media(max-width:48rem){.tiles{display:block}.tile{margin-bottom:1rem}}
`;

export interface PublishedPage {
  title: string;
  description?: string | undefined;
  body: Html;
  /** Of the page's own parts, by ids that the page made: never text of a user. */
  places?: string;
  /** A form that gives values of filters. */
  form?: Html | undefined;
  /** Sites that may show it in a frame; none by default. */
  frameAncestors?: readonly string[];
}

/**
 * Sends a page of an organization's content. It has no session and no script, loads nothing, and only the
 * named sites can frame it.
 */
export function sendPublished(
  reply: FastifyReply,
  { title, description, body, places = '', form, frameAncestors = [] }: PublishedPage,
): FastifyReply {
  const styles = `${style}${places}`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(styles)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${description === undefined || description === '' ? undefined : html`<p class="note">${description}</p>`}
${form}
${body}
</main>
</body>
</html>
`;
  const hash = createHash('sha256').update(styles).digest('base64');
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    'img-src data:',
    `form-action ${form === undefined ? "'none'" : "'self'"}`,
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ];
  if (frameAncestors.length === 0) reply.header('X-Frame-Options', 'DENY');
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'Content-Security-Policy': policy.join('; '),
      'Cache-Control': 'no-store',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
    })
    .serializer((text: unknown) => text as string)
    .send(page.text);
}

/** Rows as a picture, a number or a table. */
export function shownHtml(shown: Shown, title: string): Html {
  if (shown.kind === 'number')
    return html`<p class="number">${shown.text}</p><p class="note">${shown.label}</p>`;
  if (shown.kind === 'picture') {
    const source = `data:image/svg+xml;base64,${Buffer.from(shown.svg).toString('base64')}`;
    return html`<img alt="${title}" src="${source}">`;
  }
  const { columns, rows, isCut, fault } = shown;
  const classOf = (at: number) => (columns[at]!.isNumber ? html` class="right"` : undefined);
  const head = columns.map(({ name }, at) => html`<th${classOf(at)}>${name}</th>`);
  const lines = rows.map(
    (row) => html`<tr>${row.map((cell, at) => html`<td${classOf(at)}>${cell}</td>`)}</tr>`,
  );
  const note = isCut ? html`<p class="note">Only the first ${rows.length} rows are shown.</p>` : undefined;
  return html`${fault === undefined ? undefined : faultHtml(fault)}<div class="table"><table>
<thead><tr>${head}</tr></thead><tbody>${lines}</tbody></table></div>${note}`;
}

export const faultHtml = (detail: string): Html => html`<p class="fault">${detail}</p>`;
