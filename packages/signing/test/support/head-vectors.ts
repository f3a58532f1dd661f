import { createHash, sign } from 'node:crypto';
import type { HeadStatement, HeadVersion } from '@svc/contracts';
import { type InteropFiles, interopJson, type TestKey, testKey } from '@svc/testkit';

/** A head that a client receives, the versions beside it, and the result. */
export type HeadStep = {
  statement: HeadStatement;
  list: HeadVersion[];
  verdict: 'accept' | 'refuse';
  refusal?: 'not-verified' | 'rolled-back';
};

/** Heads that a client receives one after another: see interop/head/README.md. */
export type HeadVector = {
  name: string;
  why: string;
  /** Keys that the client trusts, the current one last. */
  keys: { keyId: string; publicKeyPem: string }[];
  steps: HeadStep[];
};

const RETIRED = testKey('svc vectors: the retired key of a head');
const CURRENT = testKey('svc vectors: the current key of a head');

const versionOf = (version: string, state: HeadVersion['state'] = 'published'): HeadVersion => ({
  version,
  sha256: createHash('sha256').update(version).digest('hex'),
  state,
});
const OLD = [versionOf('1.0.0')];
const NEW = [versionOf('1.0.0', 'yanked'), versionOf('1.0.7')];

/** The canonical JSON of versions and of a head, written out: another program than the one under test. */
const canonicalVersions = (list: readonly HeadVersion[]): string =>
  `[${list.map(({ sha256, state, version }) => `{"sha256":"${sha256}","state":"${state}","version":"${version}"}`).join(',')}]`;
const canonicalHead = ({
  appId,
  latest,
  signedAt,
  versions,
}: Omit<HeadStatement, 'signature' | 'keyId'>): string =>
  `{"appId":"${appId}","latest":"${latest}","signedAt":"${signedAt}","versions":"${versions}"}`;

function headOf(
  list: readonly HeadVersion[],
  time: string,
  by: TestKey = CURRENT,
  text?: string,
): HeadStatement {
  const versions = createHash('sha256').update(canonicalVersions(list)).digest('hex');
  const latest = list.findLast(({ state }) => state === 'published')?.version ?? '';
  const signed = { appId: 'com.example.notes', latest, versions, signedAt: `2026-01-01T${time}.000Z` };
  const signature = sign(null, Buffer.from(text ?? canonicalHead(signed)), by.privateKey).toString('base64');
  return { ...signed, signature, keyId: by.keyId };
}

const taken = (list: HeadVersion[], time: string): HeadStep => ({
  statement: headOf(list, time),
  list,
  verdict: 'accept',
});
const refused = (
  statement: HeadStatement,
  list: HeadVersion[],
  refusal: 'not-verified' | 'rolled-back',
): HeadStep => ({
  statement,
  list,
  verdict: 'refuse',
  refusal,
});

const FACTS =
  '{"accounts":[],"appId":"com.example.notes","domains":[],"grants":[],"publishedAt":"2026-01-01T10:00:00.000Z"}';

const CASES: readonly Pick<HeadVector, 'name' | 'why' | 'steps'>[] = [
  {
    name: 'accept-newer',
    why: 'Each head is newer than the one before.',
    steps: [taken(OLD, '10:00:00'), taken(NEW, '10:10:00')],
  },
  {
    name: 'accept-same',
    why: 'The same head again, as a store sends within ten minutes.',
    steps: [taken(NEW, '10:00:00'), taken(NEW, '10:00:00')],
  },
  {
    name: 'refuse-replayed',
    why: 'A mirror replays a head that was honestly signed before.',
    steps: [taken(NEW, '10:10:00'), refused(headOf(OLD, '10:00:00'), OLD, 'rolled-back')],
  },
  {
    name: 'refuse-replayed-renamed',
    why: 'The same, under another name of the key, which is not signed: the key that verified the last one also signed this one.',
    steps: [
      taken(NEW, '10:10:00'),
      refused({ ...headOf(OLD, '10:00:00'), keyId: 'mirror' }, OLD, 'rolled-back'),
    ],
  },
  {
    name: 'refuse-same-time',
    why: 'The same time with other versions.',
    steps: [taken(NEW, '10:00:00'), refused(headOf(OLD, '10:00:00'), OLD, 'rolled-back')],
  },
  {
    name: 'refuse-retired-key',
    why: 'Only the current key may sign heads.',
    steps: [refused(headOf(NEW, '10:00:00', RETIRED), NEW, 'not-verified')],
  },
  {
    name: 'refuse-other-list',
    why: 'The versions beside the head are not those whose hash it has.',
    steps: [refused(headOf(NEW, '10:00:00'), OLD, 'not-verified')],
  },
  {
    name: 'refuse-yanked-as-published',
    why: 'A yanked version is presented as published.',
    steps: [
      refused(
        headOf(NEW, '10:00:00'),
        NEW.map((one) => ({ ...one, state: 'published' })),
        'not-verified',
      ),
    ],
  },
  {
    name: 'refuse-facts-as-head',
    why: 'A signature of the current key over facts is none of a head.',
    steps: [refused(headOf(NEW, '10:00:00', CURRENT, FACTS), NEW, 'not-verified')],
  },
  {
    name: 'refuse-changed-latest',
    why: 'The latest version was replaced after signing.',
    steps: [refused({ ...headOf(NEW, '10:00:00'), latest: '1.0.0' }, NEW, 'not-verified')],
  },
];

const keys = [RETIRED, CURRENT].map(({ keyId, publicKeyPem }) => ({ keyId, publicKeyPem }));

/** The files of `interop/head`. */
export const headFiles = (): InteropFiles =>
  new Map([['vectors.json', interopJson(CASES.map(({ name, why, steps }) => ({ name, why, keys, steps })))]]);
