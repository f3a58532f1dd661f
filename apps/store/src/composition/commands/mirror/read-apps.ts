import {
  AppDetail,
  type CatalogEntry,
  CatalogPage,
  LogProof,
  type MirrorAnswer,
  type MirrorApps,
  type PublishedVersion,
} from '@svc/contracts';
import { type ApiRequest, apiRequest } from '@svc/contracts/client';
import { base64Of, readProofFile } from '@svc/log';
import { type MirrorKind, mirrorPath } from '@svc/signing';
import { sha256Of } from '../../../platform/sha256.ts';
import type { MirrorTarget } from './mirror-target.ts';
import { keptHeaders, type StoreAnswer, type StoreAnswers } from './read-store.ts';

/** Bodies that are longer are files of their own, in characters. */
const INLINE = 2_048;

/** How old the head of an app may be, in milliseconds, and what else is known of an app that did not change: a head is signed again each hour. */
const [HEAD_MS, REREAD_MS] = [10 * 60_000, 3_600_000];

/** Apps that are read at the same time. */
const AT_ONCE = 8;

/** What a mirror has of one app, when the store was asked for its head, and for all of it. */
export type KnownApp = MirrorApps & { entry: CatalogEntry; readAt: number; contentAt: number };

export type AppsDeps = {
  answers: StoreAnswers;
  /** Address of the store, as clients know it. */
  store: string;
  /** Writes an object. @returns its hash */
  keep(bytes: Uint8Array, kind: MirrorKind): Promise<string>;
  target: Pick<MirrorTarget, 'has'>;
  now(): number;
};

/** The kinds of pictures that the store draws. */
const KINDS: Readonly<Record<string, 'png' | 'webp'>> = { 'image/png': 'png', 'image/webp': 'webp' };

/** Keeps an answer: a short body as it is, a longer one as a file. */
export async function answerOf(
  { keep }: Pick<AppsDeps, 'keep'>,
  { status, headers, bytes }: StoreAnswer,
): Promise<MirrorAnswer> {
  const body =
    bytes.length <= INLINE
      ? { text: bytes.toString('utf8') }
      : { sha256: await keep(bytes, 'json'), kind: 'json' as const };
  return { status: status === 200 ? 200 : 404, headers: keptHeaders(headers), body };
}

/** All entries of the catalogue. @throws for a catalogue without an end */
export async function readCatalogue({ need }: StoreAnswers): Promise<CatalogEntry[]> {
  const entries = new Map<string, CatalogEntry>();
  const seen = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { sort: 'name' as const, limit: 100, ...(cursor !== undefined && { cursor }) };
    const { path } = apiRequest('GET /api/apps/catalog', { query });
    const page = CatalogPage.parse(JSON.parse((await need(path)).toString('utf8')));
    for (const entry of page.apps) entries.set(entry.appId, entry);
    cursor = page.nextCursor;
    if (cursor !== null && seen.has(cursor)) throw new Error('The catalogue of the store has no end.');
    if (cursor !== null) seen.add(cursor);
  }
  return [...entries.values()];
}

