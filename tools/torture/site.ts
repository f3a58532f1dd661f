import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Server } from '@svc/testkit';
import type { PostgresServer } from '@svc/testkit/postgres-server';
import { isBlobName } from '../../apps/store/src/adapters/blob-name.ts';
import { openDiskBlobStore } from '../../apps/store/src/adapters/disk/disk-blob-store.ts';
import { openPostgres } from '../../apps/store/src/adapters/postgres/open-postgres.ts';
import { openS3BlobStore } from '../../apps/store/src/adapters/s3/s3-blob-store.ts';
import { openSqlite } from '../../apps/store/src/adapters/sqlite/open-sqlite.ts';
import type { BlobStore } from '../../apps/store/src/platform/blob-store.ts';
import type { Database } from '../../apps/store/src/platform/database/schema.ts';
import { runIn } from '../../apps/store/test/support/run-in.ts';
import { layWire, type Wire } from './wire.ts';

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** The blobs of a store, seen from outside. */
export type Blobs = {
  list(): Promise<string[]>;
  read(sha256: string): Promise<Uint8Array | null>;
  /** Unfinished uploads, where all processes share their folder. */
  incoming(): Promise<string[]>;
  /** The store's blob storage, for its sweep. */
  asStore(): Promise<BlobStore>;
};

/** The storage of the stores of one experiment: initially empty, and removed afterwards. */
export type Site = {
  /** Settings of one of its processes. */
  settings(process?: number): Record<string, string>;
  /** Opens the database, in addition to the stores. */
  openDatabase(): Promise<Database>;
  blobs: Blobs;
  /** The connections to the servers, by server. */
  wires: { postgres?: Wire; s3?: Wire };
  close(): Promise<void>;
};

export const BACKENDS = ['sqlite', 'postgres', 's3'] as const;
export type BackendName = (typeof BACKENDS)[number];

/** A kind of site: SQLite and disk, PostgreSQL and disk, or PostgreSQL and S3. */
export type Backend = {
  name: BackendName;
  title: string;
  open(): Promise<Site>;
  /** Its servers, if any. */
  servers: { postgres?: PostgresServer; s3?: S3Server };
};

