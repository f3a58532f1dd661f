import { LIMITS } from '@svc/contracts';
import { ApiError } from '../platform/api-error.ts';
import { createGate } from '../platform/gate.ts';
import { isCommonPassword } from './common-passwords.ts';

const { least, most, distinct } = LIMITS.people.password;

/**
 * A hash of nobody's password, with the parameters of all others: who asks about an email address that nobody has waits
 * as long as who mistypes a password.
 */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$4Tg8WJrKABLZMv/CE88JNQ$C5spnCJoAG9zWMNdUaDGZh/o/juuM97JKCVwerilovQ';

/** Argon2id with 19 MiB, two passes and one lane, which OWASP's cheat sheet on storing passwords asks for at least. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash takes a thread of the four that files are read and written with, too. */
const HASHING = { active: 2, waiting: 100 };

/** Native code, which a store that only serves does without. */
const argon2 = () => import('@node-rs/argon2');

/** The same letters may have been typed in different ways (RFC 8265 section 4.2). */
const prepared = (password: string): string => password.normalize('NFC');

/** Makes and compares the slow hashes of passwords, a few at a time. */
export function createPasswordHasher() {
  const gate = createGate(HASHING);
  return {
    hash: (password: string): Promise<string> =>
      gate(async () => (await argon2()).hash(prepared(password), COST)),
    /** Whether a hash is that of a password; takes as long when there is no hash. */
    matches: async (held: string | null, password: string): Promise<boolean> =>
      (await gate(async () => (await argon2()).verify(held ?? DUMMY_HASH, prepared(password)))) &&
      held !== null,
  };
}

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

const refuse = (message: string): ApiError =>
  new ApiError('invalid_request', message, {
    issues: [{ code: 'invalid_request', level: 'error', path: '/password', message }],
  });

/**
 * Refuses a new password that is guessed first.
 * @param owner what others know of its owner
 * @throws ApiError invalid_request
 */
export async function requireStrong(
  password: string,
  owner: { name: string; email: string | null },
): Promise<void> {
  const letters = [...prepared(password)];
  if (letters.length < least || letters.length > most)
    throw refuse(`A password has ${least} to ${most} characters.`);
  if (new Set(letters).size < distinct)
    throw refuse(`A password has at least ${distinct} different characters.`);
  const plain = (text: string): string => prepared(text).trim().toLowerCase();
  const known = [owner.name, owner.email ?? owner.name].map(plain);
  if (known.includes(plain(password)))
    throw refuse('A password is neither your name nor your email address.');
  if (await isCommonPassword(prepared(password)))
    throw refuse(
      'Too many people have this password: choose another, such as four words that do not belong together.',
    );
}
