import { OFFICIAL_META, RegistryServerList, serverNameOf } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { sha256Of } from '../../../platform/sha256.ts';
import type { MirrorTarget } from './mirror-target.ts';
import type { KnownApp } from './read-apps.ts';
import type { StoreAnswers } from './read-store.ts';

/** The feeds of the whole store. */
const FEEDS = ['new', 'updated', 'yanks'] as const;
const FORMATS = ['atom', 'json'] as const;

/** Apps that are read at the same time. */
const AT_ONCE = 8;

/** Servers on a page of the registry API that is read. */
const PAGE = 100;

/** A path that means the same file in a folder, a bucket and a URL; versions have a plus. */
const SAFE = /^[\w.+-]+(?:\/[\w.+-]+)*\/?$/;

/** The path of a list without the slash at its end. */
const bare = (path: string): string => path.replace(/\/$/, '');

export type PlainDeps = {
  answers: StoreAnswers;
  target: Pick<MirrorTarget, 'write' | 'plain' | 'remove'>;
  /** Counts what was written and removed. */
  count(bytes: number): void;
  removed(): void;
};

/**
 * Creates what writes the files that programs read at the addresses of the store, which know nothing of mirrors: feeds, and the read API of
 * MCP registries. Nothing of them is signed.
 */
export function createPlainFiles({ answers, target, count, removed }: PlainDeps) {
  /** The hashes of the files that this process has written, by their paths. */
  const written = new Map<string, string>();
  /** The files of each app, and of each publisher, and the content of the store that they are of. */
  let known = new Map<string, { of: string; paths: string[] }>();

  /** @returns the path */
  async function put(path: string, bytes: Buffer): Promise<string> {
    if (!SAFE.test(path) || path.includes('..')) throw new Error(`${path} is no path of a mirror`);
    const sha256 = sha256Of(bytes);
    if (written.get(path) === sha256) return path;
    await target.write(path, bytes);
    written.set(path, sha256);
    count(bytes.byteLength);
    return path;
  }

  const putJson = (path: string, value: unknown): Promise<string> =>
    put(path, Buffer.from(JSON.stringify(value)));

  /** Files that the store has at their own paths; one that it does not have is left out. */
  async function copy(paths: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const path of paths) {
      const { status, bytes } = await answers.ask(`/${path}`);
      if (status === 200) found.push(await put(path, bytes));
    }
    return found;
  }

  const feedsOf = (name: string): string[] => FORMATS.map((format) => `feeds/${name}.${format}`);

  /** The registry's files of an app: the list of its versions, each of them, and the latest. */
  async function registryOf(appId: string): Promise<string[]> {
    const serverName = serverNameOf(appId);
    const { path } = apiRequest('GET /v0.1/servers/:serverName/versions', {
      params: { serverName },
      query: {},
    });
    const { status, bytes } = await answers.ask(path);
    if (status !== 200) return [];
    const { servers, metadata } = RegistryServerList.parse(JSON.parse(bytes.toString('utf8')));
    const folder = `v0.1/servers/${serverName}/versions/`;
    const paths = [await putJson(folder, { servers, metadata })];
    for (const server of servers) paths.push(await putJson(folder + server.server.version, server));
    const latest = servers.find(({ _meta }) => _meta[OFFICIAL_META].isLatest);
    if (latest) paths.push(await putJson(`${folder}latest`, latest));
    return paths;
  }

  /** The latest versions of all apps in one list: a web server of files knows no cursors. */
  async function registryList(): Promise<string[]> {
    const servers: unknown[] = [];
    const seen = new Set<string>();
    for (let cursor: string | undefined; ; ) {
      const query = { version: 'latest', limit: PAGE, ...(cursor !== undefined && { cursor }) };
      const { status, bytes } = await answers.ask(apiRequest('GET /v0.1/servers', { query }).path);
      if (status !== 200) return [];
      const page = RegistryServerList.parse(JSON.parse(bytes.toString('utf8')));
      servers.push(...page.servers);
      cursor = page.metadata.nextCursor;
      if (cursor === undefined) break;
      if (seen.has(cursor)) throw new Error('The registry of the store has no end.');
      seen.add(cursor);
    }
    return [await putJson('v0.1/servers/', { servers, metadata: { count: servers.length } })];
  }

  /** The files of something that is `of` a content; those of the last run while it has the same. */
  async function filesOf(name: string, of: string, make: () => Promise<string[]>) {
    const before = known.get(name);
    return [name, before?.of === of ? before : { of, paths: await make() }] as const;
  }

  /** What there is to write, by its name, and the content that it is of. */
  function wanted(apps: ReadonlyMap<string, KnownApp>) {
    const all = new Map<string, { of: string; make(): Promise<string[]> }>();
    const publishers = new Map<string, string[]>();
    for (const [appId, { entry, contentAt }] of apps) {
      const make = async () => [...(await copy(feedsOf(`apps/${appId}`))), ...(await registryOf(appId))];
      all.set(`app ${appId}`, { of: String(contentAt), make });
      const { slug } = entry.publisher;
      publishers.set(slug, [...(publishers.get(slug) ?? []), `${appId} ${contentAt}`]);
    }
    for (const [slug, of] of publishers)
      all.set(`publisher ${slug}`, {
        of: of.sort().join(),
        make: () => copy(feedsOf(`publishers/${slug}`)),
      });
    return all;
  }

  async function removeOthers(paths: ReadonlySet<string>): Promise<void> {
    for await (const path of target.plain()) {
      if (paths.has(bare(path))) continue;
      await target.remove(path);
      written.delete(path);
      removed();
    }
  }

  return {
    /**
     * Writes what changed since the last run, and removes the files of what is gone.
     * @param apps what the store shows now
     * @param yanks the hash of the list of yanks
     */
    async run(apps: ReadonlyMap<string, KnownApp>, yanks: string): Promise<void> {
      const all = [...wanted(apps)];
      const next: typeof known = new Map();
      for (let n = 0; n < all.length; n += AT_ONCE) {
        const some = all.slice(n, n + AT_ONCE).map(([name, { of, make }]) => filesOf(name, of, make));
        for (const [name, files] of await Promise.all(some)) next.set(name, files);
      }
      const content = sha256Of(JSON.stringify([yanks, all.map(([name, { of }]) => [name, of])]));
      const [name, files] = await filesOf('store', content, async () => [
        ...(await copy(FEEDS.flatMap(feedsOf))),
        ...(await registryList()),
      ]);
      const isSame = known.get(name) === files;
      next.set(name, files);
      known = next;
      if (!isSame) await removeOthers(new Set([...known.values()].flatMap(({ paths }) => paths.map(bare))));
    },
  };
}
