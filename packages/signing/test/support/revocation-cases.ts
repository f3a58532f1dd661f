import { sign } from 'node:crypto';
import type { RevocationEntry, RevocationList } from '@svc/contracts';
import { type TestKey, testKey } from '@svc/testkit';
import { NEUTRAL, plusOrder } from './ed25519-forgeries.ts';

/** One response to a client, and the result in the client. */
export type ListStep = {
  /** The time on the clock of the client. */
  now: string;
  list: unknown;
  verdict: 'accept' | 'refuse';
  refusal?: 'not-verified' | 'rolled-back';
  /** Whether the client must warn the user that the last accepted list is old. */
  stale: boolean;
  /** Whether the client must warn the user that the last accepted list is signed in the future. */
  ahead: boolean;
  /** The installed versions that may no longer run. */
  off: string[];
};

/** The purpose and the steps of a vector. */
export type ListCase = { why: string; steps: ListStep[] };

const keyOf = (word: string): TestKey => testKey(`svc vectors: the ${word} key of a list`);
export const CURRENT = keyOf('current');
export const RETIRED = keyOf('retired');
const STRANGER = keyOf('foreign');

/** The versions that the client of the vectors has installed. */
export const INSTALLED = ['com.example.notes@1.0.0', 'com.example.other@2.0.0-rc.1'];
const [NOTES, OTHER] = INSTALLED as [string, string];

/** A time on the day of the vectors. */
const at = (time: string): string => `2026-01-01T${time}.000Z`;
const NOW = at('10:30:00');
const SIGNED = at('10:00:00');

const entry = (appId: string, version: string, changes: Partial<RevocationEntry> = {}): RevocationEntry => ({
  appId,
  version,
  reason: 'It lost notes.',
  at: at('09:00:00'),
  ...changes,
});
const NOTES_OFF = entry('com.example.notes', '1.0.0');

/** The canonical JSON of a list. The vectors with words cover the encoding of texts. */
const canonical = (entries: readonly RevocationEntry[], signedAt: string): string => {
  const each = entries.map(
    (one) =>
      `{"appId":${JSON.stringify(one.appId)},"at":"${one.at}","reason":${JSON.stringify(one.reason)},"version":"${one.version}"}`,
  );
  return `{"entries":[${each.join(',')}],"signedAt":"${signedAt}"}`;
};

const seal = (text: string, { privateKey }: TestKey = CURRENT): string =>
  sign(null, Buffer.from(text), privateKey).toString('base64');

type Shape = { entries?: RevocationEntry[]; signedAt?: string; text?: string; by?: TestKey };

/** A list and its signature, over its canonical JSON or another text. */
function listOf({ entries = [NOTES_OFF], signedAt = SIGNED, text, by }: Shape = {}): RevocationList {
  return { entries, signedAt, signature: seal(text ?? canonical(entries, signedAt), by) };
}

const taken = (
  list: RevocationList,
  off: string[],
  now = NOW,
  stale = Date.parse(now) - Date.parse(list.signedAt) > 3 * 3_600_000,
): ListStep => ({
  ...{ now, list, verdict: 'accept', off, stale },
  ahead: Date.parse(list.signedAt) - Date.parse(now) > 3_600_000,
});

/** Signed while the clock of the store was forty days ahead. */
const AHEAD = listOf({ signedAt: '2026-02-10T10:00:00.000Z' });
const EMPTY = listOf({ entries: [] });
const GOOD = listOf();
const TEXT = canonical([NOTES_OFF], SIGNED);

/** A list that is refused after an empty list was accepted: nothing changes. */
const refused = (why: string, list: unknown): ListCase => ({
  why,
  steps: [
    taken(listOf({ entries: [], signedAt: at('09:30:00') }), []),
    { now: NOW, list, verdict: 'refuse', refusal: 'not-verified', stale: false, ahead: false, off: [] },
  ],
});
const forged = (why: string, changes: object): ListCase => refused(why, { ...GOOD, ...changes });

const rolledBack = (list: unknown, off: string[]): ListStep => ({
  ...{ now: NOW, list, verdict: 'refuse', refusal: 'rolled-back', stale: false, ahead: false, off },
});

const WORDS =
  'Quotes " and \\, a slash /, <b>&amp;</b>, \b\t\n\f\r\u0001\u001f\u007f, é, e\u0301, €, \u2028\u2029, 日本, \ufb33, 😀.';

