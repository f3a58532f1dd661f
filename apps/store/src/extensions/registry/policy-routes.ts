import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Manifest, POLICY_FILES, type PolicyFileName } from '@svc/contracts';
import { signFile } from '@svc/signing';
import type { Handlers } from '../../core/access/bind-route.ts';
import { createVersionCache, type VersionCache } from '../../core/catalog/browse.ts';
import { encodeJson, sendEncoded } from '../../core/catalog/routes.ts';
import { taglineOf } from '../../core/domain/listings/tagline.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { VersionRef } from '../../core/domain/versions/version-record.ts';
import { urlOfApp } from '../../core/web/paths.ts';
import { type EncodedPage, encodePage } from '../../http/encoded-page.ts';
import { publicFor } from '../../http/send.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Invalidation } from '../../platform/invalidation.ts';
import { keptFor } from '../../platform/kept-for.ts';
import type { ReleasedStore } from './released-store.ts';
import { isForPlainClients, serverUrlOf } from './server-json.ts';

/** The store whose apps a policy allows. */
type At = Pick<Parts, 'baseUrl' | 'routeNames'>;

export type PolicyDeps = At &
  Pick<Parts, 'clock' | 'signingKey'> & {
    released: Pick<ReleasedStore, 'publishedAfter' | 'manifestsOf'>;
    invalidation: Invalidation;
    /** How long a policy may still be served after a change, in milliseconds. */
    pageGraceMs: number;
  };

/** What a policy says of a version, from its manifest. */
type Described = VersionRef & { isPlain: boolean; url: string; name: string; text: string };

/** A published version, as far as a policy names it. */
type Allowed = Described & { isLatest: boolean };

/** Rows that are read at once; between them other requests are answered. */
const ROWS = 500;

/** What the files are made from, its hash, and the files that were asked for. */
type Made = { all: Allowed[]; hash: string; files: Map<PolicyFileName, Promise<EncodedPage>> };

/** How long the files and what they are made from are kept, in seconds. */
const KEPT_SECONDS = 30;

/** Versions whose description is kept, some 300 bytes each. Of these only the keys are read again. */
const KEPT_VERSIONS = 200_000;

const describe = ({ manifest, ...ref }: VersionRef & { manifest: Manifest }): Described => ({
  ...{ ...ref, url: serverUrlOf(manifest), isPlain: isForPlainClients(manifest) },
  ...{ name: manifest.name, text: taglineOf(manifest.description) },
});

/** A published version never changes: the same versions make the same files. */
async function readAllowed({ released }: PolicyDeps, known: VersionCache<Described>): Promise<Made> {
  const all: Allowed[] = [];
  const hash = createHash('sha256');
  for (let after = { appId: '', version: '' }; ; ) {
    const rows = await released.publishedAfter(after, ROWS);
    const described = await known.get(rows, async (missing) =>
      (await released.manifestsOf(missing)).map(describe),
    );
    const latest = new Set(rows.flatMap((row) => (row.isLatest ? `${row.appId} ${row.version}` : [])));
    all.push(...described.map((one) => ({ ...one, isLatest: latest.has(`${one.appId} ${one.version}`) })));
    hash.update(JSON.stringify(rows));
    const last = rows.at(-1);
    if (!last || rows.length < ROWS) return { all, hash: hash.digest('base64'), files: new Map() };
    after = last;
    await setImmediate();
  }
}

/** The id of an app as the name of a server: Codex and Gemini allow no dots in it, and ids have no underscores. */
const nameOf = ({ appId }: Allowed): string => appId.replaceAll('.', '_');

/** The latest versions that a client without svc can use. */
const usable = (all: readonly Allowed[]): Allowed[] =>
  all.filter(({ isLatest, isPlain }) => isLatest && isPlain);

/** A JSON object whose large fields, lists and maps, are written an entry a line. */
type Fields = Readonly<Record<string, unknown>>;

/** The JSON of an object in pieces, between which other requests are answered. A map is an object of many entries. */
function* json(fields: Fields): Generator<string> {
  let between = '{\n';
  for (const [name, value] of Object.entries(fields)) {
    yield `${between}${JSON.stringify(name)}: `;
    between = ',\n';
    if (Array.isArray(value)) yield* entries('[]', value.map((item) => JSON.stringify(item)).values());
    else if (value instanceof Map)
      yield* entries(
        '{}',
        value.entries().map(([key, item]) => `${JSON.stringify(key)}: ${JSON.stringify(item)}`),
      );
    else yield JSON.stringify(value);
  }
  yield '\n}\n';
}

