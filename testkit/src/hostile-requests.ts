import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { ROUTES, type Route } from '@svc/contracts';
import { FAULT } from '@svc/contracts/guarded';

/** What programs write about errors that no code expected. */
const FAULTS = [FAULT, 'not caught', 'failed unexpectedly', 'unhandledRejection', 'uncaughtException'];

/** The lines of a program's output that report errors which no code expected. */
export const faultsIn = (output: string): string[] =>
  output.split('\n').filter((line) => FAULTS.some((words) => line.includes(words)));

/** A deterministic generator of random numbers. */
export type RandomNumbers = {
  /** A whole number from 0 to `end` exclusive. */
  below(end: number): number;
  /** A random item of a list. */
  of<T>(things: readonly T[]): T;
};

/** Numbers of Lehmer's generator (MINSTD), always the same. */
function steadyNumbers(): RandomNumbers {
  let state = 1;
  const below = (end: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % end;
  };
  return { below, of: (things) => things[below(things.length)] as (typeof things)[number] };
}

/** A route under attack: its path may contain parameters, as in the route table. */
export type Target = { method: string; path: string; type: string | null };

/** The results of attacks: the number of requests by status (0 without a response), and complete requests that got none. */
export type Attacked = { requests: number; statuses: Map<number, number>; hangs: string[] };

export type AttackOptions = {
  /** Where the server listens; the host is also that of the header. */
  host?: string;
  port: number;
  /** The Unix socket on which it listens, instead of the port. */
  socket?: string;
  targets: readonly Target[];
  /** The number of requests, at least. */
  count: number;
  /** How many complete requests every second connection has at most, sent without waiting for the responses. Default: none has more. */
  reuse?: number;
  /** Default: always the same numbers. */
  random?: RandomNumbers;
  /** Header lines of which each request has one; '' for none. */
  credentials: readonly string[];
  /** Stops early, for example when the server has died. */
  isOver?(): boolean;
};

/** Maximum time to wait for the response to a complete request before it counts as a hang, and for any sign of life of others. */
const HANG_MS = 60_000;
const GLANCE_MS = 100;

const CONCURRENT = 32;

const KIB = 1024;
const SIZES = [0, 1, 2, 100, 4_000, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 70_000, 200_000];
const RARE_SIZES = [1024 * KIB, 5 * 1024 * KIB];

const PARAMETERS = [
  'x',
  '%00',
  '%ff',
  '..%2f..%2fetc',
  'com.example.notes',
  '1.0.0',
  '__proto__',
  '%F0%9D%84%9E',
  'a'.repeat(300),
];
const QUERIES = [
  '',
  '',
  '?',
  '?limit=1e99',
  '?cursor=%00&q=%ff',
  `?q=${'a%20'.repeat(500)}`,
  '?a[]=1&a[]=2&__proto__=x',
];

const HEADERS = [
  'accept: text/html',
  'accept: application/json',
  'accept-encoding: gzip, br, zstd',
  'content-encoding: gzip',
  'range: bytes=0-0,5-',
  'range: bytes=-1',
  'if-none-match: *',
  'if-match: "x"',
  'expect: 100-continue',
  'expect: nonsense',
  'upgrade: websocket\r\nconnection: upgrade',
  'connection: close',
  'cookie: svc_session=x; __Host-svc_session=%00',
  'cookie: =;;;=',
  'origin: https://evil.test',
  'sec-fetch-site: cross-site',
  'x-svc-install-id: \xff\xfe',
  'x-svc-redirect: 1',
  'te: trailers',
];

/** A body in HTTP framing; `isComplete` if the server can read a whole request. */
type Framed = { head: string[]; payload: Buffer; isComplete: boolean };

const chunk = (body: Buffer): Buffer =>
  body.byteLength === 0
    ? Buffer.alloc(0)
    : Buffer.concat([Buffer.from(`${body.byteLength.toString(16)}\r\n`), body, Buffer.from('\r\n')]);

const END = Buffer.from('0\r\n\r\n');
const CHUNKED = 'transfer-encoding: chunked';

