import {
  appIdOf,
  OFFICIAL_META,
  openApiDocument,
  REGISTRY_META,
  REGISTRY_PAGE,
  type RegistryQuery,
  type RegistryServer,
  type RegistryServerList,
} from '@svc/contracts';
import type { Context } from 'hono';
import { z } from 'zod';
import type { Env } from '../../core/access/context.ts';
import type { HandlersOf } from '../../core/access/extension.ts';
import { searchOf } from '../../core/catalog/answer-from-memory.ts';
import { type BrowseDeps, findListed } from '../../core/catalog/browse.ts';
import { encodeJson, sendEncoded } from '../../core/catalog/routes.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { byVersionDescending } from '../../core/domain/versions/version-record.ts';
import type { EncodedPage } from '../../http/encoded-page.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { PageCache } from '../../platform/page-cache.ts';
import { readCursor, writeCursor } from '../../platform/page-of.ts';
import { type PolicyDeps, policyRoutes } from './policy-routes.ts';
import type { Released, ReleasedStore } from './released-store.ts';
import { registryServer } from './server-json.ts';

export type RegistryDeps = BrowseDeps &
  PolicyDeps & {
    released: ReleasedStore;
    details: PageCache<EncodedPage>;
    baseUrl: string;
    routeNames: Parts['routeNames'];
    mcpRegistry: 'on' | 'off';
  };

const INVALID_CURSOR = {
  message: 'This cursor is not one of this registry: start again without it.',
  advice: 'Use metadata.nextCursor as it is.',
};

/** The query of a list, as a cursor carries it: some clients send only the cursor from the second page on. */
const Query = z.object({
  search: z.string().max(200),
  version: z.string().max(255).nullable(),
  updatedSince: z.string().nullable(),
  withYanked: z.boolean(),
  limit: z.int().min(1).max(REGISTRY_PAGE.most),
});
type Query = z.infer<typeof Query>;

/** Where the next page begins: after a version, in a list of changes with its time, or at a cursor of the catalogue. */
const Place = z.union([
  z.string(),
  z.object({ appId: z.string(), version: z.string(), changedAt: z.string().nullable() }),
]);
type Place = z.infer<typeof Place>;

const Cursor = z.tuple([Query, Place]);

const queryOf = ({ limit, search, updated_since, version, include_deleted }: RegistryQuery): Query => ({
  search: search?.trim() ?? '',
  version: version ?? null,
  updatedSince: updated_since === undefined ? null : new Date(updated_since).toISOString(),
  withYanked: include_deleted === 'true' || updated_since !== undefined,
  limit: Math.min(limit ?? REGISTRY_PAGE.unset, REGISTRY_PAGE.most),
});

/** Reads the records of released versions, and describes them in the given order. */
async function describe(deps: RegistryDeps, released: readonly Released[]): Promise<RegistryServer[]> {
  const records = await deps.versions.findAll(released);
  const byName = new Map(records.map((record) => [`${record.appId} ${record.version}`, record]));
  return released.flatMap((one) => {
    const record = byName.get(`${one.appId} ${one.version}`);
    return (record && registryServer(one, record, deps)) ?? [];
  });
}

type Page = { released: Released[]; next: Place | null };

/** The latest versions, or exact ones, of apps that the catalogue finds and orders. */
async function foundPage(deps: RegistryDeps, query: Query, place: Place | null): Promise<Page> {
  const { search, version, updatedSince, limit } = query;
  const { apps, nextCursor } = await findListed(deps, {
    ...(search === '' ? { sort: 'updated' as const } : { q: search }),
    ...(updatedSince !== null && { updatedSince }),
    ...(typeof place === 'string' && { cursor: place }),
    limit,
  });
  const exact = version === 'latest' ? null : version;
  const found = await deps.released.oneOf(
    apps.map(({ appId }) => appId),
    exact,
  );
  const byApp = new Map(found.map((one) => [one.appId, one]));
  return { released: apps.flatMap(({ appId }) => byApp.get(appId) ?? []), next: nextCursor };
}

type Read = { after: { appId: string; version: string; changedAt: string | null } | null; limit: number };

/** Reads one page and one version more. */
function readVersions({ released }: RegistryDeps, query: Query, { after, limit }: Read): Promise<Released[]> {
  const one = { limit, withYanked: query.withYanked };
  if (query.updatedSince !== null)
    return released.changes(query.updatedSince, after && { ...after, changedAt: after.changedAt ?? '' }, one);
  return query.version === null ? released.page(after, one) : released.withVersion(query.version, after, one);
}

/**
 * All released versions: by app and version, or since a time in the order of their changes. Of changes an exact version is chosen after
 * they were read, so that no request reads more than a page: there may be fewer on it.
 */
async function versionsPage(deps: RegistryDeps, query: Query, place: Place | null): Promise<Page> {
  const after = typeof place === 'string' ? null : place;
  const found = await deps.searchGate(() => readVersions(deps, query, { after, limit: query.limit + 1 }));
  const page = found.slice(0, query.limit);
  const last = found.length > query.limit ? page.at(-1) : undefined;
  return {
    released: page.filter(({ version }) => query.version === null || version === query.version),
    next: last ? { appId: last.appId, version: last.version, changedAt: last.changedAt } : null,
  };
}

