import { createHash, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { hashSecret, newSecret } from '../../../data/encryption.ts';
import { newId } from '../../../data/ids.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { records } from '../../../data/postgres/records.ts';
import { lockLiveSession, lockPersonOf } from '../people/sessions.ts';
import { beginLogin, endReusedLogin, type NewLogin, type Refreshed } from './logins.ts';

const codes = records('authorization_codes', { prefix: 'cod', what: 'The authorization code' });

const codeSeconds = 60;

export interface NewCode extends NewLogin {
  redirectUri: string;
  /** The S256 challenge of RFC 7636. */
  codeChallenge: string;
}

/** A code for what a person has approved, valid for a minute and once; only its hash is stored. */
export async function issueCode(db: Database, given: NewCode): Promise<string> {
  const { organizationId, userId, clientId, redirectUri, codeChallenge, scopes, address } = given;
  const code = newSecret('wac');
  await inOrganization(db, organizationId, (transaction) =>
    codes.insert(transaction, {
      organization_id: organizationId,
      id: newId('cod'),
      code_hash: hashSecret(code),
      user_id: userId,
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: codeChallenge,
      scopes,
      address,
      page_session_id: given.pageSessionId ?? null,
      expires_at: new Date(Date.now() + codeSeconds * 1_000),
    }),
  );
  return code;
}

export interface Redemption {
  code: string;
  clientId: string;
  redirectUri: string;
  verifier: string;
}

/**
 * The tokens of a code; undefined if it changes nothing. Whoever presents a code uses it up, also with a
 * wrong verifier, and a code presented a second time ends the login that it gave: one of the two had copied
 * it.
 */
export async function redeemCode(
  db: Database,
  { code, clientId, redirectUri, verifier }: Redemption,
): Promise<Refreshed | undefined> {
  const { rows } = await sql<{ organization_id: string; id: string }>`
    SELECT * FROM find_authorization_code(${hashSecret(code)})`.execute(db);
  const [found] = rows;
  if (found === undefined) return undefined;
  const { organization_id: organizationId, id } = found;
  return inOrganization(db, organizationId, async (transaction) => {
    await lockPersonOf(transaction, 'authorization_codes', { organizationId, id });
    // Two that present it at once meet at this lock: the second one finds it used.
    const row = await codes.find(transaction, organizationId, id, 'update');
    if (row === undefined || row.client_id !== clientId) return undefined;
    const person = { organizationId, userId: row.user_id };
    if (row.used_at !== null) {
      if (row.login_id === null) return undefined;
      await endReusedLogin(transaction, person, row.login_id);
      return { organizationId, tokens: undefined };
    }
    const { scopes, address, page_session_id: pageSessionId } = row;
    const isRight =
      row.expires_at.getTime() > Date.now() &&
      row.redirect_uri === redirectUri &&
      matchesChallenge(verifier, row.code_challenge) &&
      // A login of the console ends with the session of the pages, also one that had still to begin.
      (pageSessionId === null || (await lockLiveSession(transaction, { organizationId, id: pageSessionId })));
    const begun = isRight
      ? await beginLogin(transaction, { ...person, clientId, scopes, address, pageSessionId })
      : undefined;
    await codes.update(transaction, organizationId, id, {
      used_at: new Date(),
      login_id: begun?.loginId ?? null,
    });
    return begun && { organizationId, tokens: begun.tokens };
  });
}

/** RFC 7636 §4.6, S256. */
function matchesChallenge(verifier: string, challenge: string): boolean {
  const hashed = createHash('sha256').update(verifier).digest();
  const wanted = Buffer.from(challenge, 'base64url');
  return hashed.length === wanted.length && timingSafeEqual(hashed, wanted);
}