/** The ways in which a body is sent, right and wrong (RFC 9112, sections 6 and 7). */
const FRAMINGS: readonly ((body: Buffer) => Framed)[] = [
  (body) => ({ head: [`content-length: ${body.byteLength}`], payload: body, isComplete: true }),
  (body) => ({ head: [CHUNKED], payload: Buffer.concat([chunk(body), END]), isComplete: true }),
  (body) => {
    const half = body.byteLength >> 1;
    const pieces = [chunk(body.subarray(0, half)), chunk(body.subarray(half)), END];
    return { head: [CHUNKED], payload: Buffer.concat(pieces), isComplete: true };
  },
  (body) => ({ head: [CHUNKED], payload: chunk(body), isComplete: false }),
  (body) => ({ head: [`content-length: ${body.byteLength + 1}`], payload: body, isComplete: false }),
  (body) => ({ head: [`content-length: ${body.byteLength >> 1}`], payload: body, isComplete: false }),
  (body) => ({ head: ['content-length: 99999999999'], payload: body, isComplete: false }),
  (body) => ({ head: ['content-length: -1'], payload: body, isComplete: false }),
  (body) => ({ head: ['content-length: 5', 'content-length: 6'], payload: body, isComplete: false }),
  (body) => ({
    head: [`content-length: ${body.byteLength}`, CHUNKED],
    payload: chunk(body),
    isComplete: false,
  }),
  (body) => ({ head: [CHUNKED], payload: Buffer.concat([Buffer.from('zz\r\n'), body]), isComplete: false }),
  (body) => ({
    head: [CHUNKED],
    payload: Buffer.concat([Buffer.from(`1;${'e'.repeat(20_000)}\r\n`), body]),
    isComplete: false,
  }),
  (body) => ({
    head: [CHUNKED],
    payload: Buffer.concat([chunk(body), Buffer.from('0\r\nx-trailer: y\r\n\r\n')]),
    isComplete: true,
  }),
  (body) => ({ head: [], payload: body, isComplete: false }),
];

function bodyOf({ below, of }: RandomNumbers): Buffer {
  const size = below(100) === 0 ? of(RARE_SIZES) : of(SIZES);
  const fill = of([
    'a',
    '[',
    '{"a":',
    '{"key":"x","password":"y"}',
    'csrf=x&email=a%40b.test&',
    '\0',
    '\xff',
    'PK\x03\x04',
  ]);
  return Buffer.alloc(size, fill, 'latin1');
}

const address = ({ below }: RandomNumbers): string => `10.${below(256)}.${below(256)}.${below(256)}`;

/** One request, as bytes, and whether a server can read all of it. */
function requestTo(
  { method, path, type }: Target,
  {
    host,
    port,
    random,
    credentials,
  }: Required<Pick<AttackOptions, 'host' | 'port' | 'random' | 'credentials'>>,
) {
  const { below, of } = random;
  const isBare = method === 'GET' && below(4) > 0;
  const { head, payload, isComplete } = isBare
    ? { head: [], payload: Buffer.alloc(0), isComplete: true }
    : of(FRAMINGS)(bodyOf(random));
  const at = path.replace(/:\w+(?:\{[^}]*\})?/g, () => of(PARAMETERS)) + of(QUERIES);
  const lines = [
    `${below(30) === 0 ? of(['HEAD', 'OPTIONS', 'PUT', 'TRACE', 'X']) : method} ${at} HTTP/1.${below(20) === 0 ? 0 : 1}`,
    `host: ${below(30) === 0 ? of(['evil.test', '[::1', 'a b', '']) : `${host}:${port}`}`,
    `x-forwarded-for: ${address(random)}`,
    below(3) === 0
      ? `content-type: ${of(['text/plain', 'multipart/form-data', '/', ''])}`
      : `content-type: ${type ?? 'application/json'}`,
    ...head,
    of(credentials),
    ...Array.from({ length: below(3) }, () => of(HEADERS)),
  ].filter((line) => line !== '');
  return {
    isComplete,
    name: lines[0] as string,
    bytes: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), payload]),
  };
}

/** How a client ends its connection: after a response, or at any byte, in order, half, or by a reset. */
const ENDINGS = ['wait', 'wait', 'wait', 'wait', 'wait', 'cut', 'half', 'reset', 'reset'] as const;

type Ending = (typeof ENDINGS)[number];

const END_BY: Record<Exclude<Ending, 'wait'>, (socket: Socket) => void> = {
  cut: (socket) => socket.destroy(),
  half: (socket) => socket.end(),
  // Unix sockets have no reset.
  reset: (socket) => (socket.remoteFamily === undefined ? socket.destroy() : socket.resetAndDestroy()),
};

/**
 * Sends bytes on a connection of its own.
 * @param ms time to wait for a response
 * @returns its status; 0 if the connection closed without one, null if there was none in time
 */
async function exchange(
  at: NetConnectOpts,
  bytes: Buffer,
  ending: Ending,
  ms: number,
): Promise<number | null> {
  const socket = connect({ ...at, allowHalfOpen: true } as NetConnectOpts);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  socket.on('data', (piece: Buffer) =>
    resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(piece.toString('latin1'))?.[1] ?? 0)),
  );
  socket.on('error', () => resolve(0));
  socket.on('end', () => resolve(0));
  const timer = setTimeout(() => resolve(null), ms);
  socket.write(bytes, () => {
    // The bytes are with the system: the server may have read none, some or all of them when the connection ends.
    if (ending !== 'wait') setImmediate(() => END_BY[ending](socket));
  });
  const closed = once(socket, 'close').catch(() => undefined);
  if (ending !== 'wait' && ending !== 'half') closed.then(() => resolve(0));
  const status = await promise;
  clearTimeout(timer);
  socket.destroy();
  await closed;
  return status;
}

