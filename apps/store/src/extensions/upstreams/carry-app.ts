import {
  type AppDetail,
  type CatalogEntry,
  compareVersions,
  ERRORS,
  type Manifest,
  type UpstreamChoices,
} from '@svc/contracts';
import { signedFootprintOf } from '@svc/permissions';
import type { StoreReader } from '@svc/runtime/store-client';
import { cleanLine } from '@svc/text';
import { systemActor } from '../../core/domain/audit/audit-log.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { SubmitStores } from '../../core/publishing/submit-version.ts';
import { ApiError } from '../../platform/api-error.ts';
import { OverrunError } from '../../platform/overrun-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { carryVersion, type Foreign } from './carry-version.ts';
import { type Trust, type TrustedHead, UpstreamError } from './trust.ts';
import type { Held, KeptApp, KeptUpstream, UpstreamStore } from './upstream-store.ts';

export type CarryDeps = Omit<Parameters<typeof carryVersion>[0], 'unitOfWork'> &
  Pick<Parts, 'versions' | 'clock'> & {
    upstreams: UpstreamStore;
    unitOfWork: UnitOfWork<SubmitStores & { upstreams: UpstreamStore }>;
  };

/** An upstream that is being read. */
export type Reading = {
  upstream: KeptUpstream;
  reader: StoreReader;
  trust: Trust;
  /** Whether its events say which apps to look at. */
  hasEvents?: boolean;
  signal?: AbortSignal | undefined;
};

/** Statuses with which a store says that it shows no such app: one that it suspended, deleted or never had. */
const NOT_SHOWN: ReadonlySet<unknown> = new Set([403, 404, 410, 451]);

/** Whether an error of a reader is about what was asked for, and not about the store. */
export function isOfApp(error: unknown): error is Error {
  const { code, detail } = (error ?? {}) as { code?: unknown; detail?: { status?: unknown } };
  if (code === 'store-refused') return NOT_SHOWN.has(detail?.status);
  return code === 'yanked' || code === 'too-large';
}

/** Whether an app comes by the choices for its store. */
export const isChosen = (
  { which, apps, categories }: UpstreamChoices,
  { appId, publisher, ...app }: Pick<CatalogEntry, 'appId' | 'publisher' | 'categories'>,
): boolean => {
  if (which === 'all' || apps.includes(appId)) return true;
  if (which === 'verified') return publisher.verified;
  return which === 'categories' && app.categories.some((category) => categories.includes(category));
};

/** Whether a version with a manifest waits for a moderator, by the choices for its store. */
const mustReview = ({ how, grants }: UpstreamChoices, manifest: Manifest): boolean => {
  if (how !== 'permissions') return how === 'review';
  const allowed: ReadonlySet<string> = new Set(grants);
  return signedFootprintOf(manifest).grants.some((grant) => !allowed.has(grant));
};

/** Longest text of an upstream that is kept, in characters. */
const NOTE = 300;

/** Longest name of a publisher, in characters. */
const NAME = 80;

const saidIn = ({ publisher, reviewed, installs }: AppDetail): Foreign['said'] => ({
  publisherName: cleanLine(publisher.name, NAME) || publisher.slug,
  verified: publisher.verified,
  reviewed: reviewed ?? null,
  installs,
});

/** What became of an app: its state here, and why. */
type Outcome = Pick<KeptApp, 'state' | 'note'> & {
  /** The version to which that applies; by default the latest. */
  version?: string;
};

/** An app of an upstream: what was kept of it, and its newest version here, if that comes from the same upstream. */
type Looked = { appId: string; known: KeptApp | null; here: string | null };

const refused = (note: string): Outcome => ({ state: 'refused', note: cleanLine(note, NOTE) });

/** Whether this store refuses only for now. */
function isTemporary({ code }: ApiError): boolean {
  const { status } = ERRORS[code];
  return status >= 500 || status === 429 || status === 408;
}

/** Why a version is not carried, for administrators. @throws other errors */
function refusalOf(error: unknown): Outcome {
  if (error instanceof ApiError && !isTemporary(error)) {
    const codes = (error.extras.issues ?? [])
      .filter(({ level }) => level === 'error')
      .map(({ code }) => code);
    return refused(codes.length > 0 ? `${error.message} (${codes.join(', ')})` : error.message);
  }
  if (error instanceof OverrunError) return refused('Checking its bundle exceeded the limits of this store.');
  if (isOfApp(error)) return refused(error.message);
  throw error;
}

/**
 * Refuses an upstream that has other bytes under a version that is carried: it shows this store another history than before.
 * @throws UpstreamError forked
 */
async function requireSameHistory({ versions }: CarryDeps, appId: string, { listed = [] }: TrustedHead) {
  const known = new Map((await versions.released(appId)).map((one) => [one.version, one.sha256]));
  const other = listed.find(({ version, sha256 }) => (known.get(version) ?? sha256) !== sha256);
  if (other)
    throw new UpstreamError('forked', `It signed ${appId} ${other.version} again, with other contents.`);
}

const CARRIES = 'That store carries it from another one: add the other store as an upstream.';

