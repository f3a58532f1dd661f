import { type CatalogEntry, type CatalogQuery, Manifest } from '@svc/contracts';
import { type CarryDeps, carryApp, isChosen, type Reading } from './carry-app.ts';
import { UpstreamError } from './trust.ts';

/** Apps of an upstream that are looked at in one pass although nothing says that they changed: a suspension is found by this. */
const LOOKED_AT = 30;

/** How long ago such an app must have been looked at, in milliseconds; of an upstream whose events are read, a day. */
const [LOOK_AFTER_MS, LOOK_DAILY_MS] = [30_000, 24 * 3_600_000];

/** Pages of a catalogue that are read in one pass: 100,000 apps. */
const MAX_PAGES = 1_000;

/** Apps of an upstream that are looked at at the same time. */
const AT_ONCE = 4;

/** Apps of an upstream that are kept: a hostile one has no end. */
const MAX_APPS = 100_000;

/** How often the whole catalogue is read: what was suspended for a while, or belongs to a publisher who was verified later, is no change of it. */
const WHOLE_MS = 24 * 3_600_000;

/** An error of a reader that may be about the answer for one app alone. */
type RuntimeError = Error & { code: string };

export const isOfOne = (error: unknown): error is RuntimeError =>
  ['store-unreachable', 'too-slow', 'store-refused'].includes(String((error as { code?: unknown })?.code));

/** Such an error with the app in its message; any other error as it is. */
export const namedAfter = (appId: string, error: unknown): unknown =>
  isOfOne(error)
    ? Object.assign(new Error(`${appId}: ${error.message}`, { cause: error }), { code: error.code })
    : error;

/** The pages of the catalogue with what changed since a time. @throws UpstreamError for a catalogue without an end */
export async function* pagesSince(
  { reader, signal }: Pick<Reading, 'reader' | 'signal'>,
  updatedSince: string | null,
): AsyncGenerator<CatalogEntry[]> {
  const query: CatalogQuery = { sort: 'name', limit: 100, ...(updatedSince !== null && { updatedSince }) };
  const cursors = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await reader.search({ ...query, ...(cursor !== undefined && { cursor }) }, signal);
    yield page.apps;
    cursor = page.nextCursor;
    if (cursor === null) return;
    if (cursors.has(cursor) || cursors.size >= MAX_PAGES)
      throw new UpstreamError('failed', 'Its catalogue has no end.');
    cursors.add(cursor);
  }
}

/** Creates what carries the apps of upstreams in this process. */
export function createCarrier(deps: CarryDeps) {
  /** When this process last read a whole catalogue, by upstream. */
  const wholeAt = new Map<string, number>();

  /**
   * Looks at some apps, at most `AT_ONCE`.
   * @returns why one of them could not be looked at, null when each was
   * @throws what stops the upstream: also when none of several could be looked at
   */
  async function carrySome(reading: Reading, appIds: readonly string[]): Promise<Error | null> {
    const results = await Promise.allSettled(appIds.map((appId) => carryApp(deps, reading, appId)));
    const errors = results.flatMap((one, n) =>
      one.status === 'rejected' ? [namedAfter(appIds[n] as string, one.reason)] : [],
    );
    const stops = errors.find((error) => !isOfOne(error));
    if (stops !== undefined || errors.length === AT_ONCE) throw stops ?? errors[0];
    await deps.upstreams.renewTurn(reading.upstream.id, deps.clock());
    return (errors[0] as RuntimeError | undefined) ?? null;
  }

  /** Looks at apps. One with an answer that cannot be read does not keep the others back. @returns why the first such one failed */
  async function carryAll(reading: Reading, appIds: readonly string[]): Promise<Error | null> {
    let failed: Error | null = null;
    for (let n = 0; n < appIds.length; n += AT_ONCE) {
      reading.signal?.throwIfAborted();
      failed = (await carrySome(reading, appIds.slice(n, n + AT_ONCE))) ?? failed;
    }
    return failed;
  }

  /** The chosen apps of a page whose listed version was not looked at yet. */
  async function newOn({ upstream }: Reading, apps: readonly CatalogEntry[]): Promise<string[]> {
    const chosen = apps.filter(
      (app) => Manifest.shape.id.safeParse(app.appId).success && isChosen(upstream.choices, app),
    );
    const known = await deps.upstreams.appsOf(
      upstream.id,
      chosen.map(({ appId }) => appId),
    );
    const versions = new Map(known.map(({ appId, version }) => [appId, version]));
    return chosen.filter(({ appId, version }) => versions.get(appId) !== version).map(({ appId }) => appId);
  }

  /** Carries the new apps of some pages. @returns the last publication on them, and why an app could not be looked at */
  async function carryPages(reading: Reading, pages: AsyncIterable<CatalogEntry[]>) {
    const kept = Object.values(await deps.upstreams.countApps(reading.upstream.id));
    let count = kept.reduce((sum, some) => sum + some, 0);
    let until = reading.upstream.readUntil ?? '';
    let failed: Error | null = null;
    for await (const apps of pages) {
      const found = await newOn(reading, apps);
      count += found.length;
      if (count > MAX_APPS) throw new UpstreamError('failed', `It has more than ${MAX_APPS} apps.`);
      failed = (await carryAll(reading, found)) ?? failed;
      for (const { publishedAt } of apps) if (publishedAt > until) until = publishedAt;
    }
    return { until, failed };
  }

  /** Carries what changed in the catalogue since the last time, and once a day what is in it. */
  async function readCatalogue(reading: Reading): Promise<Error | null> {
    const { id, readUntil } = reading.upstream;
    const began = deps.clock();
    const isWhole = began.getTime() - (wholeAt.get(id) ?? 0) >= WHOLE_MS;
    const { until, failed } = await carryPages(reading, pagesSince(reading, isWhole ? null : readUntil));
    if (failed) return failed;
    if (isWhole) wholeAt.set(id, began.getTime());
    // A time ahead of the clock would hide what is published until then.
    const now = deps.clock().toISOString();
    if (until !== '') await deps.upstreams.readTo(id, until < now ? until : now);
    return null;
  }

  async function carryChosen(reading: Reading): Promise<Error | null> {
    const { apps } = reading.upstream.choices;
    const known = new Set((await deps.upstreams.appsOf(reading.upstream.id, apps)).map(({ appId }) => appId));
    return carryAll(
      reading,
      apps.filter((appId) => !known.has(appId)),
    );
  }

  async function lookAgain(reading: Reading): Promise<Error | null> {
    const after = reading.hasEvents ? LOOK_DAILY_MS : LOOK_AFTER_MS;
    const before = new Date(deps.clock().getTime() - after).toISOString();
    const due = await deps.upstreams.dueApps(reading.upstream.id, before, LOOKED_AT);
    return carryAll(
      reading,
      due.map(({ appId }) => appId),
    );
  }

  /** Carries what is new of an upstream whose lists verify. @throws UpstreamError, and errors of the reader */
  async function carry(reading: Reading): Promise<void> {
    const failed = [
      await carryChosen(reading),
      reading.upstream.choices.which === 'chosen' ? null : await readCatalogue(reading),
      await lookAgain(reading),
    ].find((error) => error !== null);
    if (failed) throw failed;
  }

  return { carry };
}
