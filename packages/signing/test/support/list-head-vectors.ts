import { createHash, sign } from 'node:crypto';
import type { RevocationEntry, RevocationHead } from '@svc/contracts';
import { interopJson, type TestKey } from '@svc/testkit';
import { CURRENT, RETIRED } from './revocation-cases.ts';

/** The head of a revocation list with what a store serves by the names in it: see interop/revocations/README.md. */
export type ListHeadVector = {
  name: string;
  why: string;
  /** Keys that the client trusts, the current one last. */
  keys: { keyId: string; publicKeyPem: string }[];
  head: unknown;
  /** The body of each segment, by the name under which it is requested. */
  segments: Record<string, string>;
  verdict: 'accept' | 'refuse';
  /** The yanked versions of an accepted list, as `appId@version`, sorted. */
  yanked?: string[];
};

const at = (minute: number): string => `2026-01-01T09:${String(minute).padStart(2, '0')}:00.000Z`;
const SIGNED_AT = '2026-01-01T10:00:00.000Z';

const entry = (
  appId: string,
  version: string,
  minute: number,
  reason = 'It lost notes.',
): RevocationEntry => ({
  ...{ appId, version, reason },
  at: at(minute),
});

/** Oldest first, which is another order than that of the list. */
const ENTRIES = [
  entry('com.example.notes', '1.0.0', 1),
  entry('com.example.alpha', '2.0.0', 2),
  entry('com.example.notes', '0.9.0', 3, 'Quotes " and é.'),
  entry('com.example.beta', '1.0.0', 4),
  entry('com.example.alpha', '1.0.0', 5),
];

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The canonical JSON of an entry and of a head, written out: another program than the one under test. */
const entryText = ({ appId, at: time, reason, version }: RevocationEntry): string =>
  `{"appId":${JSON.stringify(appId)},"at":"${time}","reason":${JSON.stringify(reason)},"version":"${version}"}`;
const arrayText = (entries: readonly RevocationEntry[]): string => `[${entries.map(entryText).join(',')}]`;
const nameOf = ({ appId, version }: RevocationEntry): string => `${appId}@${version}`;
const keyOf = ({ appId, version, at: time }: RevocationEntry): string => [appId, version, time].join(' ');
const inOrder = (entries: readonly RevocationEntry[]): RevocationEntry[] =>
  entries.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

const headText = ({ list, open, segments, signedAt }: Omit<RevocationHead, 'signature'>): string => {
  const named = segments.map(({ bytes, sha256 }) => `{"bytes":${bytes},"sha256":"${sha256}"}`);
  return `{"list":"${list}","open":${arrayText(open)},"segments":[${named.join(',')}],"signedAt":"${signedAt}"}`;
};

type Signed = Omit<RevocationHead, 'signature'>;

function headOf(
  signed: Signed,
  { by = CURRENT, text = headText(signed) }: { by?: TestKey; text?: string } = {},
) {
  return { ...signed, signature: sign(null, Buffer.from(text), by.privateKey).toString('base64') };
}

const bodyOf = (...entries: RevocationEntry[]) => {
  const text = arrayText(entries);
  return { name: hashOf(text), text, part: { sha256: hashOf(text), bytes: Buffer.byteLength(text) } };
};

const [A, B] = [bodyOf(...ENTRIES.slice(0, 2)), bodyOf(...ENTRIES.slice(2, 4))];
const SEGMENTS = { [A.name]: A.text, [B.name]: B.text };
const SIGNED: Signed = {
  list: hashOf(arrayText(inOrder(ENTRIES))),
  segments: [A.part, B.part],
  open: ENTRIES.slice(4),
  signedAt: SIGNED_AT,
};
const GOOD = headOf(SIGNED);
const keys = [RETIRED, CURRENT].map(({ keyId, publicKeyPem }) => ({ keyId, publicKeyPem }));

const taken = (name: string, why: string, given: Partial<ListHeadVector>): ListHeadVector => ({
  ...{ name: `accept-${name}`, why, keys, head: GOOD, segments: SEGMENTS, verdict: 'accept' },
  yanked: ENTRIES.map(nameOf).sort(),
  ...given,
});
const refused = (name: string, why: string, given: Partial<ListHeadVector>): ListHeadVector => ({
  ...{ name: `refuse-${name}`, why, keys, head: GOOD, segments: SEGMENTS, verdict: 'refuse' },
  ...given,
});

