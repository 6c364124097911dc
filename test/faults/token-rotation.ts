/**
 * Kills the API, or PostgreSQL, while logins are refreshed, and looks at what is left of each:
 *
 *   node test/faults/token-rotation.ts [rounds]
 *
 * A refresh whose answer was lost has either not happened, and its token still works, or has, and presenting
 * the token again ends the login. A login never has two valid refresh tokens, and one whose last refresh was
 * answered is never lost. Exits with 1 if that does not hold.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { hashSecret, newSecret } from '../../data/encryption.ts';
import { newId } from '../../data/ids.ts';
import { createJournal } from './journal.ts';
import { signal } from './processes.ts';
import { startStackUnderTest } from './stack-under-test.ts';

const rounds = Number(process.argv[2] ?? 20);
const loginsPerRound = 8;
const longestWaitMs = 120;

interface Held {
  id: string;
  refreshToken: string;
  /** Of the last answer. */
  accessToken: string | undefined;
  /** A refresh was sent that was not answered. */
  isUnsure: boolean;
}

const report = (line: string) => void process.stdout.write(`${line}\n`);
const journal = createJournal(report);
const stack = await startStackUnderTest({ journal, report });
const { apiUrl, databaseUrl } = stack.state;
const counts = { refreshed: 0, unsure: 0, kept: 0, ended: 0, faults: 0 };

const sql = async (statement: string, values: unknown[] = []) => {
  for (;;) {
    const client = new pg.Client({ connectionString: databaseUrl });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(statement, values)).rows;
    } catch {
      await delay(200);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
};

const [owner] = await sql("SELECT organization_id, id FROM users WHERE role = 'owner' LIMIT 1");

async function newLogin(): Promise<Held> {
  const [id, refreshToken] = [newId('lgn'), newSecret('wrt')];
  await sql(
    `WITH login AS (
       INSERT INTO logins (organization_id, id, user_id, client_id, scopes, address, expires_at)
       VALUES ($1, $2, $3, 'cli', '{agent:read}', '127.0.0.1', now() + interval '1 day') RETURNING id)
     INSERT INTO refresh_tokens (organization_id, token_hash, login_id) SELECT $1, $4, id FROM login`,
    [owner.organization_id, id, owner.id, hashSecret(refreshToken)],
  );
  return { id, refreshToken, accessToken: undefined, isUnsure: false };
}

/** The answer's status; undefined if there was none. */
async function refresh(held: Held): Promise<number | undefined> {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: 'cli',
    refresh_token: held.refreshToken,
  });
  try {
    const answer = await fetch(`${apiUrl}/v1/auth/token`, { method: 'POST', body });
    const tokens = (await answer.json()) as { refresh_token: string; access_token: string };
    if (answer.status === 200) {
      held.refreshToken = tokens.refresh_token;
      held.accessToken = tokens.access_token;
      counts.refreshed += 1;
    }
    return answer.status;
  } catch {
    return undefined;
  }
}

async function refreshUntil(held: Held, signalled: AbortSignal): Promise<void> {
  while (!signalled.aborted) {
    const status = await refresh(held);
    // A 5xx says as little as no answer: the commit may have happened.
    held.isUnsure = status === undefined || status >= 500;
    if (status !== 200) return;
  }
}

async function look(held: Held): Promise<void> {
  const fault = (text: string) => {
    counts.faults += 1;
    report(`  ${held.id}: ${text}`);
  };
  const { accessToken } = held;
  let status = await refresh(held);
  while (status === undefined || status >= 500 || status === 429) {
    await delay(300);
    status = await refresh(held);
  }
  if (held.isUnsure) counts.unsure += 1;
  if (status === 200) counts.kept += 1;
  else if (held.isUnsure) counts.ended += 1;
  else fault(`its last refresh was answered, and its token gives ${status}`);
  const [{ valid, ended }] = await sql(
    `SELECT count(*) FILTER (WHERE r.used_at IS NULL)::int AS valid, bool_or(l.ended_at IS NOT NULL) AS ended
     FROM logins l JOIN refresh_tokens r ON r.login_id = l.id WHERE l.id = $1`,
    [held.id],
  );
  if (valid > 1) fault(`${valid} refresh tokens are valid`);
  if (ended !== (status !== 200)) fault(ended ? 'it has ended' : 'it goes on after its token came twice');
  if (accessToken !== undefined) {
    const me = await fetch(`${apiUrl}/v1/me`, { headers: { authorization: `Bearer ${accessToken}` } });
    if (me.status !== 401) fault(`an access token of before still gives ${me.status}`);
  }
}

try {
  for (let round = 1; round <= rounds; round += 1) {
    const held = await Promise.all(Array.from({ length: loginsPerRound }, newLogin));
    const stop = new AbortController();
    const working = held.map((one) => refreshUntil(one, stop.signal));
    await delay(20 + Math.random() * longestWaitMs);
    const part = round % 4 === 0 ? 'postgres' : 'api';
    const pid = stack.pidOf(part);
    if (pid === undefined || !signal(pid, 'SIGKILL')) report(`  ${part} was not there to be killed`);
    stop.abort();
    await Promise.all(working);
    while (!(await stack.isUp())) await delay(200);
    for (const one of held) await look(one);
    report(`round ${round}, ${part} killed: ${JSON.stringify(counts)}`);
  }
} finally {
  await stack.stop(false);
}
process.exitCode = counts.faults === 0 ? 0 : 1;
