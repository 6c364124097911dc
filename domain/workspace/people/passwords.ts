import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { AppError } from '../../../data/errors.ts';
import { createFairSlots } from '../../../data/process-pool/fair-slots.ts';

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. Some 30 ms of one core. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const tagLength = 32;
const saltBytes = 16;

const derive = promisify(argon2);
/** One at a time, address by address: a flood of sign-ins leaves the other core to everybody else. */
const slots = createFairSlots(1);
const maxWaiting = 500;
let waiting = 0;

async function inTurn<T>(owner: string, work: () => Promise<T>): Promise<T> {
  if (waiting >= maxWaiting)
    throw new AppError('overloaded', 'Too many people are signing in at once. Try again shortly.', {
      retryAfterSeconds: 5,
    });
  waiting += 1;
  return slots(owner, work).finally(() => {
    waiting -= 1;
  });
}

/** What decides a hash besides the password. */
interface Derivation {
  /** A stored hash begins with it: PHC form, `$argon2id$v=19$m=…,t=…,p=…$salt$`. */
  prefix: string;
  parameters: Omit<Argon2Parameters, 'message'>;
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

const costPrefix = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`;

function newDerivation(): Derivation {
  const nonce = randomBytes(saltBytes);
  return { prefix: `${costPrefix}${base64(nonce)}$`, parameters: { ...cost, nonce, tagLength } };
}

const tagOf = (password: string, { parameters }: Derivation): Promise<Buffer> =>
  derive('argon2id', { ...parameters, message: Buffer.from(password.normalize('NFKC')) });

const phcForm =
  /^(\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{16,86})\$)([A-Za-z0-9+/]{16,86})$/;

function parsed(hash: string): Derivation & { tag: Buffer } {
  const match = phcForm.exec(hash);
  if (match === null) throw new Error('A stored password hash is not of the form $argon2id$v=19$…');
  const [, prefix, memory, passes, parallelism, salt, expected] = match;
  const tag = Buffer.from(expected!, 'base64');
  const parameters = {
    ...{ memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    ...{ nonce: Buffer.from(salt!, 'base64'), tagLength: tag.length },
  };
  return { prefix: prefix!, parameters, tag };
}

/**
 * Which of the accounts of one address the password fits, and the hash for another one of that address.
 * Accounts of an address share their salt: one derivation is compared with all of them, and is done if there
 * are none, so that the time tells nobody how many there are. `owner` is the address that waits for it.
 *
 * @throws AppError overloaded if too many wait
 */
export function tryPassword<A extends { passwordHash: string | null }>(
  password: string,
  accounts: readonly A[],
  owner: string,
): Promise<{ fits: A | undefined; hash: string }> {
  const known = accounts.flatMap((account) =>
    account.passwordHash === null ? [] : [{ account, stored: parsed(account.passwordHash) }],
  );
  // Hashes of another cost than today's, if it was changed, are derived beside it.
  const today = known.find(({ stored }) => stored.prefix.startsWith(costPrefix))?.stored ?? newDerivation();
  return inTurn(owner, async () => {
    const tag = await tagOf(password, today);
    const derived = new Map([[today.prefix, tag]]);
    let fits: A | undefined;
    for (const { account, stored } of known) {
      const own = derived.get(stored.prefix) ?? (await tagOf(password, stored));
      derived.set(stored.prefix, own);
      if (own.length === stored.tag.length && timingSafeEqual(own, stored.tag)) fits ??= account;
    }
    return { fits, hash: `${today.prefix}${base64(tag)}` };
  });
}

export const passwordLength = { least: 10, most: 200 } as const;
