import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreHealth } from '@svc/contracts';
import { openMailServer } from '../../../apps/store/test/support/mail-server.ts';
import { type Arena, experimentIn, newApp, uploadForReview } from '../arena.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { type Backend, withSettings } from '../site.ts';
import { ADMIN_TOKEN } from '../store-process.ts';
import { layWire, type Wire } from '../wire.ts';

/** Longer than any pause of the checks, in milliseconds. */
const SHOWN_MS = 130_000;
const LOOK_MS = 200;

/** Where an outage can show. */
const PLACES = ['/readyz', 'metric', 'Health', 'page', 'log'] as const;
type Place = (typeof PLACES)[number];

/** A service that a test cuts off, and how the store names it. */
type Service = { part: string; wire: Wire; isService: boolean; provoke?: (arena: Arena) => Promise<unknown> };

/** A sign-in provider with what the checks of a store read. */
async function openProvider() {
  let issuer = '';
  const server = createHttp((_request, response) => {
    const at = (path: string) => `${issuer}/${path}`;
    const endpoints = { authorization_endpoint: at('authorize'), token_endpoint: at('token') };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ issuer, ...endpoints, jwks_uri: at('keys') }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const wire = await layWire((server.address() as AddressInfo).port);
  issuer = `http://127.0.0.1:${wire.port}`;
  const folder = await mkdtemp(join(tmpdir(), 'svc-provider-'));
  const file = join(folder, 'sign-in.json');
  const client = { clientId: 'svc', clientSecret: 'a-secret-of-the-client-0123456789' };
  await writeFile(file, JSON.stringify([{ id: 'acme', label: 'Acme', type: 'openid', issuer, ...client }]));
  return {
    wire,
    settings: { SVC_SIGN_IN_FILE: file },
    async close() {
      await wire.close();
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openMail() {
  const server = await openMailServer();
  const wire = await layWire(Number(new URL(server.url).port));
  const url = Object.assign(new URL(server.url), { port: String(wire.port) }).href;
  return {
    wire,
    settings: { SVC_SMTP_URL: url, SVC_MAIL_FROM: 'store@example.com' },
    async close() {
      await wire.close();
      await server.close();
    },
  };
}

/** A collector that reads a connection to its end, and closes it. */
async function openCollector() {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const wire = await layWire((server.address() as AddressInfo).port);
  return {
    wire,
    settings: { SVC_AUDIT_TO: `syslog://127.0.0.1:${wire.port}` },
    async close() {
      await wire.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Where a store shows now that a part is down. */
async function shownAt({ store, client }: Arena, part: string, isService: boolean): Promise<Place[]> {
  const textAt = async (path: string) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const answer = await fetch(store.url + path, { headers }).catch(() => null);
    return { status: answer?.status ?? 0, text: (await answer?.text().catch(() => '')) ?? '' };
  };
  const [ready, metrics, page] = [
    await textAt('/readyz'),
    await textAt('/metrics'),
    await textAt('/sign-in'),
  ];
  const { status, body } = await client.get<StoreHealth>('/api/admin/health');
  const parts = [...(body.probes ?? []), ...(body.services ?? [])];
  const isNamed = parts.some(({ name, ok }) => name === part && !ok);
  const line = isService ? `The ${part} cannot be reached` : 'is not ready';
  const shown: Record<Place, boolean> = {
    '/readyz': ready.status === 503,
    metric: metrics.text.includes(`svc_part_ready{part="${part}"} 0`),
    Health: isNamed || status === 503,
    page: page.status === 503 || page.text.includes('cannot be reached'),
    log: store.said().includes(line),
  };
  return PLACES.filter((place) => shown[place]);
}

/** Cuts a service off, and measures where that shows, after how many seconds, and how soon it is over. */
async function measure(arena: Arena, { part, wire, isService, provoke }: Service): Promise<Outcome> {
  const before = new Set(await shownAt(arena, part, isService));
  before.delete('log');
  if (before.size > 0) return { counts: part, failures: [`${part} is shown as down before it is`] };
  const first = new Map<Place, number>();
  const began = performance.now();
  wire.cut();
  await provoke?.(arena);
  const expected: readonly Place[] = isService ? ['metric', 'Health', 'log'] : ['/readyz', 'metric', 'log'];
  while (performance.now() - began < SHOWN_MS && !expected.every((place) => first.has(place))) {
    for (const place of await shownAt(arena, part, isService))
      if (!first.has(place)) first.set(place, performance.now() - began);
    await sleep(LOOK_MS);
  }
  wire.fix();
  const fixed = performance.now();
  const isOver = async () => !(await shownAt(arena, part, isService)).some((place) => place !== 'log');
  while (performance.now() - fixed < SHOWN_MS && !(await isOver())) await sleep(LOOK_MS);
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  const places = [...first].map(([place, ms]) => `${place} ${seconds(ms)}`).join(', ');
  const missing = expected.filter((place) => !first.has(place));
  return {
    counts: `${part}: ${places}; well after ${seconds(performance.now() - fixed)}`,
    failures: [
      ...missing.map((place) => `${part} was down, and never shown by ${place}`),
      ...((await isOver()) ? [] : [`${part} is still shown as down`]),
    ],
  };
}

async function run({ backend, count }: Setup): Promise<Outcome> {
  const [provider, mail, collector] = [await openProvider(), await openMail(), await openCollector()];
  const others = [provider, mail, collector];
  const settings = Object.assign({}, ...others.map((one) => one.settings)) as Record<string, string>;
  const withAll: Backend = withSettings(backend, settings);
  try {
    return await experimentIn(withAll, async (arena) => {
      const { postgres, s3 } = arena.site.wires;
      const writesEntry = async ({ client }: Arena) => uploadForReview(client, newApp());
      const services: Service[] = [
        ...(postgres ? [{ part: 'database', wire: postgres, isService: false }] : []),
        ...(s3 ? [{ part: 'bundle storage', wire: s3, isService: false }] : []),
        { part: 'sign-in provider acme', wire: provider.wire, isService: true },
        { part: 'mail server', wire: mail.wire, isService: true },
        { part: 'collector of the audit log', wire: collector.wire, isService: true, provoke: writesEntry },
      ];
      const done: Outcome[] = [];
      for (const service of services.slice(0, count)) done.push(await measure(arena, service));
      return {
        counts: done.map(({ counts }) => counts).join(' | '),
        failures: done.flatMap(({ failures }) => failures),
      };
    });
  } finally {
    for (const one of others) await one.close();
  }
}

/** Services that are cut off: where that shows, and after how long. `count` limits the services. */
export const outages: Experiment = {
  name: 'outages',
  backends: ['s3'],
  count: Number.POSITIVE_INFINITY,
  run,
};
