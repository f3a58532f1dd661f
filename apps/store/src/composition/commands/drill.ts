import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packBundle } from '@svc/bundle';
import { makePrivateFolder } from '@svc/bundle/private-files';
import type { RevocationList } from '@svc/contracts';
import { type ApiRequest, apiRequest } from '@svc/contracts/client';
import { CleanupStack } from '@svc/runtime/cleanup-stack';
import { UPLOAD_BOUNDS } from '../../core/publishing/bounds.ts';
import type { System } from '../open-data.ts';
import { openStore } from '../open-store.ts';
import { listen } from '../serve.ts';
import { readSettings, SettingError } from '../settings.ts';
import { type Command, CommandError } from './command.ts';
import { NO_SITES } from './in-store.ts';

const PUBLISHER = 'drill';
const APP = 'com.example.drill';
const DEFAULT_VERSIONS = 100;
const MAX_VERSIONS = 10_000;

const FOLDER = /^svc-drill-(\d+)-/;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Deletes the folders of drills that were killed: the name of each has the id of its process. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(FOLDER.exec(name)?.[1] ?? Number.NaN);
    if (pid > 0 && !isRunning(pid)) await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

const MARK = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 4h16v16H4z"/></svg>\n';

/** A version of the app that is yanked. Its server is never called. */
function bundleOf(minor: number): Uint8Array {
  const version = `1.${minor}.0`;
  const manifest = {
    ...{ pluginApiVersion: 3, id: APP, publisher: PUBLISHER, name: 'Yank drill', version },
    description: 'Is published and yanked in a drill.',
    permissions: ['Does nothing.'],
    contributes: { tools: [{ id: 'ping', name: 'Ping', description: 'Does nothing.' }] },
    remote: { mcpUrl: 'https://drill.example.com/mcp', domains: ['drill.example.com'] },
    branding: { icon: 'assets/icon.svg', mark: 'assets/mark.svg' },
  };
  const texts = {
    'plugin.json': JSON.stringify(manifest),
    'README.md': '# Yank drill\n',
    'CHANGELOG.md': `## ${version}\n`,
    'assets/icon.svg': MARK.replace('<svg', '<svg width="512" height="512"'),
    'assets/mark.svg': MARK,
  };
  return packBundle(new Map(Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)])));
}

/** Opens a store in a folder, with the code and the policy defaults of this one and none of its data, and returns how to ask it. */
async function openScratch(opened: CleanupStack, folder: string, system: System) {
  // Loaded on demand, as the other commands draw and inspect nothing.
  const { createProcessRenderer } = await import('../../adapters/picture/process-renderer.ts');
  const { createWorkerInspector } = await import('../../adapters/worker/worker-inspector.ts');
  const token = randomBytes(32).toString('base64url');
  const settings = readSettings({
    SVC_DATA_DIR: join(folder, 'store'),
    SVC_BASE_URL: 'http://localhost',
    SVC_ADMIN_TOKEN: token,
    SVC_PROBE_SERVERS: 'off',
  });
  const pictures = opened.adopt(createProcessRenderer());
  const inspector = opened.adopt(createWorkerInspector({ ...settings, ...UPLOAD_BOUNDS }));
  const store = opened.adopt(await openStore(settings, { ...system, sites: NO_SITES, pictures }, inspector));
  const server = opened.adopt(await listen(store, 0, 'localhost'));
  const url = `http://localhost:${server.port}`;
  return {
    url,
    async ask<T>({ method, path, json }: ApiRequest<T>, bundle?: Uint8Array): Promise<T> {
      const type = bundle ? 'application/zip' : 'application/json';
      const body = bundle ? Buffer.from(bundle) : json === undefined ? undefined : JSON.stringify(json);
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
      if (answer.ok) return (await answer.json()) as T;
      throw new CommandError(`The store of the drill answers ${answer.status}: ${await answer.text()}`);
    },
  };
}

type Scratch = Awaited<ReturnType<typeof openScratch>>;

async function publishAll({ ask }: Scratch, versions: number): Promise<void> {
  await ask(apiRequest('POST /api/admin/publishers', { json: { slug: PUBLISHER, name: 'Drill' } }));
  for (let minor = 0; minor < versions; minor += 1) {
    const { appId, version, status } = await ask(apiRequest('POST /api/apps/publish'), bundleOf(minor));
    const params = { appId, version };
    if (status === 'in_review')
      await ask(
        apiRequest('POST /api/moderation/apps/:appId/versions/:version/approve', { params, json: {} }),
      );
  }
}

