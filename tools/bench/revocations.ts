import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type RevocationEntry, type RevocationList, ROUTES } from '@svc/contracts';
import { inBackground } from '@svc/contracts/guarded';
import { openRuntime } from '@svc/runtime';
import { generateSigningKeyPem, readSigningKey, signRevocations } from '@svc/signing';
import { type RevocationRouteDeps, revocationRoutes } from '../../apps/store/src/core/revocations/routes.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder } from './lib/processes.ts';

const MINUTE_MS = 60_000;
/** What a client does in a day: a request every three minutes. */
const POLLS = 480;
const POLL_MINUTES = 3;
/** A store signs its list again so often, in minutes, and at each yank. */
const SIGN_MINUTES = 55;
const YANKS = 10;

const REASON = 'It sends what users write to a host that it does not name.';

const yank = (n: number): RevocationEntry => ({
  appId: `com.example.app-${n % 1_999}`,
  version: `${1 + (n % 7)}.${n % 31}.${n % 101}`,
  reason: `${REASON} See https://example.com/advisories/${n}.`,
  at: new Date(Date.parse('2020-01-01T00:00:00.000Z') + n * MINUTE_MS).toISOString(),
});

/** The routes of the list over HTTP, with a list that is signed on demand, and the bytes and requests that were sent. */
async function openList(size: number) {
  const key = readSigningKey(generateSigningKeyPem());
  const entries = Array.from({ length: size }, (_, n) => yank(n));
  let [at, requests] = [Date.now() - 24 * 60 * MINUTE_MS, 0];
  let list: RevocationList = signRevocations(entries, new Date(at).toISOString(), key);
  const sign = (minutes: number) => {
    at += minutes * MINUTE_MS;
    list = signRevocations(entries, new Date(at).toISOString(), key);
  };
  // What undoes a yank is not called here.
  const deps = {
    signingKey: key,
    revocationList: { current: async () => list },
  } as unknown as RevocationRouteDeps;
  const routes = revocationRoutes(deps);
  const { keyId, publicKeyPem } = key;
  const keys = async () =>
    Response.json({ keys: [{ keyId, publicKeyPem, createdAt: '2020-01-01T00:00:00.000Z' }] });
  /** What the routes use of a request of the store. */
  const answer = ({ url = '', headers }: IncomingMessage): Promise<Response> => {
    const c = {
      req: { raw: { method: 'GET' }, header: (name: string) => headers[name] },
      body: (
        body: ConstructorParameters<typeof Response>[0],
        status: number,
        fields: Record<string, string>,
      ) => new Response(body, { status, headers: fields }),
    };
    const given = [{ params: { sha256: url.split('/').at(-1) } }, c] as never as [never, never];
    if (url === ROUTES.publicKeys.path) return keys();
    requests += 1;
    if (url === ROUTES.revocations.path) return routes.revocations(...given);
    return url === ROUTES.revocationHead.path
      ? routes.revocationHead(...given)
      : routes.revocationSegment(...given);
  };
  const server = createServer((request, response) => {
    const send = async () => {
      const { status, headers, body } = await answer(request);
      response.writeHead(status, Object.fromEntries(headers));
      for await (const piece of body ?? []) response.write(piece);
      response.end();
    };
    inBackground(send(), () => response.destroy());
  });
  // To sign a long list takes longer than a connection waits otherwise.
  server.keepAliveTimeout = 10 * MINUTE_MS;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => ({ bytes: [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0), requests }),
    /** Signs again when it is due, and yanks now and then. */
    pass(poll: number) {
      const isYank = poll % (POLLS / YANKS) === POLLS / YANKS / 2;
      if (isYank) entries.push(yank(entries.length));
      if (isYank || (poll * POLL_MINUTES) % SIGN_MINUTES < POLL_MINUTES) sign(POLL_MINUTES);
    },
    close: () => server.close(),
  };
}

type Cost = { first: number; bytes: number; requests: number };

/** What a client gets first, and in a day after that. */
async function dayOf(
  size: number,
  open: (url: string) => Promise<{ check(): Promise<unknown>; close(): unknown }>,
) {
  const store = await openList(size);
  const client = await open(store.url);
  try {
    await client.check();
    const first = store.sent();
    for (let poll = 0; poll < POLLS; poll += 1) {
      store.pass(poll);
      await client.check();
    }
    const all = store.sent();
    return { first: first.bytes, bytes: all.bytes - first.bytes, requests: all.requests - first.requests };
  } finally {
    await client.close();
    store.close();
  }
}

/** The runtime of this version. */
const inParts = (size: number): Promise<Cost> =>
  inTempFolder((folder) =>
    dayOf(size, async (store) => {
      const runtime = await openRuntime({ folder, store, ask: async () => ({ accepted: false }) });
      return {
        async check() {
          const { refused } = await runtime.revocations.check();
          if (refused) throw new Error(`The list was refused: ${refused}.`);
        },
        close: () => runtime.close(),
      };
    }),
  );

/** A client that knows the whole list alone, as earlier runtimes: it is sent again whenever it was signed. */
const whole = (size: number): Promise<Cost> =>
  dayOf(size, async (store) => {
    let tag = '';
    return {
      async check() {
        const answer = await fetch(store + ROUTES.revocations.path, { headers: { 'if-none-match': tag } });
        tag = answer.headers.get('etag') ?? tag;
        await answer.arrayBuffer();
      },
      close: () => undefined,
    };
  });

const kB = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} kB`;

async function figureOf(size: number, most: number): Promise<Figure> {
  const [ours, theirs] = [await inParts(size), await whole(size)];
  return {
    name: `What a desktop gets of the revocation list in a day with ${YANKS} yanks, of a store with ${size}: in parts against the whole`,
    measured: `${kB(ours.bytes)} in ${ours.requests} requests against ${kB(theirs.bytes)} in ${theirs.requests}; at first ${kB(ours.first)} against ${kB(theirs.first)}`,
    value: (100 * ours.bytes) / theirs.bytes,
    unit: ' %',
    bound: { most },
  };
}

/** Bytes with headers, compressed as clients ask for. */
export const revocations = async (): Promise<Figure[]> => [
  await figureOf(5_000, 15),
  await figureOf(50_000, 3),
];
