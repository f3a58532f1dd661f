import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { hash, verify } from '@node-rs/argon2';
import type { Manifest, MemberRole, PersonRole } from '@svc/contracts';
import { sampleBundle } from '@svc/testkit';
import { expect, onTestFinished } from 'vitest';
import { createProcessRenderer } from '../../src/adapters/picture/process-renderer.ts';
import { createWorkerRenderer } from '../../src/adapters/worker/worker-renderer.ts';
import type { System } from '../../src/composition/open-data.ts';
import { openStore } from '../../src/composition/open-store.ts';
import { readSettings } from '../../src/composition/settings.ts';
import { openSession } from '../../src/core/domain/identity/session.ts';
import type { ServerLister } from '../../src/core/domain/tools/served.ts';
import { inspectBundle } from '../../src/core/domain/versions/inspect-bundle.ts';
import type { Sites } from '../../src/core/publishers/site.ts';
import { UPLOAD_BOUNDS, type UploadBounds } from '../../src/core/publishing/bounds.ts';
import type { BundleInspector } from '../../src/core/publishing/inspection-queues.ts';
import { openUpload } from '../../src/core/publishing/open-bundle.ts';
import { KEPT_RECORDS } from '../../src/platform/blob-store.ts';
import type { PictureRenderer } from '../../src/platform/picture-renderer.ts';
import { hashSecret } from '../../src/platform/secret.ts';
import { databaseOf, fillFolder, onPostgres } from './database.ts';
import { expectDescribed } from './described-answer.ts';

/** Computes each result of a function once: most tests draw the same pictures and sign up with the same passwords. */
function once<I extends unknown[], O>(compute: (...input: I) => Promise<O>): (...input: I) => Promise<O> {
  const known = new Map<string, Promise<O>>();
  return (...input) => {
    const key = createHash('sha256').update(serialize(input)).digest('hex');
    const result = known.get(key) ?? compute(...input);
    known.set(key, result);
    result.catch(() => known.delete(key));
    return result;
  };
}

/** One process for all stores of a worker; it exits automatically when idle. */
const { draw, drawSmall, drawPreview } = createProcessRenderer();
const pictures: PictureRenderer = {
  draw: once(draw),
  drawSmall: once(drawSmall),
  drawPreview: once(drawPreview),
};

const slowHashes = { hash: once(hash), verify: once(verify) };

/** The threads that render texts, for all stores of a worker. */
const renderer = createWorkerRenderer();

export const ADMIN_TOKEN = 'automation-0123456789';
export const BASE_URL = 'https://store.test';

/** The session of a signed-in user. */
export type TestSession = { personId: string; cookie: string; csrf: string };

type Call = {
  token?: string | null;
  session?: TestSession;
  json?: unknown;
  body?: NonNullable<RequestInit['body']>;
  headers?: Record<string, string>;
};

/** A log in memory, for tests of what must not be logged. */
function memoryLog() {
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    const seen = new Set();
    lines.push(
      JSON.stringify({ ...fields, message }, (_key, value) => {
        if (value instanceof Error) return String(value.stack);
        if (typeof value === 'object' && value !== null && seen.has(value)) return '[again]';
        seen.add(value);
        return value;
      }),
    );
  };
  return { lines, log: { info: write, warn: write, error: write } };
}

/** No website exists. */
const NO_SITES: Sites = {
  isPrivate: async () => false,
  txt: async () => ({ fault: 'There is no such name (NXDOMAIN)' }),
  file: async () => ({ fault: 'There is no such name (NXDOMAIN)' }),
  post: async () => ({ fault: 'There is no such name (NXDOMAIN)' }),
};

/** Every server lists its tools only to signed-in users. */
const NO_SERVERS: ServerLister = { list: async () => ({ is: 'needs-sign-in' }) };

/** A clock that only moves when a test sets it. */
function fakeClock(start = '2026-03-01T12:00:00.000Z') {
  let now = Date.parse(start);
  return {
    clock: () => new Date(now),
    advance: (ms: number) => {
      now += ms;
    },
  };
}

