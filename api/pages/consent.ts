import type { PublicClient } from '../../domain/workspace/logins/public-clients.ts';
import type { ShownPerson } from '../../domain/workspace/people/accounts.ts';
import { type Html, html } from './html.ts';

const scopeInWords: Readonly<Record<string, string>> = {
  'agent:read': 'Read: tables, queries, files, reports',
  'agent:write': 'Change: everything you may change',
  'tables:append': 'Append rows to tables',
};

/** What a person is asked to approve: which program, from where, as whom, and what it may do. */
export function consent({
  client,
  from,
  person,
  scopes,
}: {
  client: Pick<PublicClient, 'id' | 'name' | 'isSelfRegistered'>;
  from: { label: string; value: string };
  person: ShownPerson;
  scopes: readonly string[];
}): Html {
  return html`<dl>
<dt>Program</dt><dd>${client.isSelfRegistered === true ? html`calls itself “${client.name}”; nobody has checked that` : html`${client.name} (<code>${client.id}</code>)`}</dd>
<dt>${from.label}</dt><dd>${from.value}</dd>
<dt>Acts as</dt><dd>${person.name} (${person.email})</dd>
<dt>Organization</dt><dd>${person.organization}</dd>
</dl>
<p>It may:</p>
<ul>${scopes.map((scope) => html`<li>${scopeInWords[scope] ?? ''} <code>${scope}</code></li>`)}</ul>`;
}

/** The two answers, which are fields of the form around them. */
export const decisionButtons = html`<div class="buttons">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="deny" class="plain">Deny</button>
</div>`;
