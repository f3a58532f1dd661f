import {
  type Deprecations,
  MIRROR_FILE,
  type MirrorAnswer,
  type MirrorIndex,
  RevocationHead,
  RevocationList,
  ROUTES,
  type StoreKey,
} from '@svc/contracts';
import { type ApiRequest, apiRequest } from '@svc/contracts/client';
import { readCheckpoint, readNote, tileOf, tilePath } from '@svc/log';
import {
  type MirrorKind,
  mirrorPart,
  mirrorPath,
  readMirrorRoot,
  type SigningKey,
  signMirror,
} from '@svc/signing';
import { sha256Of } from '../../../platform/sha256.ts';
import type { Log } from '../../../platform/system.ts';
import type { MirrorTarget } from './mirror-target.ts';
import { createPlainFiles } from './plain-files.ts';
import { answerOf, createAppReader, type KnownApp, readCatalogue } from './read-apps.ts';
import type { StoreAnswer, StoreAnswers } from './read-store.ts';

/** Apps in a part of the catalogue, and in a part of the answers about apps; most parts of each. */
const [ENTRIES_IN_PART, APPS_IN_PART, MAX_PARTS] = [64, 16, 1_024];

/** How long a file stays that the mirror no longer names, in milliseconds: a client may be reading it, or a copy of the mirror be behind. */
const KEPT_MS = 24 * 3_600_000;

/** Apps in one question about deprecations. */
const ASKED = 100;

/** The beginning of the paths of segments of the list of yanks. */
const SEGMENTS = ROUTES.revocationSegment.path.replace(':sha256', '');

/** Attempts to read the log while it grows. */
const LOG_ATTEMPTS = 3;

export type MirrorDeps = {
  answers: StoreAnswers;
  target: MirrorTarget;
  /** Address of the store, as clients know it. */
  store: string;
  keys: { signingKey: SigningKey; keyChain: readonly StoreKey[] };
  now(): number;
  log: Log;
};

/** What a run wrote. */
export type MirrorReport = { apps: number; written: number; bytes: number; removed: number };

/** A power of two, so that an app stays in its part until their number doubles. */
function partsFor(apps: number, inPart: number): number {
  let parts = 1;
  while (parts < MAX_PARTS && parts * inPart < apps) parts *= 2;
  return parts;
}

/** The apps of which a yank, or the end of one, is new. */
function changedBetween(before: RevocationList | null, now: RevocationList): Set<string> {
  const namesOf = (list: RevocationList | null) =>
    new Map((list?.entries ?? []).map((one) => [`${one.appId} ${one.version} ${one.at}`, one.appId]));
  const [old, next] = [namesOf(before), namesOf(now)];
  return new Set(
    [...old, ...next].filter(([name]) => !(old.has(name) && next.has(name))).map(([, appId]) => appId),
  );
}

/** The paths of all tiles of hashes of a log of a size. */
function* tilePathsOf(size: number): Generator<string> {
  for (let level = 0; tileOf(level, 0, size); level += 1)
    for (let index = 0; ; index += 1) {
      const tile = tileOf(level, index, size);
      if (!tile) break;
      yield tilePath(tile);
    }
}