/**
 * Sends requests on one connection, without waiting for the responses (RFC 9112, section 9.3.2).
 * @returns the statuses, and whether a response was missing in time; the server may end the connection after any of them
 */
async function exchangeMany(at: NetConnectOpts, requests: readonly Buffer[]) {
  const socket = connect({ ...at, allowHalfOpen: true } as NetConnectOpts);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const statuses: number[] = [];
  const timer = setTimeout(() => resolve(true), HANG_MS);
  let rest = '';
  socket.on('data', (piece: Buffer) => {
    timer.refresh();
    const text = rest + piece.toString('latin1');
    const found = [...text.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)];
    statuses.push(...found.map(([, status]) => Number(status)));
    const last = found.at(-1);
    rest = text.slice(Math.max(text.length - 12, last ? last.index + last[0].length : 0));
    // Nothing follows a stream of events.
    if (statuses.length >= requests.length || /^content-type: text\/event-stream/im.test(text))
      resolve(false);
  });
  for (const event of ['error', 'end', 'close']) socket.on(event, () => resolve(false));
  socket.write(Buffer.concat(requests));
  const isHanging = await promise;
  clearTimeout(timer);
  socket.destroy();
  return { statuses, isHanging };
}

/** The routes of a store. */
export const storeTargets = (): Target[] =>
  Object.values<Route>(ROUTES).map(({ method, path, body, form, rawBody }) => ({
    method: method.toUpperCase(),
    path,
    type: rawBody ?? (form ? 'application/x-www-form-urlencoded' : body ? 'application/json' : null),
  }));

/** Attacks every target in turn with malformed, oversized, interrupted and pipelined requests on raw sockets. */
export async function attack({
  host = '127.0.0.1',
  port,
  socket,
  targets,
  count,
  reuse = 0,
  random = steadyNumbers(),
  credentials,
  isOver = () => false,
}: AttackOptions): Promise<Attacked> {
  const at = socket === undefined ? { host, port } : { path: socket };
  const attacked: Attacked = { requests: 0, statuses: new Map(), hangs: [] };
  let next = 0;
  const saw = (status: number) => attacked.statuses.set(status, (attacked.statuses.get(status) ?? 0) + 1);
  const make = (target: Target) => requestTo(target, { host, port, random, credentials });
  async function attackInRow(n: number): Promise<void> {
    const length = 1 + random.below(reuse);
    const made = Array.from({ length: 2 * length }, (_, at) =>
      make(targets[(n + at) % targets.length] as Target),
    );
    // What follows an upgrade is not read as a request.
    const isFollowed = ({ isComplete, bytes }: (typeof made)[number]) =>
      isComplete && !bytes.includes('\r\nupgrade:');
    const whole = made.filter(isFollowed).slice(0, length);
    if (whole.length === 0) return;
    const { statuses, isHanging } = await exchangeMany(
      at,
      whole.map(({ bytes }) => bytes),
    );
    attacked.requests += statuses.length;
    statuses.forEach(saw);
    if (isHanging) attacked.hangs.push(`${whole[statuses.length]?.name} after ${statuses.length} others`);
  }
  async function attackOnce(n: number): Promise<void> {
    const target = targets[n % targets.length] as Target;
    const others = Array.from({ length: random.below(8) === 0 ? random.below(5) : 0 }, () =>
      random.of(targets),
    );
    const made = [target, ...others].map(make);
    const whole = Buffer.concat(made.map(({ bytes }) => bytes));
    const ending = random.of(ENDINGS);
    const bytes =
      ending === 'wait' ? whole : whole.subarray(0, random.below(random.of([200, whole.byteLength]) + 1));
    const mustAnswer = ending === 'wait' && made[0]?.isComplete === true;
    const status = await exchange(at, bytes, ending, mustAnswer ? HANG_MS : GLANCE_MS);
    attacked.requests += made.length;
    saw(status ?? 0);
    if (mustAnswer && status === null) attacked.hangs.push(made[0]?.name ?? '');
  }
  const work = async () => {
    while (attacked.requests < count && !isOver()) {
      next += 1;
      await (reuse > 0 && next % 2 === 0 ? attackInRow(next * reuse) : attackOnce(next - 1));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  return attacked;
}
