import { createHash } from 'node:crypto';
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
import { mirrorPath } from '@svc/signing';
import type { MirrorTarget } from './mirror-target.ts';
import { keptHeaders, type StoreAnswer, type StoreAnswers } from './read-store.ts';

/** Bodies that are longer are files of their own, in characters. */
const INLINE = 2_048;

/** How old what is known of an app may be, in milliseconds: its head is signed again each hour. */
const REREAD_MS = 10 * 60_000;

/** Apps that are read at the same time. */
const AT_ONCE = 8;

/** What a mirror has of one app, and when the store was asked. */
export type KnownApp = MirrorApps & { entry: CatalogEntry; readAt: number };

export type AppsDeps = {
  answers: StoreAnswers;
  /** Writes an object. @returns its hash */
  keep(bytes: Uint8Array, kind: 'json' | 'zip' | 'bin'): Promise<string>;
  target: Pick<MirrorTarget, 'has'>;
  now(): number;
};

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

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
  const { answers, keep, target } = deps;

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

  async function readApp(entry: CatalogEntry, known: KnownApp | null): Promise<KnownApp | null> {
    const readAt = deps.now();
    const { appId } = entry;
    const params = { appId };
    const detail = apiRequest('GET /api/apps/:appId', { params });
    const asked: ApiRequest<unknown>[] = [
      detail,
      apiRequest('GET /api/apps/:appId', { params, query: { html: '1' } }),
      apiRequest('GET /api/apps/:appId/head', { params, query: { list: '1' } }),
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
    return { ...part, entry, readAt };
  }

  const isSame = (known: KnownApp, entry: CatalogEntry, yanked: ReadonlySet<string>): boolean =>
    deps.now() - known.readAt < REREAD_MS &&
    !yanked.has(entry.appId) &&
    JSON.stringify(known.entry) === JSON.stringify(entry);

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
        const some = entries.slice(n, n + AT_ONCE).map(async (entry) => {
          const before = known.get(entry.appId) ?? null;
          return before && isSame(before, entry, changed) ? before : readApp(entry, before);
        });
        for (const app of await Promise.all(some)) if (app) read.set(app.entry.appId, app);
      }
      return read;
    },
  };
}
