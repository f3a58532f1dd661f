import type { StoreKey } from '@svc/contracts';
import type { TestKey } from '@svc/testkit';
import { NEUTRAL, NEUTRAL_KEY_ID, NEUTRAL_KEY_PEM, plusOrder } from './ed25519-forgeries.ts';
import { bare, chainOf, FIRST, handover, heir, month, SECOND, STRANGER, seal, THIRD } from './key-parts.ts';

/** The purpose, input and result of a vector. By default the first key is pinned. */
export type KeyCase = {
  why: string;
  refusal?: 'malformed' | 'not-pinned' | 'broken';
  pinned?: TestKey;
  keys: unknown;
  /** Ids of the keys to trust, the current one last. */
  trusted?: string[];
};

const CHAIN = chainOf(FIRST, SECOND, THIRD);
const [ONE, TWO, THREE] = CHAIN as [StoreKey, StoreKey, StoreKey];
const LINK = { ...bare(SECOND), at: TWO.createdAt, since: ONE.createdAt, successorOf: FIRST.keyId };

/** The chain with one key changed; undefined removes a field. */
const changed = (index: number, change: Record<string, unknown>): unknown[] =>
  CHAIN.map((key, at) => (at === index ? { ...key, ...change } : key));

/** The chain with another signature of the first handover. */
const resigned = (text: string, by = FIRST) => changed(1, { signature: seal(text, by) });

const idsOf = (...keys: TestKey[]): string[] => keys.map(({ keyId }) => keyId);
const broken = (why: string, keys: unknown, pinned?: TestKey): KeyCase => ({
  ...{ why, refusal: 'broken', keys },
  ...(pinned && { pinned }),
});
const malformed = (why: string, keys: unknown): KeyCase => ({ why, refusal: 'malformed', keys });

/** The neutral point as a key. */
const EVERYBODYS = { ...STRANGER, keyId: NEUTRAL_KEY_ID, publicKeyPem: NEUTRAL_KEY_PEM };

/** A key for key exchange (RFC 7748), which cannot sign. */
const X25519 =
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEASW46dczB2cWFUlm5ZW+S34NVlamWwWPPAX2/SBZVKjY=\n-----END PUBLIC KEY-----\n';

