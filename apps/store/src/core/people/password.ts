import { setTimeout as wait } from 'node:timers/promises';
import { LIMITS } from '@svc/contracts';
import { type ApiError, invalidField } from '../../platform/api-error.ts';
import { createGate, type Requester } from '../../platform/gate.ts';
import { hashSecret } from '../../platform/secret.ts';

/** Common substitutes for letters ("leet"). */
const LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

const withLetters = (text: string): string => Array.from(text, (sign) => LETTERS[sign] ?? sign).join('');

const LETTER = /\p{L}/u;

/** A text without the digits and signs before and after its letters. */
function withoutEdges(text: string): string {
  const signs = [...text];
  const first = signs.findIndex((sign) => LETTER.test(sign));
  return first < 0 ? '' : signs.slice(first, signs.findLastIndex((sign) => LETTER.test(sign)) + 1).join('');
}

/** The repeated part of a text that consists of one part two or more times; otherwise the text. */
function unrepeated(text: string): string {
  for (let length = 1; length <= text.length / 2; length += 1) {
    const part = text.slice(0, length);
    if (text.length % length === 0 && part.repeat(text.length / length) === text) return part;
  }
  return text;
}

let loading: Promise<ReadonlySet<string>> | null = null;

/** Loads the list of common passwords when the first password is set: most processes never need it. */
function common(): Promise<ReadonlySet<string>> {
  loading ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map((word) => word.toLowerCase())),
  );
  return loading;
}

/**
 * Whether a password is one of some 49,000 common ones, also with digits and signs around it, with digits for letters, or
 * repeated.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const known = await common();
  const lower = password.trim().toLowerCase();
  const forms = [lower, withLetters(lower)].flatMap((form) => [form, withoutEdges(form)]);
  const bare = withoutEdges(lower);
  const all = [...forms, withLetters(bare)].flatMap((form) => [form, unrepeated(form)]);
  return all.some((form) => known.has(form));
}

const { min, max, distinct } = LIMITS.people.password;

/**
 * A dummy hash with the parameters of the real ones: signing in with an unknown email address takes as long as with a wrong
 * password.
 */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$4Tg8WJrKABLZMv/CE88JNQ$C5spnCJoAG9zWMNdUaDGZh/o/juuM97JKCVwerilovQ';

/** Argon2id with 19 MiB, two passes and one lane, the minimum of OWASP's Password Storage Cheat Sheet. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash occupies one of libuv's four threads, which file access needs too. */
const HASHING = { active: 2, waiting: 1_000, newestToo: true };

/** Answers to wrong passwords that a network gets at once in unknown browsers, how often then, and the longest delay; in milliseconds. */
const WRONG = { atOnce: 20, everyMs: 100, mostMs: 20_000, networks: 10_000 };

/**
 * Delays the answers to wrong passwords, by network. Nothing distinguishes a guess, each at another account, from the first sign-in of a
 * user behind the same address, but that it is wrong: an attacker who waits for answers is slowed down, and no right password is.
 * @returns how many milliseconds the answer to a wrong password waits from now
 */
export function createWrongDelay(now = () => performance.now()): (network: string) => number {
  const due = new Map<string, number>();
  return (network) => {
    const at = now();
    const free = WRONG.atOnce * WRONG.everyMs;
    const next = Math.max(at, due.get(network) ?? 0) + WRONG.everyMs;
    if (due.size >= WRONG.networks) due.clear();
    due.set(network, Math.min(next, at + free + WRONG.mostMs));
    return Math.max(0, Math.min(next - at - free, WRONG.mostMs));
  };
}

/** How often a password is wrong in a network before it comes last there, and how many passwords are counted. */
const SPRAYED = { wrong: 3, passwords: 10_000 };

/**
 * Finds passwords that are wrong at one account after another, which an attacker tries at all of them ("spraying"): users have different
 * ones. Their checks come last, also those that wait already, so that a burst of them delays no right password.
 */
