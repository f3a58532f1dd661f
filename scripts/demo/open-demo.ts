import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPinboard, type Pinboard } from '@svc/example-pinboard';
import { automationOf, demoScript, freePort, openScriptModel, SCRIPT_MODEL } from '@svc/testkit';
import { firstBundles, PUBLISHERS, widerPinboard } from './catalogue.ts';
import { FIRST_PAGE, writeFirstConversation } from './first-conversation.ts';
import { startProgram, stopProgram } from './programs.ts';

const PINBOARD = 'com.example.pinboard';

/** Where each is to be; another port is taken when that one is in use, or when none is wished for. */
type Ports = Partial<Record<'store' | 'pinboard' | 'desktop', number>>;

/** Where each is when nothing else is there. */
const USUAL_PORTS: Ports = { store: 8787, pinboard: 4680, desktop: 8788 };

/** Seconds: short, so that the client is seen to renew what it holds. */
const ACCESS_TOKEN_SECONDS = 60;

/** A demonstration that runs. */
export type Demo = {
  store: string;
  /** Makes the person who opens it the administrator of the store, once. */
  setup: string;
  pinboard: string;
  /** Lets one page of the desktop in, once. It opens on a conversation whose first message says what to type. */
  desktop: string;
  /** Publishes a newer Pinboard, which reaches further. */
  publishUpdate(): Promise<void>;
  /** Withdraws every version of Pinboard that was published. */
  withdraw(): Promise<void>;
  /** Ends all of it, and removes what it kept. */
  close(): Promise<void>;
};

export type DemoOptions = {
  /** Whether the desktop opens the person's browser. */
  open: boolean;
  /** The usual ones when left out. */
  ports?: Ports;
};

/** A store on this machine that takes apps of this machine, with everything in a folder of its own. */
async function startStore(folder: string, token: string, wished?: number) {
  const port = await freePort(wished);
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
  const program = await startProgram('apps/store/src/main.ts', [], {
    env,
    ready: /(http[^"\s]+\/setup[^"\s]*)["\s]/,
  });
  return { url, program, setup: program.found };
}

/** Has the desktop know the script as its model provider, under a name that says what it is, and begins a conversation with it. */
async function writeModels(folder: string, baseUrl: string): Promise<void> {
  const provider = { id: 'provider-script', name: 'Demo', baseUrl, hasKey: false, models: [SCRIPT_MODEL] };
  const model = { provider: provider.id, model: SCRIPT_MODEL };
  const desktop = join(folder, 'desktop');
  await mkdir(desktop, { recursive: true, mode: 0o700 });
  const models = { providers: [provider], default: model };
  await writeFile(join(desktop, 'models.json'), JSON.stringify(models), { mode: 0o600 });
  writeFirstConversation(desktop, model);
}

async function startDesktop(folder: string, store: string, { open, ports = USUAL_PORTS }: DemoOptions) {
  const port = await freePort(ports.desktop);
  const words = ['desktop', '--store', store, '--folder', join(folder, 'desktop'), '--port', String(port)];
  return startProgram(
    'apps/desktop/src/main.ts',
    [...words, '--local-apps', '--key-file', '--page', FIRST_PAGE, ...(open ? [] : ['--no-open'])],
    {
      ready: /Desktop: (http\S+)\s/,
    },
  );
}

const startPinboard = async (wished?: number): Promise<Pinboard> =>
  openPinboard({
    port: await freePort(wished),
    accessTokenSeconds: ACCESS_TOKEN_SECONDS,
    onFault: (error) => process.stderr.write(`pinboard: ${String(error)}\n`),
  });

/**
 * Starts a store with some apps, the one of them that works with its servers, and a desktop; all from nothing.
 */
export async function openDemo(options: DemoOptions): Promise<Demo> {
  const { ports = USUAL_PORTS } = options;
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'svc-demo-'));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const token = randomBytes(32).toString('base64url');
  const store = await startStore(folder, token, ports.store);
  opened.defer(() => stopProgram(store.program));
  const pinboard = opened.adopt(await startPinboard(ports.pinboard), (one) => one.close());
  const model = opened.adopt(await openScriptModel(demoScript), (one) => one.close());
  await writeModels(folder, model.baseUrl);
  const automation = automationOf(store.url, token);
  const published: { appId: string; version: string }[] = [];
  const fill = async () => {
    for (const publisher of PUBLISHERS) await automation.addPublisher(publisher);
    for (const bundle of await firstBundles(pinboard.mcpUrl))
      published.push(await automation.publish(bundle));
  };
  const [desktop] = await Promise.all([startDesktop(folder, store.url, options), fill()]);
  opened.defer(() => stopProgram(desktop));
  const parts = opened.move();
  return {
    store: store.url,
    setup: store.setup,
    pinboard: pinboard.origin,
    desktop: desktop.found,
    async publishUpdate() {
      published.push(await automation.publish(await widerPinboard(pinboard.mcpUrl)));
    },
    async withdraw() {
      const own = published.filter(({ appId }) => appId === PINBOARD);
      for (const ref of own) await automation.yank(ref, 'Withdrawn in the demonstration.');
    },
    close: () => parts.disposeAsync(),
  };
}