const SPACED = bodyOf(...ENTRIES.slice(0, 2)).text.replaceAll('":', '": ');
const EMPTY = bodyOf();

/** Every vector, as interop/revocations/heads.json lists it. */
const vectors = (): ListHeadVector[] => [
  taken('segments', 'two segments, and an entry that is in none', {}),
  taken('empty', 'nothing is yanked', {
    head: headOf({ ...SIGNED, list: hashOf('[]'), segments: [], open: [] }),
    yanked: [],
  }),
  taken('open-alone', 'a list without segments', {
    head: headOf({ ...SIGNED, segments: [], open: ENTRIES }),
    segments: {},
  }),
  taken('segments-in-any-order', 'the order of the segments does not matter', {
    head: headOf({ ...SIGNED, segments: [B.part, A.part] }),
  }),
  taken('segment-not-canonical', 'a segment in JSON with spaces: its name is the hash of its bytes', {
    head: headOf({
      ...SIGNED,
      segments: [{ sha256: hashOf(SPACED), bytes: Buffer.byteLength(SPACED) }, B.part],
    }),
    segments: { [hashOf(SPACED)]: SPACED, [B.name]: B.text },
  }),
  refused('retired-key', 'the retired key of the store signed it', { head: headOf(SIGNED, { by: RETIRED }) }),
  refused('segment-cut-out', 'a segment was left out of the signed head', {
    head: { ...GOOD, segments: [B.part] },
  }),
  refused('segments-swapped', 'the segments of the signed head were swapped', {
    head: { ...GOOD, segments: [B.part, A.part] },
  }),
  refused('open-cut-out', 'the open entries were left out of the signed head', {
    head: { ...GOOD, open: [] },
  }),
  refused('another-time', 'the time was moved', { head: { ...GOOD, signedAt: '2026-01-01T10:30:00.000Z' } }),
  refused('unknown-field', 'an unknown field, which is signed too', {
    head: { ...headOf(SIGNED, { text: headText(SIGNED).replace('"list"', '"extra":1,"list"') }), extra: 1 },
  }),
  refused('body-of-another-segment', 'a segment is answered with the body of another one', {
    segments: { [A.name]: B.text, [B.name]: B.text },
  }),
  refused('body-cut-short', 'a segment is answered with its beginning', {
    segments: { ...SEGMENTS, [A.name]: A.text.slice(0, -1) },
  }),
  refused('body-too-long', 'a segment has more bytes than its head says', {
    head: headOf({ ...SIGNED, segments: [{ ...A.part, bytes: A.part.bytes - 1 }, B.part] }),
  }),
  refused('not-the-whole', 'the store signed the hash of a list with an entry more', {
    head: headOf({ ...SIGNED, open: [] }),
  }),
  refused('more-than-the-whole', 'the store signed the hash of a list with an entry less', {
    head: headOf({ ...SIGNED, list: hashOf(arrayText(inOrder(ENTRIES.slice(1)))) }),
  }),
  refused('segment-twice', 'a segment is named twice', {
    head: headOf({ ...SIGNED, segments: [A.part, B.part, B.part] }),
  }),
  refused('segment-no-list', 'a segment is no array of entries', {
    head: headOf({ ...SIGNED, segments: [{ sha256: hashOf('{}'), bytes: 2 }] }),
    segments: { [hashOf('{}')]: '{}' },
  }),
  refused('whole-list', 'the whole list in the place of its head', {
    head: {
      entries: [],
      signedAt: SIGNED_AT,
      signature: sign(
        null,
        Buffer.from(`{"entries":[],"signedAt":"${SIGNED_AT}"}`),
        CURRENT.privateKey,
      ).toString('base64'),
    },
    segments: { [EMPTY.name]: EMPTY.text },
  }),
];

/** The bytes of interop/revocations/heads.json. */
export const listHeadFile = (): Uint8Array => interopJson(vectors());
