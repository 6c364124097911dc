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
    throw new AppError('overloaded', 'Too many people sign in at once; try again shortly.', {
      retryAfterSeconds: 5,
    });
  waiting += 1;
  return slots(owner, work).finally(() => {
    waiting -= 1;
  });
}

function tagOf(password: string, parameters: Omit<Argon2Parameters, 'message'>): Promise<Buffer> {
  return derive('argon2id', { ...parameters, message: Buffer.from(password.normalize('NFKC')) });
}

/**
 * The hash of a password in PHC form, `$argon2id$v=19$m=…,t=…,p=…$salt$tag`. `owner` is the address that
 * waits for it.
 *
 * @throws AppError overloaded if too many wait
 */
export function hashPassword(password: string, owner: string): Promise<string> {
  return inTurn(owner, async () => {
    const nonce = randomBytes(saltBytes);
    const tag = await tagOf(password, { ...cost, nonce, tagLength });
    return phc(nonce, tag);
  });
}

function phc(salt: Buffer, tag: Buffer): string {
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

const phcForm =
  /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{16,86})\$([A-Za-z0-9+/]{16,86})$/;

/** Verified where there is no account, so that its sign-in takes as long as any other. */
const dummyHash = phc(randomBytes(saltBytes), randomBytes(tagLength));

/**
 * Whether the password is the one of the hash. Without a hash the same work is done, and the answer is no.
 */
export function passwordMatches(password: string, hash: string | undefined, owner: string): Promise<boolean> {
  return inTurn(owner, async () => {
    const match = phcForm.exec(hash ?? dummyHash);
    if (match === null) throw new Error('A stored password hash is not of the form $argon2id$v=19$…');
    const [, memory, passes, parallelism, salt, expected] = match;
    const wanted = Buffer.from(expected!, 'base64');
    const tag = await tagOf(password, {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      nonce: Buffer.from(salt!, 'base64'),
      tagLength: wanted.length,
    });
    return timingSafeEqual(tag, wanted) && hash !== undefined;
  });
}

export const passwordLength = { least: 10, most: 200 } as const;