/** Lists that are accepted, and the results of the lists after them. */
export const TAKEN: Record<string, ListCase> = {
  empty: { why: 'nothing is withdrawn', steps: [taken(EMPTY, [])] },
  'one-entry': { why: 'one of two versions is withdrawn', steps: [taken(GOOD, [NOTES])] },
  'unknown-entries': {
    why: 'entries about what is not installed: other apps, other versions, ids that no app can have',
    steps: [
      taken(
        listOf({
          entries: [
            entry('', ''),
            entry('com.example.notes', '0.9.0'),
            entry('com.example.notes', '1.0.0-rc.1'),
            entry('com.example.unknown', '1.0.0'),
            entry('__proto__', 'constructor'),
          ],
        }),
        [],
      ),
    ],
  },
  'build-metadata': {
    why: 'a build is withdrawn: build metadata makes no version another one',
    steps: [
      taken(
        listOf({
          entries: [entry('com.example.notes', '1.0.0+b.5'), entry('com.example.other', '2.0.0-rc.1+a')],
        }),
        [NOTES, OTHER],
      ),
    ],
  },
  'twice-named': {
    why: 'one version is named twice',
    steps: [taken(listOf({ entries: [NOTES_OFF, { ...NOTES_OFF, at: at('09:30:00') }] }), [NOTES])],
  },
  words: {
    why: 'a reason with all that canonical JSON writes in its own way, or as it is (RFC 8785 section 3.2.2.2)',
    steps: [taken(listOf({ entries: [{ ...NOTES_OFF, reason: WORDS }] }), [NOTES])],
  },
  'keys-in-any-order': {
    why: 'the list is sent with its keys in another order: the canonical JSON is the same',
    steps: [
      taken(
        {
          signature: GOOD.signature,
          signedAt: SIGNED,
          entries: [{ version: '1.0.0', reason: NOTES_OFF.reason, at: NOTES_OFF.at, appId: NOTES_OFF.appId }],
        },
        [NOTES],
      ),
    ],
  },
  'taken-back': {
    why: 'a later list no longer names a version: it may be switched on again',
    steps: [taken(GOOD, [NOTES]), taken(listOf({ entries: [], signedAt: at('10:10:00') }), [])],
  },
  'more-later': {
    why: 'a later list names more',
    steps: [
      taken(GOOD, [NOTES]),
      taken(
        listOf({ entries: [NOTES_OFF, entry('com.example.other', '2.0.0-rc.1')], signedAt: at('10:10:00') }),
        [NOTES, OTHER],
      ),
    ],
  },
  'same-moment': {
    why: 'the same list again',
    steps: [taken(GOOD, [NOTES]), taken(GOOD, [NOTES])],
  },
  'a-millisecond-later': {
    why: 'another list of a millisecond later: a store whose clock was set back signs so',
    steps: [taken(EMPTY, []), taken(listOf({ signedAt: '2026-01-01T10:00:00.001Z' }), [NOTES])],
  },
  'three-hours-old': {
    why: 'a list that is three hours old to the millisecond is not old yet',
    steps: [taken(GOOD, [NOTES], at('13:00:00'))],
  },
  old: {
    why: 'a list that is older than three hours counts, and the person is told that it is old',
    steps: [taken(GOOD, [NOTES], '2026-01-01T13:00:00.001Z')],
  },
  frozen: {
    why: 'the store answers with the same list for hours: it becomes old',
    steps: [taken(GOOD, [NOTES]), taken(GOOD, [NOTES], at('12:59:59')), taken(GOOD, [NOTES], at('13:00:01'))],
  },
  'from-ahead': {
    why: 'the clock of the client goes after that of the store',
    steps: [taken(GOOD, [NOTES], at('09:59:00'))],
  },
  'far-ahead': {
    why: 'signed forty days ahead: it counts, and the person is told',
    steps: [taken(AHEAD, [NOTES])],
  },
  'far-ahead-and-frozen': {
    why: 'signed forty days ahead and served for hours: it becomes old all the same',
    steps: [
      taken(AHEAD, [NOTES]),
      taken(AHEAD, [NOTES], at('13:30:00')),
      taken(AHEAD, [NOTES], at('13:30:01'), true),
      taken(listOf({ signedAt: '2026-02-10T10:00:00.001Z' }), [NOTES], at('13:30:02')),
    ],
  },
};

