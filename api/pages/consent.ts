import type { PublicClient } from '../../domain/workspace/logins/public-clients.ts';
import type { Person, ShownPerson } from '../../domain/workspace/people/accounts.ts';
import { type Html, html } from './html.ts';

const scopeInWords: Readonly<Record<string, string>> = {
  'agent:read': 'Read: tables, queries, files, reports',
  'agent:write': 'Change: everything that you can change',
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
${person.memberships.length > 1 ? undefined : html`<dt>Organization</dt><dd>${person.organization}</dd>`}
</dl>
<p>The program can:</p>
<ul>${scopes.map((scope) => html`<li>${scopeInWords[scope] ?? ''} <code>${scope}</code></li>`)}</ul>`;
}

/** The fields of the decision: for which organization, if there are several, and the two answers. */
export const decisionFields = (person: ShownPerson): Html => html`${organizationField(person)}
<div class="buttons">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="deny" class="plain">Deny</button>
</div>`;

function organizationField({ organizationId: current, memberships }: ShownPerson): Html | undefined {
  if (memberships.length < 2) return undefined;
  const options = memberships.map(({ organizationId, organization }) => {
    const selected = organizationId === current ? html` selected` : undefined;
    return html`<option value="${organizationId}"${selected}>${organization}</option>`;
  });
  return html`<label for="organization_id">For the organization</label>
<select id="organization_id" name="organization_id">${options}</select>`;
}

/** Who decides, in the organization that they chose; undefined if they are no member of it. */
export const deciding = (
  { organizationId, userId, memberships }: ShownPerson,
  chosen: string | undefined,
): Person | undefined =>
  chosen === undefined
    ? { organizationId, userId }
    : memberships.find((membership) => membership.organizationId === chosen);
