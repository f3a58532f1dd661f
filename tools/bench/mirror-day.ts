import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openRuntime, type Runtime } from '@svc/runtime';
import { defaultSystem } from '@svc/runtime/store-client';
import { readSigningKey } from '@svc/signing';
import { folderTarget } from '../../apps/store/src/composition/commands/mirror/mirror-target.ts';
import { createStoreAnswers } from '../../apps/store/src/composition/commands/mirror/read-store.ts';
import { createMirrorWriter } from '../../apps/store/src/composition/commands/mirror/write-mirror.ts';
import { publishApps } from './carrying.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder } from './lib/processes.ts';
import { OPEN_STORE, whileOpen } from './lib/while-open.ts';

/** Apps of the store, and those that the client has. */
const [APPS, INSTALLED] = [60, 5];
const MINUTE_MS = 60_000;
const MIRROR = 'http://127.0.0.1:9/mirror';

/** A client's day: the list of yanks every three minutes, updates, and a user who looks around. */
const [POLLS, POLL_MS] = [480, 3 * MINUTE_MS];

/** Updates are looked for every four hours, and the user looks around eight times. */
const [UPDATES, LOOKS] = [80, 60];

/** When something is yanked. */
const YANKED = new Set([100, 300]);

type Sent = { requests: number; bytes: number };
type Open = Parameters<Parameters<typeof whileOpen>[1]>[0];

/** A clock that only moves when it is told to. */
function movedClock() {
  let now = Date.parse('2026-03-01T00:00:00.000Z');
  return {
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

type Moved = ReturnType<typeof movedClock>;

const asked = (store: Open, path: string, init?: RequestInit): Promise<Response> =>
  Promise.resolve(store.app.fetch(new Request(OPEN_STORE.url + path, init)));

async function writerOf(store: Open, { now }: Moved, { data, place }: { data: string; place: string }) {
  const pem = await readFile(join(data, 'data/keys/signing-key.pem'), 'utf8');
  const { keys } = (await (await asked(store, '/api/apps/public-keys')).json()) as { keys: never[] };
  return createMirrorWriter({
    answers: createStoreAnswers({
      fetch: async (input, init) => store.app.fetch(new Request(input as string, init)),
      ...{ from: OPEN_STORE.url, sleep: async () => undefined },
    }),
    ...{ target: folderTarget(place), store: OPEN_STORE.url, now },
    keys: { signingKey: readSigningKey(pem), keyChain: keys },
    log: { info() {}, warn() {}, error() {} },
  });
}

/** The network of a client: the store, and the files of a mirror, with what each sends. */
function counted(store: Open, place: string) {
  const sent = { store: { requests: 0, bytes: 0 }, mirror: { requests: 0, bytes: 0 } };
  async function count(to: Sent, response: Response): Promise<Response> {
    const bytes = Buffer.from(await response.arrayBuffer());
    to.requests += 1;
    to.bytes += bytes.length;
    const { status, headers } = response;
    return new Response(status === 304 ? null : bytes, { status, headers });
  }
  function fileOf(path: string): Response {
    try {
      return new Response(readFileSync(join(place, path)));
    } catch {
      return new Response('', { status: 404 });
    }
  }
  const fetchStore: typeof fetch = async (input, init) => {
    const url = String(input);
    return url.startsWith(MIRROR)
      ? count(sent.mirror, fileOf(url.slice(MIRROR.length + 1)))
      : count(sent.store, await store.app.fetch(new Request(url, init)));
  };
  return { sent, fetchStore };
}

/** What a user of a client does at a moment of the day. */
async function use(runtime: Runtime, poll: number, idOf: (n: number) => string): Promise<void> {
  await runtime.revocations.check();
  if (poll % UPDATES === 0) await runtime.update(AbortSignal.timeout(60_000));
  if (poll % LOOKS !== 0) return;
  const { apps } = await runtime.reader.search({ q: 'application', limit: 24 });
  for (const { iconUrl } of apps) await runtime.reader.picture(iconUrl);
  await runtime.reader.detail(idOf(poll % 40), undefined, { html: true });
}

async function installSome(runtime: Runtime, idOf: (n: number) => string): Promise<void> {
  for (let n = 0; n < INSTALLED; n += 1) {
    const sheet = await runtime.installer.prepareInstall(idOf(n));
    await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
  }
}

const yank = (store: Open, appId: string): Promise<Response> =>
  asked(store, `/api/apps/${appId}/versions/1.0.0/yank`, {
    ...{ method: 'POST', body: JSON.stringify({ reason: 'It lost notes.' }) },
    headers: { authorization: `Bearer ${OPEN_STORE.token}`, 'content-type': 'application/json' },
  });

async function liveDay(
  store: Open,
  clock: Moved,
  { folder, withMirror }: { folder: string; withMirror: boolean },
): Promise<{ sent: ReturnType<typeof counted>['sent']; first: Sent }> {
  const idOf = await publishApps(store, APPS, () => clock.pass(MINUTE_MS));
  const place = join(folder, `mirror-${withMirror}`);
  const writer = await writerOf(store, clock, { data: join(folder, String(withMirror)), place });
  const write = async () => void (withMirror && (await writer.run()));
  const { sent, fetchStore } = counted(store, place);
  const runtime = await openRuntime({
    ...{ folder: join(folder, `client-${withMirror}`), store: OPEN_STORE.url, fetchStore },
    ...(withMirror && { mirrors: [MIRROR] }),
    ...{ system: { ...defaultSystem, now: clock.now }, localApps: true },
    ask: async () => ({ accepted: false }),
  });
  try {
    await write();
    // The key is pinned at the store itself.
    await runtime.revocations.check();
    const first = { ...sent.store };
    await installSome(runtime, idOf);
    for (let poll = 0; poll < POLLS; poll += 1) {
      clock.pass(POLL_MS);
      if (YANKED.has(poll)) await yank(store, idOf(APPS - 1 - poll / 100));
      await write();
      await use(runtime, poll, idOf);
    }
    const left = runtime.mirrors().find((mirror) => mirror.left);
    if (left) throw new Error(`The mirror was left: ${JSON.stringify(left)}`);
    return { sent, first };
  } finally {
    await runtime.close();
  }
}

/** The day of a client, and what the store and the mirror sent. */
function dayOf(folder: string, withMirror: boolean) {
  const clock = movedClock();
  return whileOpen(
    join(folder, String(withMirror)),
    (store) => liveDay(store, clock, { folder, withMirror }),
    {
      clock: () => new Date(clock.now()),
    },
  );
}

const kB = ({ requests, bytes }: Sent): string => `${requests} requests, ${(bytes / 1_000).toFixed(0)} kB`;

/** What a client costs its store in a day, with a mirror and without. */
export async function mirrorDay(): Promise<Figure[]> {
  return inTempFolder(async (folder) => {
    const [withMirror, without] = [await dayOf(folder, true), await dayOf(folder, false)];
    const { store, mirror } = withMirror.sent;
    const share = 100 * (1 - store.requests / without.sent.store.requests);
    return [
      {
        name: `A day of a client of a store of ${APPS} apps that has a mirror: what the mirror answers of what the store answers without one`,
        measured: `the store sends ${kB(store)} (${kB(withMirror.first)} of it for the first contact) against ${kB(without.sent.store)}; the mirror sends ${kB(mirror)}`,
        ...{ value: share, unit: ' %', bound: { least: 99 } },
      },
    ];
  });
}
