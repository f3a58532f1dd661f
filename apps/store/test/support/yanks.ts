import type { RevocationList, StoreHealth } from '@svc/contracts';
import { expect } from 'vitest';
import { ADMIN_TOKEN, jsonOf, type TestStore } from './test-store.ts';

/** Publishes the version 1.0.0 of an app. */
export async function release(store: TestStore, token: string, id: string): Promise<void> {
  expect((await store.publish(token, { id })).status).toBe(201);
  expect((await store.decide('approve', '1.0.0', undefined, id)).status).toBe(200);
}

/** Yanks the version 1.0.0 of an app. */
export async function yank(store: TestStore, id: string): Promise<void> {
  const path = `/api/apps/${id}/versions/1.0.0/yank`;
  const answer = await store.call('POST', path, { token: ADMIN_TOKEN, json: { reason: 'It lost notes.' } });
  expect(answer.status).toBe(200);
}

/** The list of yanks that clients get. */
export const listOf = (store: TestStore): Promise<RevocationList> =>
  jsonOf<RevocationList>(store.call('GET', '/api/apps/revocations'));

export const idsOf = ({ entries }: RevocationList): string[] => entries.map(({ appId }) => appId);

/** The status of the download of version 1.0.0. */
export const bundle = async (store: TestStore, id: string): Promise<number> =>
  (await store.call('GET', `/api/apps/${id}/versions/1.0.0/bundle`)).status;

export const ready = async (store: TestStore): Promise<number> => (await store.call('GET', '/readyz')).status;

/** What *Health* shows. */
export const healthOf = (store: TestStore): Promise<StoreHealth> =>
  jsonOf<StoreHealth>(store.admin('GET', '/api/admin/health'));

/** The line of a metric. @param name with its labels, as it is written */
export const metric = async (store: TestStore, name: string): Promise<string | undefined> =>
  (await (await store.call('GET', '/metrics', { token: ADMIN_TOKEN })).text())
    .split('\n')
    .find((line) => line.startsWith(`${name} `));
