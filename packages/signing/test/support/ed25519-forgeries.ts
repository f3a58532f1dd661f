import { createHash, sign } from 'node:crypto';
import type { TestKey } from '@svc/testkit';

/** The order of the group (RFC 8032 section 5.1). */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const P = 2n ** 255n - 19n;

const littleEndian = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

const bytes32 = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();

const sha512 = (...parts: Uint8Array[]): Buffer => createHash('sha512').update(Buffer.concat(parts)).digest();

/** The secret scalar of a key (RFC 8032 section 5.1.5). */
function scalarOf({ seed }: TestKey): bigint {
  const half = sha512(seed).subarray(0, 32);
  half[0] = (half[0] ?? 0) & 248;
  half[31] = ((half[31] ?? 0) & 127) | 64;
  return littleEndian(half);
}

const rawKey = ({ publicKeyPem }: TestKey): Buffer =>
  Buffer.from(publicKeyPem.replace(/-----[^-]+-----/g, ''), 'base64').subarray(-32);

/** The neutral point, in its valid encoding (y = 1) and in an invalid one (y = p + 1, RFC 8032 section 5.1.3). */
export const NEUTRAL = bytes32(1n);
export const NEUTRAL_UNREDUCED = bytes32(P + 1n);

/** The neutral point as a key in SPKI PEM: anyone can forge its signatures. */
export const NEUTRAL_KEY_PEM = `-----BEGIN PUBLIC KEY-----\n${Buffer.concat([
  Buffer.from('302a300506032b6570032100', 'hex'),
  NEUTRAL,
]).toString('base64')}\n-----END PUBLIC KEY-----\n`;

/** The id of that key. */
export const NEUTRAL_KEY_ID = 'ed25519-d0fbfbb4f059a24b';

/** A signature with the group order added to its second half: it verifies if the range is not checked. */
export function plusOrder(text: string, key: TestKey): Buffer {
  const good = sign(null, Buffer.from(text), key.privateKey);
  return Buffer.concat([good.subarray(0, 32), bytes32(littleEndian(good.subarray(32)) + L)]);
}

/** A signature by the key itself, with the neutral point as its first half; it verifies if `first` is the valid encoding. */
export function withNeutral(text: string, key: TestKey, first: Uint8Array): Buffer {
  const hash = littleEndian(sha512(first, rawKey(key), Buffer.from(text)));
  return Buffer.concat([first, bytes32((hash * scalarOf(key)) % L)]);
}