function createTurns() {
  const wrong = new Map<string, number>();
  // A few bits of a hash tell passwords apart, and are of no use to anyone who reads the memory.
  const nameOf = (password: string, { network }: Requester): string =>
    `${network} ${hashSecret(password).slice(0, 6)}`;
  return {
    /** The caller of a check, with its turn. */
    of(password: string, requester: Requester): Requester {
      if (requester.turn !== undefined) return requester;
      const name = nameOf(password, requester);
      return {
        ...requester,
        get turn() {
          return (wrong.get(name) ?? 0) < SPRAYED.wrong ? undefined : 'last';
        },
      };
    },
    countWrong(password: string, requester: Requester): void {
      const name = nameOf(password, requester);
      if (wrong.size >= SPRAYED.passwords) wrong.clear();
      wrong.set(name, (wrong.get(name) ?? 0) + 1);
    },
  };
}

/** Waits; not even for one turn of a timer where there is no delay, which would distinguish an account from none. */
const sleep = async (ms: number): Promise<void> => {
  if (ms > 0) await wait(ms, undefined, { ref: false });
};

/** The library of slow hashes. */
export type Argon2 = {
  hash(password: string, cost: typeof COST): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
};

/** Native code, loaded at the first use. */
const argon2 = (): Promise<Argon2> => import('@node-rs/argon2');

/** Normalises a password: keyboards encode the same letters in different ways (RFC 8265 section 4.2). */
const normalise = (password: string): string => password.normalize('NFC');

/** Creates and compares slow hashes of passwords, a few at the same time. */
export function createPasswordHasher(library: () => Promise<Argon2> = argon2, now?: () => number) {
  const gate = createGate(HASHING);
  const delayOf = createWrongDelay(now);
  const turns = createTurns();
  /** How long the answer to a wrong password waits, in milliseconds. */
  const delayFor = (requester?: Requester): number =>
    requester === undefined || requester.turn === 'first' ? 0 : delayOf(requester.network);
  const check = async (hash: string, password: string): Promise<boolean> =>
    (await library()).verify(hash, normalise(password));
  /**
   * Answers for an account that does not exist. Its answer is due at the same time as that of an existing one, so where the answer is late
   * by more than a check takes, it waits its turn and computes nothing: a burst of guesses then delays no right password.
   */
  async function isUnknown(password: string, requester?: Requester): Promise<false> {
    const ms = delayFor(requester);
    const delay = sleep(ms);
    const isHidden = ms > WRONG.everyMs && ms < WRONG.mostMs;
    await gate(async () => isHidden || check(DUMMY_HASH, password), requester);
    if (requester) turns.countWrong(password, requester);
    await delay;
    return false;
  }
  return {
    /** @param requester whose turn it takes */
    hash: (password: string, requester?: Requester): Promise<string> =>
      gate(async () => (await library()).hash(normalise(password), COST), requester),
    /**
     * Whether a hash is that of a password. Takes the same time without a hash.
     * @param requester whose turn it takes
     */
    async matches(hash: string | null, password: string, requester?: Requester): Promise<boolean> {
      const inTurn = requester && turns.of(password, requester);
      if (hash === null) return isUnknown(password, inTurn);
      const isRight = await gate(() => check(hash, password), inTurn);
      if (!isRight && requester) turns.countWrong(password, requester);
      if (!isRight) await sleep(delayFor(requester));
      return isRight;
    },
  };
}

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

const refuse = (message: string): ApiError => invalidField('password', message, message);

/**
 * Refuses a weak password.
 * @param owner public data of its owner, which attackers try first
 * @throws ApiError invalid_request
 */
export async function requireStrong(
  password: string,
  owner: { name: string; email: string | null },
): Promise<void> {
  const letters = [...normalise(password)];
  if (letters.length < min || letters.length > max)
    throw refuse(`The password must have ${min} to ${max} characters.`);
  if (new Set(letters).size < distinct)
    throw refuse(`The password must have at least ${distinct} different characters.`);
  const plain = (text: string): string => normalise(text).trim().toLowerCase();
  const known = [owner.name, owner.email ?? owner.name].map(plain);
  if (known.includes(plain(password)))
    throw refuse('The password must not be your name or your email address.');
  if (await isCommonPassword(normalise(password)))
    throw refuse('This password is too common: choose another one, for example four unrelated words.');
}
