import { createPublicKey } from 'node:crypto';
import type { SignedManagedSettings } from '@svc/contracts';
import { generateSigningKeyPem, readSigningKey, signManaged } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { openLibraryStorage } from '../../src/library/library-storage.ts';
import { openManagedState } from '../../src/managed/state.ts';
import { createManagedWatch } from '../../src/managed/watch.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { installed } from '../support/app.ts';
import { realSystem } from '../support/real-system.ts';
import { tempFolder } from '../support/temp-folder.ts';

const STORE = 'https://store.example.com';
const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const key = readSigningKey(generateSigningKeyPem());
const ring = new Map([[key.keyId, createPublicKey(key.publicKeyPem)]]);
const at = (now: number) => new Date(now).toISOString();

const fromStore = (id: string, store: string) =>
  installed(
    { id },
    { source: { kind: 'store', store, sha256: 'a'.repeat(64), keyId: 'k', publishedAt: at(START) } },
  );
const OURS = fromStore('com.example.notes', STORE);
const OTHERS = [
  fromStore('com.example.paint', 'https://other.example.com'),
  installed({ id: 'com.example.dev' }),
];

/** A computer whose store lets its members alone use its apps; accounts of all apps are connected. */
async function world(managed: object = { memberHours: 24 }) {
  let now = START;
  let answer: 'member' | RuntimeError | SignedManagedSettings = 'member';
  const ended: string[] = [];
  const connected = new Set([OURS, ...OTHERS].map(({ appId }) => appId));
  const system = { ...realSystem, now: () => now };
  const state = openManagedState(
    { settings: {}, fromStore: true },
    await openLibraryStorage(realSystem, await tempFolder()),
    { store: STORE, system },
  );
  const library = { list: () => [OURS, ...OTHERS], refusal: (app: typeof OURS) => state.refusal(app) };
  const accounts = {
    list: async ({ appId }: typeof OURS) =>
      ['one', 'two'].map((id) => ({ id, connected: connected.has(appId) && id === 'one' })),
    disconnect: async ({ appId }: typeof OURS, id: string) => {
      connected.delete(appId);
      ended.push(`${appId} ${id}`);
    },
  };
  const watch = createManagedWatch({
    ...{ system, state, fromStore: true, accounts, library },
    events: { emit: () => undefined },
    reader: {
      store: STORE,
      managed: async () => {
        if (answer instanceof RuntimeError) throw answer;
        if (answer !== 'member') return answer;
        return signManaged({ managed: managed as never, changedAt: at(START) }, at(now), key);
      },
    },
    keys: { forRevocations: async () => ring, follow: async () => false },
    carryOut: async () => [],
    onFault: (error: unknown) => expect.unreachable(String(error)),
  } as never);
  await watch.check();
  return {
    ended,
    refusal: () => state.refusal(OURS)?.code ?? null,
    /** Checks some hours later. */
    async after(hours: number, next: typeof answer) {
      now += hours * HOUR_MS;
      answer = next;
      return watch.check();
    },
  };
}

const LEFT = new RuntimeError('sign-in-needed');
const AWAY = new RuntimeError('store-unreachable');

it.each([key.keyId, 'proxy'])('older settings are refused, whatever key they name: %s', async (keyId) => {
  const { after } = await world();
  const older = signManaged({ managed: {}, changedAt: at(START - HOUR_MS) }, at(START), key);
  expect(await after(1, { ...older, keyId })).toBe('rolled-back');
  expect(await after(2, 'member')).toBeNull();
});

describe('the accounts of a user who left the company', () => {
  it('are locked at the first answer that says so, and ended after the hours of the company: those of its store alone', async () => {
    const { after, ended, refusal } = await world();
    expect(await after(1, LEFT)).toBe('sign-in-needed');
    expect([refusal(), ended]).toEqual(['sign-in-needed', []]);
    await after(22, LEFT);
    expect(ended).toEqual([]);
    await after(1, LEFT);
    expect(ended).toEqual(['com.example.notes one']);
    await after(1, LEFT);
    expect(ended).toEqual(['com.example.notes one']);
  });

  it('work again, whole, once the user has signed in within that time', async () => {
    const { after, ended, refusal } = await world();
    await after(1, LEFT);
    expect(await after(20, 'member')).toBeNull();
    expect(refusal()).toBeNull();
    await after(20, LEFT);
    expect(ended).toEqual([]);
  });

  it('are locked and kept while the store cannot be reached, and ended at the next contact that says so', async () => {
    const { after, ended, refusal } = await world();
    expect(await after(30 * 24, AWAY)).toBe('store-unreachable');
    expect([refusal(), ended]).toEqual(['store-unreachable', []]);
    await after(1, LEFT);
    expect(ended).toEqual(['com.example.notes one']);
  });

  it('are neither locked nor ended where the company sets no hours', async () => {
    const { after, ended, refusal } = await world({});
    await after(48, LEFT);
    expect([refusal(), ended]).toEqual([null, []]);
  });
});