function* entries([open, close]: string, lines: IterableIterator<string>): Generator<string> {
  let between = `${open}\n`;
  for (const line of lines) {
    yield between + line;
    between = ',\n';
  }
  yield `\n${close}`;
}

/** Every server of a published version: a client that has not updated yet may go on using an older one. */
const allowedServers = (all: readonly Allowed[]) => ({
  allowedMcpServers: [...new Set(all.map(({ url }) => url))].sort().map((serverUrl) => ({ serverUrl })),
});

/** The package that every plugin has as its source. It is empty: `strict: false` says that the marketplace describes the plugin. */
const CONNECTOR = { name: 'svc-connector', version: '1.0.0' };
const CONNECTOR_FILE = `${CONNECTOR.name}-${CONNECTOR.version}.tgz`;

const marketplaceName = (baseUrl: string): string =>
  `svc-${new URL(baseUrl).host.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;

const marketplace = (all: readonly Allowed[], at: At) => ({
  name: marketplaceName(at.baseUrl),
  owner: { name: new URL(at.baseUrl).host },
  metadata: {
    description: `Published apps of ${new URL(at.baseUrl).host}, as connectors for agents without svc.`,
  },
  plugins: usable(all).map((app) => ({
    name: nameOf(app),
    ...{
      description: `${app.name}: ${app.text}`,
      version: app.version,
      homepage: urlOfApp(at, app.appId),
    },
    source: {
      source: 'npm',
      package: CONNECTOR.name,
      version: CONNECTOR.version,
      registry: `${at.baseUrl}/policy/npm`,
    },
    strict: false,
    mcpServers: { [nameOf(app)]: { type: 'http', url: app.url } },
  })),
});

const claudeSettings = (all: readonly Allowed[], { baseUrl }: At) => {
  const source = { source: 'url', url: `${baseUrl}/policy/marketplace.json` };
  return {
    ...allowedServers(all),
    allowManagedMcpServersOnly: true,
    extraKnownMarketplaces: { [marketplaceName(baseUrl)]: { source } },
    strictKnownMarketplaces: [source],
  };
};

/** Codex allows a server whose name and address are those of an entry. A JSON string of these addresses, which are ASCII, is one of TOML. */
function codexRequirements(all: readonly Allowed[]): string[] {
  const apps = usable(all);
  if (apps.length === 0) return ['[mcp_servers]\n'];
  return apps.map(
    (app, n) =>
      `${n > 0 ? '\n' : ''}[mcp_servers.${nameOf(app)}.identity]\nurl = ${JSON.stringify(app.url)}\n`,
  );
}

/**
 * Gemini allows servers by name alone: the settings of the system define them too, so that no other server takes the name. An empty list
 * would allow every server: without an app it has one that answers nothing.
 */
const geminiSettings = (all: readonly Allowed[], { baseUrl }: At) => {
  const named = usable(all).map((app) => [nameOf(app), app.url] as const);
  const servers = named.length > 0 ? named : [['svc_no_app', `${baseUrl}/policy`] as const];
  return {
    mcp: { allowed: servers.map(([name]) => name) },
    mcpServers: new Map(servers.map(([name, httpUrl]) => [name, { httpUrl }])),
  };
};

/** The text of each file, in pieces. */
const WRITERS: Readonly<Record<PolicyFileName, (all: readonly Allowed[], at: At) => Iterable<string>>> = {
  'allowed-mcp-servers.json': (all) => json(allowedServers(all)),
  'marketplace.json': (all, at) => json(marketplace(all, at)),
  'claude-managed-settings.json': (all, at) => json(claudeSettings(all, at)),
  'codex-requirements.toml': codexRequirements,
  'gemini-settings.json': (all, at) => json(geminiSettings(all, at)),
};

/** An archive with one file (POSIX.1-2017, "ustar Interchange Format"), the same bytes each time. */
function archiveOf(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(content.length, 12) + octal(0, 12), 100);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  header.write(
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    ),
    148,
  );
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return gzipSync(Buffer.concat([header, content, padding, Buffer.alloc(1_024)]));
}

const digest = (algorithm: string, bytes: Buffer, form: 'hex' | 'base64') =>
  createHash(algorithm).update(bytes).digest(form);

/** The package as a registry of npm describes it. */
function connectorOf(baseUrl: string) {
  const manifest = {
    ...CONNECTOR,
    description: 'The source of plugins that are only MCP servers. It has no code.',
    license: 'Apache-2.0',
  };
  const tarball = archiveOf('package/package.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
  const dist = {
    tarball: `${baseUrl}/policy/npm/${CONNECTOR.name}/-/${CONNECTOR_FILE}`,
    shasum: digest('sha1', tarball, 'hex'),
    integrity: `sha512-${digest('sha512', tarball, 'base64')}`,
  };
  const versions = { [CONNECTOR.version]: { ...manifest, dist } };
  const packument = { name: CONNECTOR.name, 'dist-tags': { latest: CONNECTOR.version }, versions };
  return {
    tarball: encodePage(tarball, {
      'Content-Type': 'application/octet-stream',
      'Cache-Control': publicFor(KEPT_SECONDS),
    }),
    packument: encodeJson(packument),
  };
}

/** The policies of clients without svc (allow-lists, a marketplace), made from published versions, each with its signature beside it. */
export function policyRoutes(deps: PolicyDeps) {
  const { baseUrl, clock, signingKey, invalidation, pageGraceMs } = deps;
  let connector: ReturnType<typeof connectorOf> | undefined;
  const known = createVersionCache<Described>(KEPT_VERSIONS);
  const changes = { ...invalidation, graceMs: pageGraceMs };
  const madeNow = keptFor<Made>(clock, changes, KEPT_SECONDS * 1_000, async (_now, before) => {
    const [fresh, old] = await Promise.all([readAllowed(deps, known), before?.catch(() => null)]);
    return old?.hash === fresh.hash ? old : fresh;
  });

  async function write(file: PolicyFileName, all: readonly Allowed[]): Promise<EncodedPage> {
    const type = file.endsWith('.toml') ? 'application/toml' : 'application/json; charset=utf-8';
    const headers = { 'Content-Type': type, 'Cache-Control': publicFor(KEPT_SECONDS) };
    const chunks: Buffer[] = [];
    let lines: string[] = [];
    for (const piece of WRITERS[file](all, deps)) {
      lines.push(piece);
      if (lines.length < ROWS) continue;
      chunks.push(Buffer.from(lines.join('')));
      lines = [];
      await setImmediate();
    }
    return encodePage(Buffer.concat([...chunks, Buffer.from(lines.join(''))]), headers);
  }

  /** Not in the cache of pages, in which a file of a large store has no room: it would be made again for each request. */
  async function fileOf(file: PolicyFileName): Promise<EncodedPage> {
    const { all, files } = await madeNow();
    const page = files.get(file) ?? write(file, all);
    files.set(file, page);
    page.catch(() => files.delete(file));
    return page;
  }

  /** A file, or the signature of the same bytes that are sent as the file. */
  async function answer(requested: string): Promise<EncodedPage> {
    const file = POLICY_FILES.find((name) => requested === name || requested === `${name}.sig`);
    if (file === undefined) throw new ApiError('not_found', `There is only ${POLICY_FILES.join(', ')}.`);
    const page = await fileOf(file);
    if (requested === file) return page;
    const { body } = await page.in('identity');
    return encodeJson(signFile(file, Buffer.from(body), clock().toISOString(), signingKey));
  }

  const requireConnector = (name: string) => {
    if (name !== CONNECTOR.name)
      throw new ApiError('not_found', `The only package here is ${CONNECTOR.name}.`);
    connector ??= connectorOf(baseUrl);
    return connector;
  };
  return {
    policyFile: async ({ params: { file } }, c) => sendEncoded(c, await answer(file)),
    connectorPackage: ({ params: { name } }, c) => sendEncoded(c, requireConnector(name).packument),
    connectorTarball: ({ params: { name, file } }, c) => {
      if (file !== CONNECTOR_FILE)
        throw new ApiError('not_found', `The only file here is ${CONNECTOR_FILE}.`);
      return sendEncoded(c, requireConnector(name).tarball);
    },
  } satisfies Handlers;
}
