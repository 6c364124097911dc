import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Html, html } from './html.ts';

const style = `
:root{color-scheme:light dark;--ink:#1a1d21;--dim:#565d66;--line:#767d86;--paper:#fff;--back:#f3f4f6;--act:#1652c9;--on-act:#fff;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#eceef1;--dim:#aab1ba;--line:#8a929c;--paper:#1d2025;--back:#121417;--act:#8ab4ff;--on-act:#0d1a33;--bad:#ff9a92}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:26rem;margin:8vh auto;padding:2rem;background:var(--paper);border-radius:.75rem}
@media(max-width:30rem){main{margin:0;min-height:100vh;border-radius:0;padding:1.5rem}}
h1{font-size:1.4rem;line-height:1.25;margin:0 0 1rem}
p,dl,ul{margin:0 0 1rem}
label{display:block;font-weight:600;margin-bottom:.25rem}
input,select{width:100%;font:inherit;padding:.6rem .7rem;margin-bottom:1rem;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:.4rem}
input[readonly]{background:var(--back);border-color:var(--back)}
input[aria-invalid]{border-color:var(--bad)}
button{font:inherit;font-weight:600;padding:.6rem 1.2rem;border:1px solid var(--act);border-radius:.4rem;background:var(--act);color:var(--on-act);cursor:pointer}
button.plain{background:none;color:var(--act)}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
.buttons{display:flex;gap:.75rem;flex-wrap:wrap}
.choices{display:grid;gap:.75rem}
.hint{color:var(--dim);font-size:.9rem;margin-top:-.75rem}
.fault{color:var(--bad);font-weight:600}
dt{color:var(--dim);font-size:.9rem}dd{margin:0 0 .6rem}
a{color:var(--act)}
.code{font-family:ui-monospace,monospace;letter-spacing:.1em}
`;
const styleHash = createHash('sha256').update(style).digest('base64');
const policy = (formTarget = '') =>
  [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action 'self' ${formTarget}`.trim(),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

export interface Page {
  title: string;
  body: Html;
  /** What is wrong with the form that was sent. */
  fault?: string | undefined;
  /** The default is 200, or 422 with a fault. */
  status?: number | undefined;
  /** Where forms of the page may lead besides this site, as in a content security policy. */
  formTarget?: string;
  /** An address that is loaded at once instead. */
  refreshTo?: string;
}

/** Sends a page: nothing of it is framed, scripted or passed on as a referrer. */
export function sendPage(
  reply: FastifyReply,
  { title, body, fault, status = fault === undefined ? 200 : 422, formTarget, refreshTo }: Page,
): FastifyReply {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refreshTo === undefined ? undefined : html`<meta http-equiv="refresh" content="0; url=${refreshTo}">`}
<title>${fault === undefined ? '' : 'Error: '}${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({
      'Content-Security-Policy': policy(formTarget),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
    })
    .serializer((text: unknown) => text as string)
    .send(page.text);
}

/** Leads on to another page or site by a page of its own, which browsers take for a new beginning. */
export const sendOnward = (reply: FastifyReply, to: string): FastifyReply =>
  sendPage(reply, {
    title: 'One moment',
    body: html`<p><a href="${to}">Continue</a></p>`,
    refreshTo: to,
  });

/**
 * Whether a link of another site led here. Browsers do not send the cookies of a session along then; they do
 * once a page of this site has led here again.
 */
export const isFromElsewhere = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'cross-site';

/** The answer to a one-time address that nobody can use. */
export function sendNotUsable(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    title: "This link doesn't work",
    body: html`<p>The link was used, has expired or was never valid.</p><p><a href="/sign-in">Sign in</a></p>`,
    status: 404,
  });
}

/** A fault of a form; the fields that it is about are `describedBy` it. */
export function faultText(fault: string | undefined): Html | undefined {
  return fault === undefined ? undefined : html`<p class="fault" id="fault">${fault}</p>`;
}

interface FieldNotes {
  /** The id of a text below the field. */
  hint?: string;
  /** Left out, the field with the fault has the focus. */
  isFocused?: boolean;
}

/** Attributes of a field by which screen readers announce the form's fault with it, and a hint. */
export function describedBy(
  fault: string | undefined,
  { hint, isFocused = true }: FieldNotes = {},
): Html | undefined {
  if (fault === undefined) return hint === undefined ? undefined : html` aria-describedby="${hint}"`;
  const ids = ['fault', hint].filter(Boolean).join(' ');
  const focus = isFocused ? html` autofocus` : undefined;
  return html` aria-invalid="true" aria-describedby="${ids}"${focus}`;
}
