import {
  NEUTRAL,
  NEUTRAL_KEY_ID,
  NEUTRAL_KEY_PEM,
  NEUTRAL_UNREDUCED,
  plusOrder,
  withNeutral,
} from './ed25519-forgeries.ts';
import { CURRENT, type FactCase, NOTES, RETIRED, STRANGER } from './fact-cases.ts';

/** The signature does not match the key and the facts, or has an invalid encoding. */
export const OTHER_SIGNATURES: Record<string, FactCase> = {
  'bit-flipped-first': {
    why: 'one bit of the first half of the signature is another',
    spelt: (text) => flipped(text, 0),
  },
  'bit-flipped-second': {
    why: 'one bit of the second half of the signature is another',
    spelt: (text) => flipped(text, 40),
  },
  'cut-short': {
    why: 'the last byte of the signature is missing',
    spelt: (text) => bytesOf(text).subarray(0, 63).toString('base64'),
  },
  'byte-appended': {
    why: 'a byte follows the signature',
    spelt: (text) => Buffer.concat([bytesOf(text), Buffer.alloc(1)]).toString('base64'),
  },
  empty: { why: 'there is no signature', signature: '' },
  zeros: { why: 'the signature is made of zeros', signature: Buffer.alloc(64) },
  'neutral-point': {
    why: 'the neutral point and zero: a signature over anything, by a key that has the neutral point too',
    signature: Buffer.concat([NEUTRAL, Buffer.alloc(32)]),
  },
  's-plus-order': {
    why: 'the order of the group was added to the second half: a second signature for who does not check its range (RFC 8032 section 5.1.7)',
    signature: plusOrder(NOTES, CURRENT),
  },
  'point-unreduced': {
    why: 'the first half is a point whose y is not below p (RFC 8032 section 5.1.3)',
    signature: withNeutral(NOTES, CURRENT, NEUTRAL_UNREDUCED),
  },
  'base64-without-padding': {
    why: 'the padding of the base64 is missing',
    spelt: (text) => text.replace('==', ''),
  },
  'base64-of-addresses': {
    why: 'base64 in the letters for addresses',
    spelt: (text) => bytesOf(text).toString('base64url').padEnd(88, '='),
  },
  'base64-spare-bits': {
    why: 'the bits that the base64 leaves over are not zero: another spelling of the same bytes',
    spelt: (text) => text.replace(/.==$/, (end) => `${afterIn(end[0] ?? '')}==`),
  },
  'base64-with-space': { why: 'a space before the base64', spelt: (text) => ` ${text}` },
  'base64-with-line-end': { why: 'the end of a line after the base64', spelt: (text) => `${text}\n` },
  'base64-with-comma': { why: 'two signatures in one header', spelt: (text) => `${text}, ${text}` },
  hex: { why: 'the signature is in hex', spelt: (text) => bytesOf(text).toString('hex') },
};

/** The key is not the one that its id names, or must not be trusted. */
export const OTHER_KEYS: Record<string, FactCase> = {
  'key-not-pinned': { why: 'signed by a key that is not pinned', signer: STRANGER, refusal: 'unknown-key' },
  'key-in-disguise': {
    why: 'signed by a key that is not pinned, under the name of one that is',
    signer: STRANGER,
    keyId: CURRENT.keyId,
  },
  'key-exchanged': {
    why: 'signed by one pinned key, under the name of the other',
    signer: RETIRED,
    keyId: CURRENT.keyId,
  },
  'key-id-in-capitals': {
    why: 'the id of the key in capitals',
    keyId: CURRENT.keyId.toUpperCase(),
    refusal: 'unknown-key',
  },
  'key-id-empty': { why: 'no key is named', keyId: '', refusal: 'unknown-key' },
  'key-of-everybody': {
    why: 'the pinned key is the neutral point, of which everybody can sign everything; many verifiers take it',
    pinned: [NEUTRAL_KEY_PEM],
    keyId: NEUTRAL_KEY_ID,
    signature: Buffer.concat([NEUTRAL, Buffer.alloc(32)]),
  },
};

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');

function flipped(text: string, at: number): string {
  const bytes = bytesOf(text);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64');
}

/** The next letter of base64, which differs only in the last bits. */
function afterIn(letter: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return letters.charAt(letters.indexOf(letter) + 1);
}