/** Creates what writes a mirror, and remembers between two runs what it read. */
export function createMirrorWriter({ answers, target, store, keys, now, log }: MirrorDeps) {
  let known = new Map<string, KnownApp>();
  let revocations: RevocationList | null = null;
  const tiles = new Map<string, string>();
  /** The answers about no app that the store gave last, by their paths. */
  let fixed = new Map<string, StoreAnswer>();
  /** The paths of the objects that this process knows to be there. */
  const there = new Set<string>();
  /** Those that this run named. */
  let named = new Set<string>();
  let report: MirrorReport = { apps: 0, written: 0, bytes: 0, removed: 0 };

  /** Writes an object, unless it is there. @returns its hash */
  async function keep(bytes: Uint8Array, kind: MirrorKind): Promise<string> {
    const sha256 = sha256Of(bytes);
    const path = mirrorPath(sha256, kind);
    named.add(path);
    if (there.has(path) || (await target.has(path))) {
      there.add(path);
      return sha256;
    }
    await target.write(path, bytes);
    there.add(path);
    wrote(bytes.byteLength);
    return sha256;
  }

  function wrote(bytes: number): void {
    report.written += 1;
    report.bytes += bytes;
  }

  const keepJson = (value: unknown): Promise<string> => keep(Buffer.from(JSON.stringify(value)), 'json');
  const apps = createAppReader({ answers, target, store, now, keep });
  const plain = createPlainFiles({
    ...{ answers, target, count: wrote },
    removed: () => {
      report.removed += 1;
    },
  });

  /** An answer about no app. The store sends it again only when it has changed; a segment of the list of yanks never does. */
  async function askFixed({ path }: ApiRequest<unknown>): Promise<StoreAnswer> {
    const before = fixed.get(path);
    if (before && path.startsWith(SEGMENTS)) return before;
    const known = before?.headers.get('etag') ?? null;
    const found = await answers.ask(path, { known });
    return found.status === 304 && before ? before : found;
  }

  /** The requests for the segments of the list of yanks. One that is gone meanwhile leads clients to the whole list. */
  async function segmentRequests(): Promise<ApiRequest<unknown>[]> {
    const { status, bytes } = await askFixed(apiRequest('GET /api/revocations/head'));
    if (status !== 200) return [];
    const { segments } = RevocationHead.parse(JSON.parse(bytes.toString('utf8')));
    return segments.map(({ sha256 }) =>
      apiRequest('GET /api/revocations/segments/:sha256', { params: { sha256 } }),
    );
  }

  async function readFixed(): Promise<MirrorIndex['answers']> {
    const requests: ApiRequest<unknown>[] = [
      ...(await segmentRequests()),
      apiRequest('GET /api/revocations/head'),
      apiRequest('GET /api/apps/revocations'),
      apiRequest('GET /api/apps/public-keys'),
      apiRequest('GET /api/apps/public-key'),
      apiRequest('GET /api/managed-settings'),
    ];
    const next: typeof fixed = new Map();
    const all: Record<string, MirrorAnswer> = {};
    for (const request of requests) {
      const found = await askFixed(request);
      if (found.status !== 200 && found.status !== 404) continue;
      next.set(request.path, found);
      all[request.path] = await answerOf({ keep }, found);
    }
    fixed = next;
    return all;
  }

  /** The list of yanks that this run has read. @throws when the store did not send it */
  function listRead(): { list: RevocationList; sha256: string } {
    const { bytes, status } = fixed.get(apiRequest('GET /api/apps/revocations').path) ?? {};
    if (!bytes || status !== 200) throw new Error('The store sends no list of yanks.');
    return { list: RevocationList.parse(JSON.parse(bytes.toString('utf8'))), sha256: sha256Of(bytes) };
  }

  async function readDeprecations(appIds: readonly string[]): Promise<string> {
    const found: Deprecations['apps'] = [];
    for (let n = 0; n < appIds.length; n += ASKED) {
      const query = { apps: appIds.slice(n, n + ASKED).join(',') };
      const { path } = apiRequest('GET /api/apps/deprecations', { query });
      found.push(...(JSON.parse((await answers.need(path)).toString('utf8')) as Deprecations).apps);
    }
    return keepJson({ apps: found });
  }

  /** Keeps a tile of hashes. @returns its hash; null when the store no longer has it */
  async function keepTile(path: string): Promise<string | null> {
    const before = tiles.get(path);
    if (before !== undefined) {
      named.add(mirrorPath(before, 'bin'));
      return before;
    }
    const { status, bytes } = await answers.ask(`/${path}`);
    return status === 200 ? keep(bytes, 'bin') : null;
  }

  /** The tiles of hashes of a log. @returns null when the log has grown meanwhile, and no longer has one of them */
  async function readTilesOf(size: number): Promise<Record<string, string> | null> {
    const found: Record<string, string> = {};
    for (const path of tilePathsOf(size)) {
      const sha256 = await keepTile(path);
      if (sha256 === null) return null;
      found[path] = sha256;
    }
    tiles.clear();
    for (const [path, sha256] of Object.entries(found)) tiles.set(path, sha256);
    return found;
  }

  async function readLog(): Promise<string | null> {
    for (let attempt = 1; attempt <= LOG_ATTEMPTS; attempt += 1) {
      const { status, bytes } = await answers.ask('/checkpoint');
      if (status !== 200) return null;
      const checkpoint = bytes.toString('utf8');
      const size = readCheckpoint(readNote(checkpoint)?.text ?? '')?.size ?? 0;
      const found = await readTilesOf(size);
      if (found) return keepJson({ checkpoint, tiles: found });
    }
    throw new Error('The log of the store grows faster than it can be read.');
  }

  async function inParts<T>(
    of: ReadonlyMap<string, KnownApp>,
    inPart: number,
    make: (some: KnownApp[]) => T,
  ): Promise<string[]> {
    const parts = Array.from({ length: partsFor(of.size, inPart) }, (): KnownApp[] => []);
    for (const appId of [...of.keys()].sort())
      parts[mirrorPart(appId, parts.length)]?.push(of.get(appId) as KnownApp);
    const hashes: string[] = [];
    for (const some of parts) hashes.push(await keepJson(make(some)));
    return hashes;
  }

  /** Names what answers refer to, so that it stays. */
  function nameFiles(all: MirrorIndex['answers']): void {
    for (const { body } of Object.values(all))
      if ('sha256' in body) named.add(mirrorPath(body.sha256, body.kind));
  }

  async function sweep(): Promise<void> {
    for await (const path of target.olderThan(new Date(now() - KEPT_MS))) {
      if (named.has(path)) continue;
      await target.remove(path);
      there.delete(path);
      report.removed += 1;
    }
  }

  /** @throws when the target has something else than a mirror of this store */
  async function requireOwn(): Promise<void> {
    const text = await target.read(MIRROR_FILE);
    if (text === null && (await target.isForeign())) throw new Error('it has other files, and no mirror');
    if (text === null) return;
    const root = readMirrorRoot(text);
    const own = new Set(keys.keyChain.map(({ keyId }) => keyId));
    if (!root?.keys.some(({ keyId }) => own.has(keyId)))
      throw new Error('it has the mirror of another store');
  }

  return {
    /**
     * Brings the mirror up to date. Readers see the last one until all files of the next are there; the plain files follow.
     * @throws when the store or the target cannot be used: the mirror is then as before, or its plain files are older
     */
    async run(): Promise<MirrorReport> {
      await requireOwn();
      [named, report] = [new Set(), { apps: 0, written: 0, bytes: 0, removed: 0 }];
      const began = now();
      const aboutNone = await readFixed();
      const { list, sha256 } = listRead();
      const read = await apps.read(await readCatalogue(answers), known, changedBetween(revocations, list));
      for (const { answers: own } of read.values()) nameFiles(own);
      nameFiles(aboutNone);
      const index: MirrorIndex = {
        store,
        answers: aboutNone,
        entries: await inParts(read, ENTRIES_IN_PART, (some) => ({ apps: some.map(({ entry }) => entry) })),
        apps: await inParts(read, APPS_IN_PART, (some) => ({
          answers: Object.assign({}, ...some.map((one) => one.answers)),
          logged: Object.assign({}, ...some.map((one) => one.logged)),
        })),
        deprecations: await readDeprecations([...read.keys()].sort()),
        log: await readLog(),
      };
      const bytes = Buffer.from(JSON.stringify(index));
      await keep(bytes, 'json');
      const oldest = Math.min(began, ...[...read.values()].map(({ readAt }) => readAt));
      const root = signMirror(bytes, new Date(oldest).toISOString(), keys.keyChain, keys.signingKey);
      await target.write(MIRROR_FILE, Buffer.from(JSON.stringify(root)));
      [known, revocations] = [read, list];
      report.apps = read.size;
      await plain.run(read, sha256);
      await sweep().catch((err: unknown) =>
        log.warn({ err }, 'Old files of the mirror could not be removed.'),
      );
      return report;
    },
  };
}
