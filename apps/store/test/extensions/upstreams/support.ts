import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { UpstreamChoices } from '@svc/contracts';
import { expect, onTestFinished } from 'vitest';
import { createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { openKeys } from '../../../src/composition/open-data.ts';
import { listen } from '../../../src/composition/serve.ts';
import { upstreamCommands } from '../../../src/extensions/upstreams/commands.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

/** Answers instead of the upstream; undefined for its own answer. */
export type Lie = (
  path: string,
  own: () => Promise<Response>,
) => Promise<Response | undefined> | Response | undefined;

/** A store that listens on this machine, and may lie. */
export async function servedStore(environment: Record<string, string> = {}) {
  const store = await openTestStore({ environment });
  let lie: Lie = () => undefined;
  const asked: string[] = [];
  const app = {
    async fetch(request: Request, ...rest: unknown[]): Promise<Response> {
      const { pathname, search } = new URL(request.url);
      asked.push(pathname + search);
      // A lie reads the answer as it is, not compressed.
      const plain = new Request(request.url, { headers: { accept: request.headers.get('accept') ?? '*/*' } });
      const told = await lie(pathname, async () => store.app.fetch(plain));
      return told ?? store.app.fetch(request, ...(rest as []));
    },
  };
  const server = await listen({ app, answerFromMemory: () => false, isHttps: false }, 0, '127.0.0.1');
  let isOpen = true;
  const stop = async () => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  onTestFinished(stop);
  return {
    ...store,
    address: `http://127.0.0.1:${server.port}`,
    asked,
    stop,
    lie: (next: Lie) => {
      lie = next;
    },
  };
}

export type ServedStore = Awaited<ReturnType<typeof servedStore>>;

export const APP = 'com.example.notes';

/** A store with one published app of a verified publisher, and no other. */
export async function publicStore(): Promise<ServedStore & { token: string }> {
  const store = await servedStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token, { id: APP });
  await store.decide('approve', '1.0.0', {}, APP);
  return { ...store, token };
}

const ALL: UpstreamChoices = { which: 'all', apps: [], categories: [], how: 'all', grants: [] };

/** Where the store of the company is: on this machine, as its upstreams are. */
export const COMPANY = 'http://127.0.0.1:9';

/** A company's store without an upstream. It looks at upstreams when a test says so, and not by its timers too. */
export const companyStore = (): Promise<TestStore> =>
  openTestStore({ environment: { SVC_BASE_URL: COMPANY }, repeatsJobs: false });

/** Adds an upstream to a store. @returns its id */
export async function addUpstream(
  company: TestStore,
  address: string,
  choices: Partial<UpstreamChoices> = {},
): Promise<string> {
  const { keys } = await bodyOf(
    company.admin('GET', `/api/admin/upstreams/offer?address=${encodeURIComponent(address)}`),
  );
  const json = { address, keyId: keys.at(-1).keyId, choices: { ...ALL, ...choices } };
  const added = await bodyOf(company.admin('POST', '/api/admin/upstreams', json));
  expect(added).toMatchObject({ httpStatus: 201, address });
  return added.id;
}

/** One turn of both jobs. Pages in memory have what they changed then, as they do a quarter of a second later. */
export async function turn(company: TestStore): Promise<void> {
  await company.runJob('Following upstreams');
  await company.runJob('Carrying apps of upstreams');
  await company.followChanges();
}

/** A company's store that carries all of a public store. */
export async function carrying(choices: Partial<UpstreamChoices> = {}) {
  const origin = await publicStore();
  const company = await companyStore();
  const id = await addUpstream(company, origin.address, choices);
  await turn(company);
  return {
    origin,
    company,
    id,
    upstream: async () =>
      (await bodyOf(company.admin('GET', '/api/admin/upstreams'))).upstreams.find(
        (one: { id: string }) => one.id === id,
      ),
    apps: async () => (await bodyOf(company.admin('GET', `/api/admin/upstreams/${id}/apps`))).apps,
    /** A later moment of both. */
    later(ms: number) {
      origin.advance(ms);
      company.advance(ms);
    },
  };
}

/** The signing key of a store, with its chain. */
export const keysOf = ({ stores, folder }: TestStore) =>
  openKeys(
    { unitOfWork: createUnitOfWork(stores.db), newId: randomUUID },
    join(folder, 'keys', 'signing-key.pem'),
  );

/** Runs a command of `svc-store` on the database of a store, and returns what it prints. */
export function commandsOf(store: TestStore) {
  const { stores, clock, commands } = store;
  const parts = {
    ...stores,
    unitOfWork: createUnitOfWork(stores.db),
    clock,
    baseUrl: COMPANY,
    keys: () => keysOf(store),
    inStore: async (name: string, args: Parameters<(typeof commands)[string]>[0]) =>
      (await commands[name]?.(args)) ?? '',
  };
  return async (name: string, operand?: string, options: Record<string, unknown> = {}): Promise<string> => {
    const command = upstreamCommands.find((one) => one.name === `upstream ${name}`);
    const operands = operand === undefined ? [] : [operand];
    const said = await command?.run({ operands, options }, parts);
    return typeof said === 'string' ? said : (said?.print ?? '');
  };
}