/** Lists that are refused; the last accepted list stays in effect. */
export const REFUSED: Record<string, ListCase> = {
  'older-than-last': {
    why: 'a list of before the withdrawal is sent again (replay)',
    steps: [taken(GOOD, [NOTES]), rolledBack(listOf({ entries: [], signedAt: at('09:59:59') }), [NOTES])],
  },
  'older-by-a-millisecond': {
    why: 'a list older than the last one by a millisecond, which names more',
    steps: [taken(EMPTY, []), rolledBack(listOf({ signedAt: '2026-01-01T09:59:59.999Z' }), [])],
  },
  'same-moment-other-entries': {
    why: 'another list of the same moment, which names less',
    steps: [taken(GOOD, [NOTES]), rolledBack(EMPTY, [NOTES])],
  },
  'same-moment-more-entries': {
    why: 'another list of the same moment, which names more: a store gives every change a later time',
    steps: [taken(EMPTY, []), rolledBack(GOOD, [])],
  },
  'forged-and-frozen': {
    why: 'a forged list does not make the last one younger',
    steps: [
      taken(EMPTY, []),
      {
        ...{ now: at('13:00:01'), list: { ...GOOD, signedAt: at('13:00:00') } },
        ...{ verdict: 'refuse', refusal: 'not-verified', stale: true, ahead: false, off: [] },
      },
    ],
  },
  'by-retired-key': refused(
    'signed by the key before the current one: it must not speak any more',
    listOf({ by: RETIRED }),
  ),
  'by-stranger': refused('signed by a key of somebody else', listOf({ by: STRANGER })),
  'entry-added': refused('an entry was added', { ...EMPTY, entries: [NOTES_OFF] }),
  'entry-left-out': forged('the entry was left out', { entries: [] }),
  'entry-doubled': forged('the entry was doubled', { entries: [NOTES_OFF, NOTES_OFF] }),
  'entries-turned-round': refused('two entries in another order than was signed', {
    ...listOf({ entries: [NOTES_OFF, entry('com.example.other', '1.0.0')] }),
    entries: [entry('com.example.other', '1.0.0'), NOTES_OFF],
  }),
  'version-changed': forged('another version', { entries: [{ ...NOTES_OFF, version: '1.0.1' }] }),
  'reason-changed': forged('another reason', { entries: [{ ...NOTES_OFF, reason: 'It lost notes!' }] }),
  'reason-composed': refused('a reason in another normal form of Unicode', {
    ...listOf({ entries: [{ ...NOTES_OFF, reason: 'e\u0301' }] }),
    entries: [{ ...NOTES_OFF, reason: 'é' }],
  }),
  'time-changed': forged('a later time than was signed', { signedAt: at('10:00:01') }),
  'list-field-unknown': forged('a field beside those of a list', { sequence: 7 }),
  'list-field-unknown-signed': refused('a field beside those of a list, signed with it', {
    ...listOf({ text: `{"entries":[],"sequence":7,"signedAt":"${SIGNED}"}`, entries: [] }),
    sequence: 7,
  }),
  'entry-field-unknown-signed': refused('a field beside those of an entry, signed with it', {
    entries: [{ ...NOTES_OFF, until: SIGNED }],
    signedAt: SIGNED,
    signature: seal(TEXT.replace('"version":"1.0.0"', `"until":"${SIGNED}","version":"1.0.0"`)),
  }),
  'entry-field-left-out-signed': refused('an entry without its reason, signed so', {
    entries: [{ appId: NOTES_OFF.appId, version: '1.0.0', at: NOTES_OFF.at }],
    signedAt: SIGNED,
    signature: seal(TEXT.replace('"reason":"It lost notes.",', '')),
  }),
  'version-as-number-signed': refused('a version as a number, signed so', {
    entries: [{ ...NOTES_OFF, version: 1 }],
    signedAt: SIGNED,
    signature: seal(TEXT.replace('"1.0.0"', '1')),
  }),
  'entries-as-object-signed': refused('an object in place of the entries, signed so', {
    ...{ entries: {}, signedAt: SIGNED, signature: seal(`{"entries":{},"signedAt":"${SIGNED}"}`) },
  }),
  'time-without-milliseconds-signed': refused(
    'a time without milliseconds, signed so',
    listOf({ signedAt: '2026-01-01T10:00:00Z' }),
  ),
  'time-with-offset-signed': refused(
    'a time that is not in UTC, signed so',
    listOf({ signedAt: '2026-01-01T11:00:00.000+01:00' }),
  ),
  'half-a-surrogate-pair': forged('half a surrogate pair, which canonical JSON cannot carry', {
    entries: [{ ...NOTES_OFF, reason: '\ud800' }],
  }),
  'not-a-list': refused('a list of entries alone', [NOTES_OFF]),
  nothing: refused('null', null),
  'not-signed': refused('no signature', { entries: [], signedAt: SIGNED }),
  'signature-null': forged('null in place of a signature', { signature: null }),
  'signature-cut-short': forged('the last byte of the signature is missing', {
    signature: Buffer.from(GOOD.signature, 'base64').subarray(0, 63).toString('base64'),
  }),
  'signature-without-padding': forged('the padding of the base64 is missing', {
    signature: GOOD.signature.replace('==', ''),
  }),
  's-plus-order': forged('the order of the group was added to the second half of the signature', {
    signature: plusOrder(TEXT, CURRENT).toString('base64'),
  }),
  'neutral-point': forged('the neutral point and zero in place of the signature', {
    signature: Buffer.concat([NEUTRAL, Buffer.alloc(32)]).toString('base64'),
  }),
  'white-space-signed': refused(
    'a space was signed after each colon',
    listOf({ text: TEXT.replaceAll('":', '": ') }),
  ),
  'keys-unsorted-signed': refused(
    'the time was signed before the entries',
    listOf({ text: `{"signedAt":"${SIGNED}","entries":[]}`, entries: [] }),
  ),
  'entries-alone-signed': refused(
    'the entries were signed without the time',
    listOf({ text: '[]', entries: [] }),
  ),
  'escapes-signed': refused(
    'what is not ASCII was signed as \\u escapes',
    listOf({ entries: [{ ...NOTES_OFF, reason: 'é' }], text: TEXT.replace('It lost notes.', '\\u00e9') }),
  ),
  'facts-signed': refused(
    'the facts of a version were signed, by the same key at the same time',
    listOf({
      text: `{"accounts":[],"appId":"com.example.notes","domains":[],"grants":[],"publishedAt":"${SIGNED}","sha256":"${'0'.repeat(64)}","version":"1.0.0"}`,
      entries: [],
    }),
  ),
};
