import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiRequest } from '@svc/contracts/client';
import { openPinboard, type Pinboard } from '@svc/example-pinboard';
import {
  type Automation,
  automationOf,
  demoScript,
  freePort,
  openScriptModel,
  SCRIPT_MODEL,
} from '@svc/testkit';
import { bundleOf, FIRST_SHOWN, firstBundles, PUBLISHERS, pinboardUpdate } from './catalogue.ts';
import { FIRST_PAGE, writeFirstConversation } from './first-conversation.ts';
import { startProgram, stopProgram } from './programs.ts';
import { SHOWN_APPS, SHOWN_FEATURED } from './showcase.ts';

const PINBOARD = 'com.example.pinboard';

/** Preferred ports; a free port is used when one is in use or not given. */
type Ports = Partial<Record<'store' | 'pinboard' | 'desktop', number>>;

/** The default ports. */
export const DEFAULT_PORTS: Ports = { store: 8787, pinboard: 4680, desktop: 8788 };

/** Lifetime of access tokens in seconds: short, so that the demo shows token renewal. */
const ACCESS_TOKEN_SECONDS = 60;

/** A running demo. */
export type Demo = {
  store: string;
  /** One-time link that makes its user the administrator of the store. */
  setup: string;
  /** The MCP server of Pinboard. */
  pinboard: string;
  /** One-time link to the desktop. It opens on a conversation whose first message says what to type. */
  desktop: string;
  /** Publishes an update of Pinboard that adds permissions. @returns false when that was done before */
  publishUpdate(): Promise<boolean>;
  /** Yanks every published version of Pinboard. @returns false when none was left */
  yank(): Promise<boolean>;
  /** Resolves when the last of the apps is published: only the first five are when the demo opens. */
  filled: Promise<void>;
  /** Stops all programs, and deletes their data. */
  close(): Promise<void>;
};

export type DemoOptions = {
  /** Whether the desktop opens the user's browser. */
  open: boolean;
  /** Default: DEFAULT_PORTS. */
  ports?: Ports;
};

/** Starts a store that accepts apps with servers on this machine, with its data in a folder. */
async function startStore(folder: string, token: string, preferredPort?: number) {
  const port = await freePort(preferredPort);
  const url = `http://localhost:${port}`;
  const env = {
    PORT: String(port),
    SVC_BASE_URL: url,
    SVC_DATA_DIR: join(folder, 'store'),
    SVC_ADMIN_TOKEN: token,
    SVC_LOCAL_APPS: '1',
    LOG_LEVEL: 'info',
    DATABASE_URL: '',
    SVC_BLOBS: '',
  };
  const program = await startProgram('store', [], {
    env,
    ready: /(http[^"\s]+\/setup[^"\s]*)["\s]/,
  });
  return { url, program, setup: program.ready };
}

/** Configures the scripted model as a provider of the desktop, named *Demo*, and starts a conversation with it. */
async function writeModels(folder: string, baseUrl: string): Promise<void> {
  const provider = { id: 'provider-script', name: 'Demo', baseUrl, hasKey: false, models: [SCRIPT_MODEL] };
  const model = { provider: provider.id, model: SCRIPT_MODEL };
  const desktop = join(folder, 'desktop');
  await mkdir(desktop, { recursive: true, mode: 0o700 });
  const models = { providers: [provider], default: model, titles: false };
  await writeFile(join(desktop, 'models.json'), JSON.stringify(models), { mode: 0o600 });
  writeFirstConversation(desktop, model);
}

async function startDesktop(folder: string, store: string, { open, ports = DEFAULT_PORTS }: DemoOptions) {
  const port = await freePort(ports.desktop);
  const words = ['desktop', '--store', store, '--folder', join(folder, 'desktop'), '--port', String(port)];
  return startProgram(
    'desktop',
    [...words, '--local-apps', '--key-file', '--page', FIRST_PAGE, ...(open ? [] : ['--no-open'])],
    {
      ready: /Desktop: (http\S+)\s/,
    },
  );
}

const startPinboard = async (preferredPort?: number): Promise<Pinboard> =>
  openPinboard({
    port: await freePort(preferredPort),
    accessTokenSeconds: ACCESS_TOKEN_SECONDS,
    onFault: (error) => process.stderr.write(`pinboard: ${String(error)}\n`),
  });

/**
 * Publishes the other apps one after the other, while the demo is already in use.
 * @returns `done`, which rejects when an app was not published, and `stop`, which ends after the one that is being published
 */
function publishRest(automation: Automation) {
  let isStopped = false;
  const publish = async () => {
    for (const app of SHOWN_APPS.slice(FIRST_SHOWN))
      if (!isStopped) await automation.publish(await bundleOf(app));
    if (!isStopped)
      await automation.ask(
        apiRequest('PUT /api/admin/featured', { json: { apps: [PINBOARD, ...SHOWN_FEATURED] } }),
      );
  };
  const done = publish();
  const settled = done.catch((error: unknown) => {
    process.stderr.write(`demo: an app was not published: ${String(error)}\n`);
  });
  const stop = async () => {
    isStopped = true;
    await settled;
  };
  return { done, stop };
}

/**
 * Starts a store with some apps, the servers of the one app that works, and a desktop, all with temporary data.
 */
export async function openDemo(options: DemoOptions): Promise<Demo> {
  const { ports = DEFAULT_PORTS } = options;
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'svc-demo-'));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const token = randomBytes(32).toString('base64url');
  const store = await startStore(folder, token, ports.store);
  opened.defer(() => stopProgram(store.program));
  const pinboard = opened.adopt(await startPinboard(ports.pinboard), (server) => server.close());
  const model = opened.adopt(await openScriptModel(demoScript), (server) => server.close());
  await writeModels(folder, model.baseUrl);
  const automation = automationOf(store.url, token);
  const published: { appId: string; version: string }[] = [];
  let isUpdated = false;
  const fill = async () => {
    for (const publisher of PUBLISHERS) await automation.addPublisher(publisher);
    for (const bundle of await firstBundles(pinboard.mcpUrl))
      published.push(await automation.publish(bundle));
  };
  const [desktop] = await Promise.all([startDesktop(folder, store.url, options), fill()]);
  opened.defer(() => stopProgram(desktop));
  const rest = publishRest(automation);
  const parts = opened.move();
  return {
    store: store.url,
    setup: store.setup,
    pinboard: pinboard.mcpUrl,
    desktop: desktop.ready,
    async publishUpdate() {
      if (isUpdated) return false;
      published.push(await automation.publish(await pinboardUpdate(pinboard.mcpUrl)));
      isUpdated = true;
      return true;
    },
    async yank() {
      const own = published.filter(({ appId }) => appId === PINBOARD);
      for (const ref of own) {
        await automation.yank(ref, 'Yanked in the demo.');
        published.splice(published.indexOf(ref), 1);
      }
      return own.length > 0;
    },
    filled: rest.done,
    async close() {
      await rest.stop();
      await parts.disposeAsync();
    },
  };
}