/** Every list of `interop/keys`. */
export const KEY_CASES: Record<string, KeyCase> = {
  'one-key': { why: 'a store that never changed its key', keys: chainOf(FIRST), trusted: idsOf(FIRST) },
  'from-first': {
    why: 'two changes since the key was pinned',
    keys: CHAIN,
    trusted: idsOf(FIRST, SECOND, THIRD),
  },
  'from-second': {
    why: 'pinned after the first change: what came before is not trusted',
    keys: CHAIN,
    pinned: SECOND,
    trusted: idsOf(SECOND, THIRD),
  },
  'from-last': {
    why: 'the pinned key is the current one',
    keys: CHAIN,
    pinned: THIRD,
    trusted: idsOf(THIRD),
  },
  'before-the-pinned': {
    why: 'a stranger names the pinned key as its heir: that makes the stranger’s key no key of the store',
    keys: chainOf(STRANGER, FIRST),
    trusted: idsOf(FIRST),
  },

  'foreign-chain': {
    why: 'the keys of another store',
    keys: chainOf(STRANGER, THIRD),
    refusal: 'not-pinned',
  },
  'rolled-back': {
    why: 'the pinned key is gone: the list of before the change',
    keys: chainOf(FIRST),
    pinned: SECOND,
    refusal: 'not-pinned',
  },
  forked: {
    why: 'a retired key names another heir, and the pinned one is gone',
    keys: chainOf(FIRST, STRANGER),
    pinned: SECOND,
    refusal: 'not-pinned',
  },
  'id-of-the-pinned': malformed('another key under the id of the pinned one', [
    { ...ONE, retiredAt: undefined, publicKeyPem: STRANGER.publicKeyPem },
  ]),

  'signed-by-stranger': broken('the handover is signed by a stranger', resigned(handover(LINK), STRANGER)),
  'signed-by-itself': broken(
    'the handover is signed by the next key itself',
    resigned(handover(LINK), SECOND),
  ),
  'signed-by-later': broken('the handover is signed by a later key', resigned(handover(LINK), THIRD)),
  'not-signed': broken('the handover is not signed', changed(1, { signature: undefined })),
  'heir-exchanged': broken(
    'another key stands where a handover names the next one',
    changed(2, bare(STRANGER)),
  ),
  'signatures-exchanged': broken('each handover has the signature of the other', [
    ONE,
    { ...TWO, signature: THREE.signature },
    { ...THREE, signature: TWO.signature },
  ]),
  's-plus-order': broken(
    'the order of the group was added to the second half of the signature',
    changed(1, { signature: plusOrder(handover(LINK), FIRST).toString('base64') }),
  ),
  'link-without-since': broken(
    'the beginning of the older key was not signed',
    resigned(handover(LINK).replace(/"since":"[^"]*",/, '')),
  ),
  'link-with-more': broken(
    'a sixth key was signed',
    resigned(handover(LINK).replace('"since"', '"note":"","since"')),
  ),
  'link-with-white-space': broken('spaces were signed', resigned(handover(LINK).replaceAll('":"', '": "'))),
  'link-as-listed': broken(
    'the entry of the list was signed, in place of the five keys',
    resigned(
      `{"createdAt":"${TWO.createdAt}","keyId":"${TWO.keyId}","publicKeyPem":${JSON.stringify(TWO.publicKeyPem)},"successorOf":"${ONE.keyId}"}`,
    ),
  ),
  'list-signed': broken(
    'a list of withdrawn versions was signed',
    resigned(`{"entries":[],"signedAt":"${TWO.createdAt}"}`),
  ),
  'created-at-changed': broken('the change of keys is moved in time, on both sides', [
    { ...ONE, retiredAt: '2026-02-02T00:00:00.000Z' },
    { ...TWO, createdAt: '2026-02-02T00:00:00.000Z' },
    THREE,
  ]),
  'first-created-at-changed': broken(
    'the beginning of the first key is moved: the handover signed it',
    changed(0, { createdAt: '2025-01-01T00:00:00.000Z' }),
  ),
  'retired-at-other-time': broken(
    'the older key is retired at another time than the next one begins',
    changed(0, { retiredAt: month(3) }),
  ),
  'not-retired': broken('the older key is not retired', changed(0, { retiredAt: undefined })),
  'last-retired': broken(
    'the last key is retired: the list lacks its heir',
    changed(2, { retiredAt: month(4) }),
  ),
  'heir-cut-off': broken('the last key of the list was left out', CHAIN.slice(0, 2)),
  'middle-left-out': broken('a key in the middle was left out', [ONE, THREE]),
  'turned-round': broken('the newest key comes first', CHAIN.toReversed()),
  doubled: broken('a key is listed twice', [ONE, TWO, TWO, THREE]),
  looped: broken(
    'the last key hands over to the first one again',
    [...CHAIN.slice(0, 2), { ...THREE, retiredAt: month(4) }, heir(FIRST, THIRD, month(4), month(3))],
    SECOND,
  ),
  'to-itself': broken('a key hands over to itself', [
    { ...ONE, retiredAt: month(2) },
    heir(FIRST, FIRST, month(2), month(1)),
  ]),
  'backwards-in-time': broken('a key takes over before the one before it began, and that was signed', [
    { ...bare(FIRST), createdAt: month(3), retiredAt: month(2) },
    heir(SECOND, FIRST, month(2), month(3)),
  ]),
  'two-heirs': broken('a retired key names a second heir after the first', [
    ...CHAIN.slice(0, 2),
    { ...THREE, retiredAt: month(4) },
    heir(STRANGER, SECOND, month(4), month(2)),
  ]),
  'first-follows': broken(
    'the first key says that it follows one that is not listed',
    CHAIN.slice(1),
    SECOND,
  ),
  'heir-of-everybody': broken(
    'the key that handed over is the neutral point, of which everybody can sign everything; many verifiers take it',
    [
      ONE,
      { ...heir(EVERYBODYS, FIRST, month(2), month(1)), retiredAt: month(3) },
      {
        ...bare(STRANGER),
        createdAt: month(3),
        successorOf: EVERYBODYS.keyId,
        signature: Buffer.concat([NEUTRAL, Buffer.alloc(32)]).toString('base64'),
      },
    ],
  ),

  'not-a-list': malformed('an object in place of the list', { keys: CHAIN }),
  null: malformed('nothing in place of the list', null),
  'no-key': malformed('no key', []),
  'field-unknown': malformed('a field that no key has', changed(2, { comment: '' })),
  'id-not-of-the-key': malformed('an id that is not made of the key', changed(2, { keyId: STRANGER.keyId })),
  'id-left-out': malformed('no id', changed(0, { keyId: undefined })),
  'pem-with-crlf': malformed(
    'a key in another spelling of PEM, with the lines of another system',
    changed(2, { publicKeyPem: THIRD.publicKeyPem.replaceAll('\n', '\r\n') }),
  ),
  'pem-without-line-end': malformed(
    'a key in another spelling of PEM, without its last line end',
    changed(2, { publicKeyPem: THIRD.publicKeyPem.trimEnd() }),
  ),
  'pem-with-more': malformed(
    'text before a key',
    changed(2, { publicKeyPem: `a key\n${THIRD.publicKeyPem}` }),
  ),
  'pem-that-is-none': malformed('no key in PEM', changed(2, { publicKeyPem: 'hello' })),
  'key-of-another-kind': malformed('a key that is not Ed25519', changed(2, { publicKeyPem: X25519 })),
  'time-without-milliseconds': malformed(
    'a time without milliseconds',
    changed(2, { createdAt: '2026-03-01T00:00:00Z' }),
  ),
  'time-that-is-a-number': malformed('a time as a number', changed(2, { createdAt: 1772323200000 })),
  'signature-cut-short': malformed(
    'a signature that lacks a byte',
    changed(2, {
      signature: Buffer.from(THREE.signature ?? '', 'base64')
        .subarray(0, 63)
        .toString('base64'),
    }),
  ),
  'signature-without-padding': malformed(
    'a signature without the padding of its base64',
    changed(2, { signature: THREE.signature?.replace('==', '') }),
  ),
};