/** A client with the app, of the same parts as the desktop: what it lists as usable is what its gateway offers to agents. */
async function installIn(opened: CleanupStack, folder: string, store: string) {
  const parts = await import('@svc/runtime/parts');
  const { defaultSystem: system } = await import('@svc/runtime/default-system');
  const onFault = (error: unknown): void => {
    throw error;
  };
  const storage = opened.adopt(await parts.openLibraryStorage(system, folder));
  const events = parts.createEvents(onFault);
  const client = { platform: process.platform, arch: process.arch, builtInApps: [] };
  const library = parts.createLibrary({ storage, events, client });
  const installId = parts.installIdOf(system, storage);
  const reader = parts.createStoreReader({ system, store, installId, fetch: parts.storeFetch });
  const keys = parts.createStoreKeys({ storage, reader });
  const installer = parts.createInstaller({ system, storage, library, events, client, reader, keys });
  const revocations = parts.createRevocationWatch({
    system,
    storage,
    library,
    events,
    reader,
    keys,
    onFault,
  });
  const sheet = await installer.prepareInstall(APP);
  await installer.install(sheet, { accepted: true, binding: sheet.binding });
  await revocations.check();
  return { library, revocations, pollMs: parts.REVOCATION_POLL_MS };
}

type Client = Awaited<ReturnType<typeof installIn>>;

function demand(isTrue: boolean, fault: string): void {
  if (!isTrue) throw new CommandError(`The drill failed: ${fault}`);
}

const ACT = { yank: true, suspend: true, revokeTokens: true, endSessions: true } as const;

/** Yanks the publisher, and measures when each part knows, in milliseconds after the request. */
async function measure({ url, ask }: Scratch, { library, revocations }: Client, versions: number) {
  demand(library.usable().length === 1, 'the app was not usable before the yank.');
  const start = performance.now();
  const since = () => Math.round(performance.now() - start);
  const json = { publisher: PUBLISHER, ...ACT, reason: 'This is a drill.' };
  const { effects } = await ask(apiRequest('POST /api/admin/emergencies', { json }));
  const decided = since();
  demand(
    effects?.versionsYanked === versions,
    `${effects?.versionsYanked ?? 0} of ${versions} versions were yanked.`,
  );
  const list = (await (await fetch(`${url}/api/apps/revocations`)).json()) as RevocationList;
  const listed = since();
  demand(
    list.entries.length === versions,
    `the signed list has ${list.entries.length} of ${versions} versions.`,
  );
  const { status } = await fetch(`${url}/api/apps/${APP}/versions/1.0.0/bundle`);
  demand(status === 410, `the bundle answers ${status}, not 410.`);
  const { refused } = await revocations.check();
  demand(refused === null, `the client refuses the list: ${refused}.`);
  demand(library.get(APP)?.yanked !== null, 'the app is not switched off in the client.');
  demand(library.usable().length === 0, 'agents are still offered the app.');
  return { decided, listed, disabled: since() };
}

async function drill(versions: number, system: System): Promise<string> {
  await removeAbandoned();
  const opened = new CleanupStack();
  const folder = join(tmpdir(), `svc-drill-${process.pid}-${randomBytes(8).toString('hex')}`);
  makePrivateFolder(folder);
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  try {
    const scratch = await openScratch(opened, folder, system);
    await publishAll(scratch, versions);
    const client = await installIn(opened, join(folder, 'desktop'), scratch.url);
    const { decided, listed, disabled } = await measure(scratch, client, versions);
    return [
      `Emergency on a publisher with ${versions} versions, in a store of its own, with no data of yours:`,
      `  ${decided} ms  acted and signed, bundles answer 410`,
      `  ${listed} ms  signed list fetched`,
      `  ${disabled} ms  switched off at a desktop that fetches it, and gone from what its gateway offers to agents`,
      `Desktops fetch the list every ${client.pollMs / 60_000} minutes: add up to that to the last figure.`,
      '',
    ].join('\n');
  } finally {
    await opened.disposeAsync();
  }
}

/** `svc-store drill` */
export const drillCommand: Command = {
  name: 'drill',
  operands: [],
  options: { versions: { type: 'string' } },
  summary: `publish an app with ${DEFAULT_VERSIONS} or --versions versions in a store of its own, yank its publisher, and measure until a desktop and its gateway have switched it off; nothing is left behind`,
  async run({ options: { versions = String(DEFAULT_VERSIONS) } }, _settings, system) {
    const count = Number(versions);
    if (!Number.isSafeInteger(count) || count < 1 || count > MAX_VERSIONS)
      throw new SettingError(`--versions takes a number from 1 to ${MAX_VERSIONS}.`);
    return { print: await drill(count, system) };
  },
};