/** A data folder with only an empty, migrated database, unless the database is elsewhere. */
async function newFolder({ DATABASE_URL }: Record<string, string> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-store-'));
  if (DATABASE_URL === undefined) await fillFolder(folder);
  return folder;
}

/**
 * A real store with its own data folder, which is removed after the test. Every response is checked against the description of the API.
 * @param folder an existing data folder, to open a store a second time
 * @param environment further settings, as environment variables
 * @param inspector replaces functions of the given inspector
 */
export async function openTestStore(
  options: {
    folder?: string;
    ambient?: Partial<System & { pictures: Partial<PictureRenderer>; serverLister: ServerLister }>;
    sites?: Sites;
    policyFile?: string;
    webDir?: string;
    cliFile?: string;
    downloadsDir?: string;
    environment?: Record<string, string>;
    inspector?: (own: BundleInspector) => Partial<BundleInspector>;
    uploadBounds?: Partial<UploadBounds>;
    repeatsJobs?: boolean;
  } = {},
) {
  const folder = options.folder ?? (await newFolder(options.environment));
  const { lines, log } = memoryLog();
  const time = fakeClock();
  const environment = readSettings({
    SVC_DATA_DIR: folder,
    SVC_BASE_URL: BASE_URL,
    SVC_ADMIN_TOKEN: ADMIN_TOKEN,
    ...(await databaseOf(folder)),
    ...(options.policyFile && { SVC_POLICY_FILE: options.policyFile }),
    // To run the tests of the core without extensions: `SVC_TEST_WITHOUT=ratings`.
    ...(process.env.SVC_TEST_WITHOUT && { SVC_WITHOUT: process.env.SVC_TEST_WITHOUT }),
    ...options.environment,
  });
  // Tests must not depend on whether the pages have been built on this machine.
  const settings = {
    ...environment,
    webDir: options.webDir ?? null,
    cliFile: options.cliFile ?? null,
    downloadsDir: options.downloadsDir ?? join(folder, 'downloads'),
  };
  const outside = {
    clock: time.clock,
    random: randomBytes,
    newId: randomUUID,
    fetch,
    log,
    pictures,
    renderer,
  };
  const ambient = {
    ...outside,
    sites: options.sites ?? NO_SITES,
    argon2: async () => slowHashes,
    serverLister: NO_SERVERS,
    ...options.ambient,
    pictures: { ...pictures, ...options.ambient?.pictures },
  };
  // In this thread: a hundred stores would each have to start one.
  const own: BundleInspector = {
    threads: 2,
    open: async (file, { costMs }) => openUpload(await readFile(file), settings, costMs),
    inspect: async (file) => inspectBundle(await readFile(file), settings),
  };
  const inspector = { ...own, ...options.inspector?.(own) };
  const uploadBounds = { ...UPLOAD_BOUNDS, ...options.uploadBounds };
  const store = await openStore(settings, ambient, inspector, {
    ...{ pageGraceMs: 0, uploadBounds, repeatsJobs: options.repeatsJobs ?? false },
  });
  let open = true;
  const close = async () => {
    if (open) await store.close();
    open = false;
  };
  onTestFinished(async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  });

  async function call(
    method: string,
    path: string,
    { token, session, json, body, headers }: Call = {},
  ): Promise<Response> {
    const url = BASE_URL + path;
    const init: RequestInit & { duplex?: 'half' } = {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(session && { cookie: session.cookie, 'x-svc-csrf': session.csrf, origin: BASE_URL }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body, duplex: 'half' as const }),
      ...(json !== undefined && { body: JSON.stringify(json) }),
    };
    const response = await store.app.request(url, init);
    await expectDescribed(method, url, response);
    // Every 429 has the rate limit headers with the remaining quota and the time of the reset.
    if (response.status === 429) {
      expect(response.headers.get('ratelimit')).toMatch(/^".+";r=\d+;t=\d+$/);
      expect(response.headers.get('ratelimit-policy')).toMatch(/^".+";q=\d+;w=\d+$/);
    }
    return response;
  }

  const admin = (method: string, path: string, json?: unknown) =>
    call(method, path, { token: ADMIN_TOKEN, ...(json !== undefined && { json }) });

  /** Creates a publisher, and a token that acts for it. */
  async function publisherToken(slug = 'example', verified = false, scopes?: string[]): Promise<string> {
    await admin('POST', '/api/admin/publishers', { slug, name: `The ${slug}`, verified });
    const response = await admin('POST', '/api/admin/tokens', { publisher: slug, ...(scopes && { scopes }) });
    return (await jsonOf<{ token: string }>(response)).token;
  }

  /** Signs in a user, and creates them first if necessary; `membership` adds them to existing publishers. */
  async function signedIn(
    id: string,
    { role = 'person', membership = {} }: { role?: PersonRole; membership?: Record<string, MemberRole> } = {},
  ): Promise<TestSession> {
    const { stores } = store;
    const createdAt = time.clock().toISOString();
    const email = `${id}@example.com`;
    if (!(await stores.people.find(id))) {
      await stores.people.add({
        id,
        name: id,
        email,
        emailVerified: true,
        role,
        suspended: false,
        createdAt,
      });
    }
    for (const [publisher, memberRole] of Object.entries(membership)) {
      await stores.members.add({ publisher, personId: id, role: memberRole, since: createdAt });
    }
    const from = { address: null, requestId: null };
    const deps = { ...ambient, sessions: stores.sessions };
    const { secret } = await openSession(deps, { personId: id, from, agent: 'a test' });
    return { personId: id, cookie: `__Host-svc-session=${secret}`, csrf: hashSecret(`csrf ${secret}`) };
  }

  /** Proves the identity of a user in all their sessions now, as a password would. */
  async function prove({ personId }: TestSession): Promise<void> {
    const now = time.clock().toISOString();
    for (const { id } of await store.stores.sessions.of(personId, now)) {
      await store.stores.sessions.prove(personId, id, now, false);
    }
  }

  const upload = (token: string | null, bytes: Uint8Array) =>
    call('POST', '/api/apps/publish', {
      token,
      body: bytes as Uint8Array<ArrayBuffer>,
      headers: { 'content-type': 'application/zip' },
    });

  const publish = (token: string, changes: Partial<Manifest> = {}) => upload(token, sampleBundle(changes));

  const decide = (
    decision: 'approve' | 'reject',
    version: string,
    json?: unknown,
    appId = 'com.example.notes',
  ) => admin('POST', `/api/moderation/apps/${appId}/versions/${version}/${decision}`, json);

  /** The names of all files under a path of the data folder, without the metadata files next to the blobs. */
  async function filesUnder(part: string): Promise<string[]> {
    const entries = await readdir(join(folder, part), { recursive: true, withFileTypes: true });
    return (
      entries
        .filter((entry) => entry.isFile() && !['owner', ...KEPT_RECORDS].includes(entry.name))
        .map(({ name }) => name)
        // The store writes its log meanwhile.
        .filter((name) => !name.startsWith('draft-'))
    );
  }

  return {
    ...store,
    close,
    folder,
    lines,
    clock: time.clock,
    advance: time.advance,
    call,
    admin,
    publisherToken,
    signedIn,
    prove,
    upload,
    publish,
    decide,
    filesUnder,
  };
}

export type TestStore = Awaited<ReturnType<typeof openTestStore>>;

/**
 * Another store on the same database and folder, like a second process. On SQLite it is the same store: with two connections in one
 * thread, the one that waits for a lock would block the other.
 */
export const twinOf = async (store: TestStore): Promise<TestStore> =>
  onPostgres() ? openTestStore({ folder: store.folder }) : store;

/** The body of a response, as the type that the test expects. */
export const jsonOf = async <T>(response: Response | Promise<Response>): Promise<T> =>
  (await (await response).json()) as T;

/** The body and the status of a response, as one value to compare. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare parts of many kinds of bodies
export async function bodyOf(response: Response | Promise<Response>): Promise<any> {
  const { status } = await response;
  return { httpStatus: status, ...(await jsonOf<object>(response)) };
}
