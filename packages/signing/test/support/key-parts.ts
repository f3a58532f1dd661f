import { sign } from 'node:crypto';
import type { StoreKey } from '@svc/contracts';
import { type TestKey, testKey } from '@svc/testkit';

const keyOf = (word: string): TestKey => testKey(`svc vectors: ${word} key of a chain`);
export const FIRST = keyOf('first');
export const SECOND = keyOf('second');
export const THIRD = keyOf('third');
export const STRANGER = keyOf('a foreign');

/** The first of a month. */
export const month = (n: number): string => `2026-0${n}-01T00:00:00.000Z`;

/** The signed fields of a handover from one key to the next. */
type Link = { at: string; keyId: string; publicKeyPem: string; since: string; successorOf: string };

/** The canonical JSON of a handover, field by field. */
export const handover = ({ at, keyId, publicKeyPem, since, successorOf }: Link): string =>
  `{"at":"${at}","keyId":"${keyId}","publicKeyPem":${JSON.stringify(publicKeyPem)},"since":"${since}","successorOf":"${successorOf}"}`;

/** The signature of a key over a text. */
export const seal = (text: string, { privateKey }: TestKey): string =>
  sign(null, Buffer.from(text), privateKey).toString('base64');

/** A key as it is published. */
export const bare = ({ keyId, publicKeyPem }: TestKey) => ({ keyId, publicKeyPem });

/** A key that follows another one in a chain, signed by the older key. */
export const heir = (key: TestKey, last: TestKey, at: string, since: string): StoreKey => ({
  ...bare(key),
  createdAt: at,
  successorOf: last.keyId,
  signature: seal(handover({ ...bare(key), at, since, successorOf: last.keyId }), last),
});

/** A chain of keys as a store lists it; each key follows one month after the previous key. */
export function chainOf(...keys: TestKey[]): StoreKey[] {
  return keys.map((key, index) => {
    const last = keys[index - 1];
    const createdAt = month(index + 1);
    const retired = index < keys.length - 1 ? { retiredAt: month(index + 2) } : {};
    if (!last) return { ...bare(key), createdAt, ...retired };
    return { ...heir(key, last, createdAt, month(index)), ...retired };
  });
}