async function filesUnder(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The blobs in a data folder. */
export function diskBlobs(folder: string): Blobs {
  const files = () => filesUnder(join(folder, 'blobs'));
  return {
    list: async () => (await files()).map(nameOf).filter(isBlobName),
    read: (sha256) => readFile(join(folder, 'blobs', sha256.slice(0, 2), sha256)).catch(() => null),
    incoming: () => filesUnder(join(folder, 'incoming')),
    asStore: () => openDiskBlobStore(folder, randomUUID),
  };
}

const siteIn = (folder: string): Site => ({
  settings: () => ({ SVC_DATA_DIR: folder }),
  openDatabase: async () => openSqlite(join(folder, 'store.sqlite')),
  blobs: diskBlobs(folder),
  wires: {},
  close: () => rm(folder, { recursive: true, force: true }),
});

/** Short timeouts, so that hangs are detected within seconds. */
const TIMEOUTS = '?connectionTimeoutMillis=2000&statement_timeout=4000&query_timeout=5000';

/** The URL of a database at the other end of a wire. @param url of the server, ending in a slash */
export const throughWire = (url: string, wire: Wire, database: string): string => {
  const address = new URL(url);
  address.port = String(wire.port);
  return `${address.href}${database}${TIMEOUTS}`;
};

/** @param url of the server, ending in a slash */
async function onPostgres(
  url: string,
  make: (databaseUrl: string, folder: string) => Promise<Omit<Site, 'openDatabase'>>,
) {
  const name = `torture_${randomUUID().replaceAll('-', '')}`;
  const administer = (statement: string) => runIn(`${url}postgres`, statement);
  await administer(`create database ${name} template template0`);
  const folder = await mkdtemp(join(tmpdir(), 'svc-torture-'));
  const wire = await layWire(Number(new URL(url).port));
  const site = await make(throughWire(url, wire, name), folder);
  return {
    ...site,
    openDatabase: () => openPostgres(url + name, SILENT),
    wires: { ...site.wires, postgres: wire },
    async close() {
      await site.close();
      await wire.close();
      await administer(`drop database ${name} with (force)`);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const postgresSite = (url: string): Promise<Site> =>
  onPostgres(url, async (databaseUrl, folder) => ({
    settings: () => ({ SVC_DATA_DIR: folder, DATABASE_URL: databaseUrl }),
    blobs: diskBlobs(folder),
    wires: {},
    close: async () => {},
  }));

/** Prefix of the objects of a site; all sites of a run share the bucket. */
async function s3Blobs(server: S3Server, prefix: string, folder: string): Promise<Blobs> {
  const { accessKeyId, secretAccessKey, endpoint } = server;
  const settings = { endpoint, region: 'us-east-1', bucket: 'apps', prefix, accessKeyId, secretAccessKey };
  const store = await openS3BlobStore({ settings, incoming: join(folder, 'unused'), newName: randomUUID });
  return {
    list: () => Array.fromAsync(store.list()),
    async read(sha256) {
      const blob = await store.open(sha256);
      return blob && new Uint8Array(await new Response(blob.stream()).arrayBuffer());
    },
    incoming: async () => [],
    asStore: async () => store,
  };
}

const s3Site = (url: string, server: S3Server): Promise<Site> =>
  onPostgres(url, async (databaseUrl, folder) => {
    const wire = await layWire(Number(new URL(server.endpoint).port));
    const prefix = `${randomUUID()}/`;
    const settings = {
      DATABASE_URL: databaseUrl,
      SVC_SIGNING_KEY_FILE: join(folder, 'key.pem'),
      SVC_BLOBS: `s3://apps/${prefix}?endpoint=http://127.0.0.1:${wire.port}&region=us-east-1`,
      AWS_ACCESS_KEY_ID: server.accessKeyId,
      AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    };
    return {
      settings: (process = 0) => ({ ...settings, SVC_DATA_DIR: join(folder, `process-${process}`) }),
      blobs: await s3Blobs(server, prefix, folder),
      wires: { s3: wire },
      close: () => wire.close(),
    };
  });

/** SQLite and files: one process without servers. */
export const sqliteBackend: Backend = {
  name: 'sqlite',
  title: 'SQLite and disk',
  open: async () => siteIn(await mkdtemp(join(tmpdir(), 'svc-torture-'))),
  servers: {},
};

/** The same in a given folder. */
export const sqliteBackendIn = (folder: string): Backend => ({
  ...sqliteBackend,
  open: async () => siteIn(folder),
});

/** PostgreSQL and files. */
export const postgresBackend = (server: Pick<PostgresServer, 'url'> | PostgresServer): Backend => ({
  name: 'postgres',
  title: 'PostgreSQL and disk',
  open: () => postgresSite(server.url),
  servers: 'kill' in server ? { postgres: server } : {},
});

/** PostgreSQL and S3, which several processes may share. The bucket `apps` must exist. */
export const s3Backend = (server: Pick<PostgresServer, 'url'> | PostgresServer, s3: S3Server): Backend => ({
  name: 's3',
  title: 'PostgreSQL and S3',
  open: () => s3Site(server.url, s3),
  servers: { s3, ...('kill' in server && { postgres: server }) },
});

/** The same back end, with stores that have further settings. */
export const withSettings = (backend: Backend, settings: Readonly<Record<string, string>>): Backend => ({
  ...backend,
  async open() {
    const site = await backend.open();
    return { ...site, settings: (process) => ({ ...site.settings(process), ...settings }) };
  },
});

/** The same back end, with stores that trust `X-Forwarded-For` of this machine: each request may come from another address. */
export const behindProxy = (backend: Backend): Backend =>
  withSettings(backend, { SVC_TRUSTED_PROXIES: '127.0.0.1' });