async function carryLatest(
  deps: CarryDeps,
  { upstream, reader, trust, signal }: Reading,
  detail: AppDetail,
  head: TrustedHead,
): Promise<Outcome> {
  const { appId } = detail;
  const version = head.statement.latest;
  if (detail.origin) return refused(CARRIES);
  try {
    const { bytes, sha256, release, origin } = await reader.download({ appId, version }, signal);
    if (origin !== undefined) return refused(CARRIES);
    if (head.published.get(version) !== sha256)
      return refused('Its bundle is not the one in the signed list of its versions.');
    const { status } = await carryVersion(deps, {
      ...{ address: upstream.address, bytes, release, said: saidIn(detail) },
      keys: await trust.forFacts(release.keyId),
      mustReview: (manifest) => mustReview(upstream.choices, manifest),
    });
    return { state: status === 'in_review' ? 'waiting' : 'carried', note: '' };
  } catch (error) {
    return refusalOf(error);
  }
}

/** The state of an app whose newest version is here already. */
async function currentState({ versions }: CarryDeps, appId: string, newest: string): Promise<Outcome> {
  const record = await versions.find({ appId, version: newest });
  if (record?.state === 'in_review') return { state: 'waiting', note: '' };
  if (record?.state === 'rejected') return refused('A moderator of this store rejected it.');
  return { state: 'carried', note: '' };
}

/** The newest version of an app that is here, if it comes from an upstream. */
async function newestOf(
  { versions }: CarryDeps,
  { address }: KeptUpstream,
  appId: string,
): Promise<string | null> {
  const version = await versions.newestUpload(appId);
  if (version === null) return null;
  return (await versions.find({ appId, version }))?.origin?.store === address ? version : null;
}

/** Stops new installs of an app, or ends that. An audit entry tells every process of it. */
const hold = (deps: CarryDeps, appId: string, held: Held | null, note: string): Promise<void> =>
  deps.unitOfWork(async ({ audit, upstreams }) => {
    if (!(await upstreams.hold(appId, held))) return;
    const at = deps.clock().toISOString();
    const event = { action: 'upstream.change', appId, detail: { held: held ?? '', note } } as const;
    await audit.add(systemActor('upstream'), at, event);
  });

/** What a store shows of an app; why it does not, in its words. One that it suspended still has a head, for those who have the app. */
const shown = ({ reader, signal }: Reading, appId: string): Promise<AppDetail | string> =>
  reader.detail(appId, signal).catch((error: unknown) => {
    if (isOfApp(error)) return cleanLine(error.message, NOTE);
    throw error;
  });

/** Stops new installs of an app that its store no longer shows: it suspended or deleted it, or yanked all of its versions. */
async function gone(deps: CarryDeps, { appId, here }: Looked, why: string): Promise<Outcome> {
  if (here === null) return refused(why);
  await hold(deps, appId, 'gone', why);
  return { state: 'gone', note: why };
}

/** An app without a head. @throws UpstreamError rolled-back when it had one */
async function withoutHead(deps: CarryDeps, reading: Reading, looked: Looked): Promise<Outcome> {
  const found = await shown(reading, looked.appId);
  if (typeof found === 'string') return gone(deps, looked, found);
  if (!looked.known?.head)
    return refused('That store does not sign which version is the latest: it is too old.');
  throw new UpstreamError(
    'rolled-back',
    `It no longer signs which version of ${looked.appId} is the latest.`,
  );
}

const NOT_CHOSEN = 'It is not chosen any more: its yanks are followed, and no new version comes.';

/** Carries the latest version of an app, if that is newer than what is here. @throws UpstreamError forked */
async function carryListed(
  deps: CarryDeps,
  reading: Reading,
  looked: Looked,
  head: TrustedHead,
): Promise<Outcome> {
  const { appId, known, here } = looked;
  const { latest } = head.statement;
  if (here !== null) await requireSameHistory(deps, appId, head);
  const wasRefused = known?.state === 'refused' && known.version === latest;
  if (wasRefused && here === null) return known;
  const detail = await shown(reading, appId);
  if (typeof detail === 'string') return gone(deps, looked, detail);
  if (known?.state === 'gone') await hold(deps, appId, null, 'Its store has it again.');
  if (wasRefused) return known;
  if (here !== null && compareVersions(latest, here) <= 0) return currentState(deps, appId, here);
  if (isChosen(reading.upstream.choices, detail)) return carryLatest(deps, reading, detail, head);
  return here === null ? refused(NOT_CHOSEN) : { state: 'carried', note: NOT_CHOSEN, version: here };
}

/** Records what became of an app. With a new version the last list is applied again: it may have come before that version, and name it. */
async function keep(
  deps: CarryDeps,
  { upstream }: Reading,
  { known }: Pick<Looked, 'known'>,
  app: Omit<KeptApp, 'checkedAt'>,
): Promise<void> {
  const kept = { ...app, checkedAt: deps.clock().toISOString() };
  await deps.unitOfWork(async ({ upstreams }) => {
    await upstreams.keepApp(upstream.id, kept);
    if (known?.version !== app.version) await upstreams.tagList(upstream.id, null);
  });
}

/**
 * Looks at an app of an upstream, and carries its latest version if that is newer than what is here.
 * @throws UpstreamError, and errors of the reader
 */
export async function carryApp(deps: CarryDeps, reading: Reading, appId: string): Promise<void> {
  const { upstream, reader, trust, signal } = reading;
  const known = await deps.upstreams.app(upstream.id, appId);
  const looked = { appId, known, here: await newestOf(deps, upstream, appId) };
  const answer = await reader.head(appId, signal);
  const head = answer && (await trust.head(appId, answer, known?.head ?? null));
  const { state, note, version } = head
    ? await carryListed(deps, reading, looked, head)
    : await withoutHead(deps, reading, looked);
  await keep(deps, reading, looked, {
    ...{ appId, state, note },
    version: version ?? head?.statement.latest ?? known?.version ?? '',
    head: head?.statement ?? known?.head ?? null,
  });
}
