import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventType, type MyReports, type StoreEvent, TOKEN_SCOPES } from '@svc/contracts';
import { certificateFor } from '@svc/testkit/certificate';
import { createStores } from '../../apps/store/src/adapters/database/stores.ts';
import { newToken } from '../../apps/store/src/core/domain/identity/token-format.ts';
import { secretText } from '../../apps/store/src/extensions/webhooks/deliver.ts';
import { webhookQueries } from '../../apps/store/src/extensions/webhooks/extension.ts';
import { hashSecret } from '../../apps/store/src/platform/secret.ts';
import type { Arena } from './arena.ts';
import { clientOf, nameOf, type Ref } from './client.ts';
import { PAST_LEASE_MS } from './outbox.ts';
import { type Backend, type Site, withSettings } from './site.ts';
import { wellAfter } from './witness.ts';

const RECEIVER = 'receiver.corp.example';

/** A user may report ten times a day. */
const REPORTS_OF_A_USER = 10;
const USERS = 40;
const DAY_MS = 24 * 60 * 60_000;

/** What a store owes besides versions: its reports, and the events of its webhook at a real receiver. */
export type Dues = {
  /** The same back end, with stores that reach the receiver. */
  on(backend: Backend): Backend;
  /** Adds the webhook of the store, and the users who report. Call it before anything is published. */
  open(site: Site): Promise<void>;
  /** Reports a version. Returns the status of the answer; null when all users have used up their day. */
  report(arena: Arena, ref: Ref): Promise<number | null>;
  /** Moves the clock of the store past all leases. Returns the faults: reports that are gone, and events that never came. */
  faults(arena: Arena): Promise<string[]>;
  count(): string;
  close(): Promise<void>;
};

/** A real receiver of webhooks over TLS: it remembers which events came, and how often. */
async function openReceiver() {
  const { key, cert } = certificateFor(RECEIVER);
  const received = new Map<string, number>();
  const server = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as StoreEvent;
      const name = `${type} ${data.appId} ${data.version}`;
      received.set(name, (received.get(name) ?? 0) + 1);
      response.writeHead(204).end();
    });
    request.on('error', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'svc-receiver-'));
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, cert);
  return {
    received,
    settings: {
      NODE_EXTRA_CA_CERTS: ca,
      SVC_PRIVATE_NETWORKS: RECEIVER,
      SVC_TORTURE_RECEIVER: `https://${RECEIVER}:${(server.address() as AddressInfo).port}`,
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Adds users with a token each, and a webhook of the store. Returns the tokens. */
async function fill(site: Site): Promise<string[]> {
  const db = await site.openDatabase();
  try {
    const { people, tokens } = createStores(db);
    const now = new Date();
    const [createdAt, expiresAt] = [now.toISOString(), new Date(now.getTime() + 300 * DAY_MS).toISOString()];
    const secrets: string[] = [];
    for (let n = 0; n < USERS; n += 1) {
      const id = `user-${n}`;
      const email = `${id}@example.com`;
      const role = n === 0 ? ('administrator' as const) : ('person' as const);
      await people.add({
        ...{ id, email, role, createdAt },
        name: id,
        emailVerified: true,
        suspended: false,
      });
      const token = newToken('personal', randomBytes);
      const owner = { personId: id, madeBy: id, publisher: null, appId: null };
      const times = { createdAt, expiresAt, lastUsedAt: null, revokedAt: null };
      const scopes = [...TOKEN_SCOPES];
      await tokens.keep({
        ...{ id: randomUUID(), kind: 'personal', name: id, hash: hashSecret(token) },
        ...{ scopes, ...owner, ...times },
      });
      secrets.push(token);
    }
    const of = { publisher: null, madeBy: 'user-0', types: null, disabledAt: null };
    const secret = secretText(randomBytes(32));
    const url = `https://${RECEIVER}/hook`;
    await webhookQueries(db).webhooks.add({
      ...{ id: randomUUID(), url, secret, createdAt, afterEvent: 0 },
      ...of,
    });
    return secrets;
  } finally {
    await db.destroy();
  }
}

/** The events that are owed for what was acknowledged. A version that is yanked was published before. */
function owedTo({ witness }: Arena): string[] {
  const eventsOf = (state: Parameters<typeof witness.acknowledged>[0], types: readonly EventType[]) =>
    witness
      .acknowledged(state)
      .flatMap(({ appId, version }) => types.map((type) => `${type} ${appId} ${version}`));
  return [
    ...eventsOf('in_review', ['version.submitted']),
    ...eventsOf('published', ['version.submitted', 'version.published']),
    ...eventsOf('yanked', ['version.published', 'version.yanked']),
  ];
}

/** Starts the receiver. */
async function openDues(): Promise<Dues> {
  const receiver = await openReceiver();
  let tokens: string[] = [];
  let asked = 0;
  let owed: string[] = [];
  /** The reported versions of each user, as they were acknowledged. */
  const reported = new Map<string, Set<string>>();
  const missing = (arena: Arena): string[] => {
    owed = owedTo(arena);
    return owed.filter((name) => !receiver.received.has(name));
  };
  const lostReports = async ({ store }: Arena): Promise<string[]> => {
    const faults: string[] = [];
    for (const [token, names] of reported) {
      const { body } = await clientOf(store.url, token).get<MyReports>('/api/people/me/reports');
      const there = new Set(body.reports?.map(nameOf));
      const gone = [...names].filter((name) => !there.has(name));
      faults.push(...gone.map((name) => `a report of ${name} was acknowledged, and is gone`));
    }
    return faults;
  };
  return {
    on: (backend) => withSettings(backend, receiver.settings),
    async open(site) {
      tokens = await fill(site);
    },
    async report({ store }, ref) {
      const token = tokens[Math.floor(asked / REPORTS_OF_A_USER)];
      if (token === undefined) return null;
      asked += 1;
      const { status } = await clientOf(store.url, token).report(ref);
      if (status === 201) reported.set(token, (reported.get(token) ?? new Set()).add(nameOf(ref)));
      return status;
    },
    async faults(arena) {
      await arena.store.shiftClock(PAST_LEASE_MS);
      await wellAfter(async () => missing(arena).length === 0);
      await arena.store.shiftClock(0);
      return [
        ...missing(arena).map((name) => `the event ${name} was owed, and never delivered`),
        ...(await lostReports(arena)),
      ];
    },
    count() {
      const reports = [...reported.values()].reduce((sum, { size }) => sum + size, 0);
      const again = owed.filter((name) => (receiver.received.get(name) ?? 0) > 1).length;
      return `${owed.length} events owed and delivered, ${again} of them twice or more; ${reports} reports`;
    },
    close: receiver.close,
  };
}

/** Runs an experiment with the dues of its stores. */
export async function withDues<T>(work: (dues: Dues) => Promise<T>): Promise<T> {
  const dues = await openDues();
  try {
    return await work(dues);
  } finally {
    await dues.close();
  }
}