/** Creates the reader of what clients ask of apps. What it has read before is read again only where it may have changed. */
export function createAppReader(deps: AppsDeps) {
  const { answers, keep, target, store } = deps;

  /** The path of a URL below the address of the store; null for any other. */
  const pathBelow = (url: string): string | null =>
    url.startsWith(`${store}/`) ? url.slice(store.length) : null;

  /** The bundle of a version. Its bytes are fetched only when the mirror does not have them. */
  async function bundleOf(
    appId: string,
    { version, sha256 }: PublishedVersion,
  ): Promise<MirrorAnswer | null> {
    const { path } = apiRequest('GET /api/apps/:appId/versions/:version/bundle', {
      params: { appId, version },
    });
    const isThere = await target.has(mirrorPath(sha256, 'zip'));
    const { status, headers, bytes } = await answers.ask(path, {
      method: isThere ? 'HEAD' : 'GET',
      isBundle: true,
    });
    if (status !== 200) return null;
    if (!isThere) {
      if (sha256Of(bytes) !== sha256)
        throw new Error(`The bundle of ${appId} ${version} has other contents than the store says.`);
      await keep(bytes, 'zip');
    }
    return { status: 200, headers: keptHeaders(headers), body: { sha256, kind: 'zip' } };
  }

  /** Where the log has a version; null where the store has no log, or not this version in it. */
  async function loggedOf(appId: string, version: string): Promise<MirrorApps['logged'][string] | null> {
    const params = { appId, version };
    const { path } = apiRequest('GET /api/apps/:appId/versions/:version/log-proof', { params, query: {} });
    const { status, bytes } = await answers.ask(path);
    if (status !== 200) return null;
    const proof = readProofFile(LogProof.parse(JSON.parse(bytes.toString('utf8'))).proof);
    return proof && { index: proof.index, extra: proof.extra && base64Of(proof.extra) };
  }

  async function readVersion(part: MirrorApps, appId: string, one: PublishedVersion, known: KnownApp | null) {
    const params = { appId, version: one.version };
    const { path } = apiRequest('GET /api/apps/:appId/versions/:version/bundle', { params });
    const before = known?.answers[path];
    const isSame = before?.headers['x-svc-signature'] === one.signature && !before.headers['x-svc-origin'];
    const bundle = isSame && before ? before : await bundleOf(appId, one);
    if (bundle) part.answers[path] = bundle;
    const query = { reviewed: '1' as const };
    const tools = apiRequest('GET /api/apps/:appId/versions/:version/tools', { params, query }).path;
    const found = await answers.ask(tools);
    if (found.status === 200 || found.status === 404) part.answers[tools] = await answerOf(deps, found);
    const name = `${appId} ${one.version}`;
    const logged = known?.logged[name] ?? (await loggedOf(appId, one.version));
    if (logged) part.logged[name] = logged;
  }

  /** A picture as desktops show it. One of a version never changes. */
  async function readPicture(part: MirrorApps, url: string, known: KnownApp | null): Promise<void> {
    const address = new URL(url);
    address.searchParams.set('raster', '');
    const path = pathBelow(address.href);
    if (path === null) return;
    const before = known?.answers[path];
    if (before) {
      part.answers[path] = before;
      return;
    }
    const { status, headers, bytes } = await answers.ask(path);
    const kind = KINDS[headers.get('content-type') ?? ''];
    if (status !== 200 || kind === undefined) return;
    const body = { sha256: await keep(bytes, kind), kind };
    part.answers[path] = { status: 200, headers: keptHeaders(headers), body };
  }

  const headRequest = (appId: string) =>
    apiRequest('GET /api/apps/:appId/head', { params: { appId }, query: { list: '1' } });

  /** The same app with its head as it is now; null for one that is gone. */
  async function withHead(known: KnownApp): Promise<KnownApp | null> {
    const readAt = deps.now();
    const { path } = headRequest(known.entry.appId);
    const found = await answers.ask(path);
    if (found.status !== 200) return null;
    return { ...known, readAt, answers: { ...known.answers, [path]: await answerOf(deps, found) } };
  }

  async function readApp(entry: CatalogEntry, known: KnownApp | null): Promise<KnownApp | null> {
    const readAt = deps.now();
    const { appId } = entry;
    const params = { appId };
    const detail = apiRequest('GET /api/apps/:appId', { params });
    const asked: ApiRequest<unknown>[] = [
      detail,
      apiRequest('GET /api/apps/:appId', { params, query: { html: '1' } }),
      headRequest(appId),
    ];
    const part: MirrorApps = { answers: {}, logged: {} };
    let versions: PublishedVersion[] = [];
    for (const { path } of asked) {
      const found = await answers.ask(path);
      // It was suspended, or yanked, meanwhile.
      if (found.status !== 200) return null;
      part.answers[path] = await answerOf(deps, found);
      if (path === detail.path) versions = AppDetail.parse(JSON.parse(found.bytes.toString('utf8'))).versions;
    }
    for (const version of versions) await readVersion(part, appId, version, known);
    for (const url of [entry.iconUrl, ...entry.screenshots]) await readPicture(part, url, known);
    return { ...part, entry, readAt, contentAt: readAt };
  }

  const isSame = (known: KnownApp, entry: CatalogEntry, yanked: ReadonlySet<string>): boolean =>
    deps.now() - known.contentAt < REREAD_MS &&
    !yanked.has(entry.appId) &&
    JSON.stringify(known.entry) === JSON.stringify(entry);

  /** What a mirror has of an app now; null for one that is gone. */
  async function readEntry(entry: CatalogEntry, known: KnownApp | null, changed: ReadonlySet<string>) {
    if (!known || !isSame(known, entry, changed)) return readApp(entry, known);
    return deps.now() - known.readAt < HEAD_MS ? known : withHead(known);
  }

  return {
    /**
     * Reads what clients ask of apps.
     * @param changed the apps of which a yank, or the end of one, is new
     */
    async read(
      entries: readonly CatalogEntry[],
      known: ReadonlyMap<string, KnownApp>,
      changed: ReadonlySet<string>,
    ): Promise<Map<string, KnownApp>> {
      const read = new Map<string, KnownApp>();
      for (let n = 0; n < entries.length; n += AT_ONCE) {
        const some = entries
          .slice(n, n + AT_ONCE)
          .map((entry) => readEntry(entry, known.get(entry.appId) ?? null, changed));
        for (const app of await Promise.all(some)) if (app) read.set(app.entry.appId, app);
      }
      return read;
    },
  };
}