async function list(deps: RegistryDeps, requested: RegistryQuery): Promise<RegistryServerList> {
  const [query, place] =
    requested.cursor === undefined
      ? ([queryOf(requested), null] as const)
      : readCursor(Cursor, requested.cursor, INVALID_CURSOR);
  const isFound = query.search !== '' || query.version === 'latest';
  const { released, next } = await (isFound ? foundPage : versionsPage)(deps, query, place);
  const servers = await describe(deps, released);
  const nextCursor = next === null ? {} : { nextCursor: writeCursor([query, next]) };
  return { servers, metadata: { count: servers.length, ...nextCursor } };
}

/** The released versions of a named server, newest first. @throws ApiError not_found */
async function versionsOf(deps: RegistryDeps, name: string, withYanked: boolean): Promise<Released[]> {
  const appId = appIdOf(name);
  const found = appId === null ? [] : await deps.released.ofApp(appId, withYanked);
  if (found.length === 0) throw new ApiError('not_found', 'Server not found');
  return found.sort(byVersionDescending);
}

async function listVersions(
  deps: RegistryDeps,
  name: string,
  withYanked: boolean,
): Promise<RegistryServerList> {
  const servers = await describe(deps, await versionsOf(deps, name, withYanked));
  return { servers, metadata: { count: servers.length } };
}

async function oneVersion(
  deps: RegistryDeps,
  { serverName, version }: { serverName: string; version: string },
  withYanked: boolean,
): Promise<RegistryServer> {
  const all = await versionsOf(deps, serverName, withYanked);
  const wanted = all.find((one) => one.version === (version === 'latest' ? one.latest : version));
  const [server] = wanted ? await describe(deps, [wanted]) : [];
  if (!server) throw new ApiError('not_found', 'Server version not found');
  return server;
}

/** Sends an answer from the cache of details, by address. */
async function send(
  deps: RegistryDeps,
  c: Context<Env>,
  make: () => Promise<unknown>,
  type?: string,
): Promise<Response> {
  if (deps.mcpRegistry === 'off')
    throw new ApiError('not_found', 'The registry API of this store is switched off.');
  return sendEncoded(
    c,
    await deps.details.get(c.req.path + searchOf(c.req.url), async () =>
      encodeJson(await make(), type === undefined ? {} : { 'Content-Type': type }),
    ),
  );
}

/** Apps of the catalogue of AI artifacts, whose draft has no pages; all of them are in the registry. */
const AI_CATALOG_APPS = 100;

/** The servers of the last updated apps (AI Catalog 1.0, draft): each entry has the description of a server in itself. */
async function aiCatalog(deps: RegistryDeps, host: string): Promise<object> {
  const { baseUrl, routeNames } = deps;
  const { servers } = await list(deps, { version: 'latest', limit: AI_CATALOG_APPS });
  return {
    specVersion: '1.0',
    host: {
      displayName: host,
      identifier: new URL(baseUrl).hostname,
      ...(routeNames.has('docsIndex') && { documentationUrl: `${baseUrl}/docs` }),
    },
    entries: servers.map(({ server, _meta }) => ({
      identifier: `urn:air:${new URL(baseUrl).hostname}:mcp:${_meta[REGISTRY_META].appId}`,
      type: 'application/mcp-server-card+json',
      updatedAt: _meta[OFFICIAL_META].updatedAt,
      data: server,
    })),
    metadata: { [`${REGISTRY_META}.registry`]: `${baseUrl}/v0.1/servers` },
  };
}

type InContext = Context<Env>;
type OfServer = { params: { serverName: string }; query: { include_deleted?: 'true' | 'false' | undefined } };

/**
 * The path of the registry API that a request means: clients that put it together by hand send the slash of a server's name unencoded,
 * or a slash at the end.
 */
export function registryPath(path: string): string {
  if (!path.startsWith('/v0/servers/') && !path.startsWith('/v0.1/servers/')) return path;
  const [, api, servers, ...rest] = path.split('/');
  const parts = rest.at(-1) === '' ? rest.slice(0, -1) : rest;
  const isSplit = parts[2] === 'versions';
  return ['', api, servers, ...(isSplit ? [`${parts[0]}%2F${parts[1]}`, ...parts.slice(2)] : parts)].join(
    '/',
  );
}

/** The read API of MCP registries (`/v0.1`, and `/v0` alike): the signed catalogue, for clients that know nothing of this store. */
export function registryRoutes(deps: RegistryDeps) {
  const servers = ({ query }: { query: RegistryQuery }, c: InContext) =>
    send(deps, c, () => list(deps, query));
  const versions = ({ params, query }: OfServer, c: InContext) =>
    send(deps, c, () => listVersions(deps, params.serverName, query.include_deleted === 'true'));
  const version = ({ params, query }: OfServer & { params: { version: string } }, c: InContext) =>
    send(deps, c, () => oneVersion(deps, params, query.include_deleted === 'true'));
  // Made at the first request: it takes as long as to open the store.
  let openApi: ReturnType<typeof encodeJson> | undefined;
  return {
    openApiYaml: (_request: unknown, c: InContext) => {
      openApi ??= encodeJson(openApiDocument(deps.baseUrl, deps.routeNames), {
        'Content-Type': 'application/yaml',
      });
      return sendEncoded(c, openApi);
    },
    aiCatalog: (_request: unknown, c: InContext) =>
      send(deps, c, () => aiCatalog(deps, c.get('brand').name), 'application/ai-catalog+json'),
    ...policyRoutes(deps),
    registryServers: servers,
    registryServersV0: servers,
    registryVersions: versions,
    registryVersionsV0: versions,
    registryVersion: version,
    registryVersionV0: version,
  } satisfies HandlersOf<'registry'>;
}
