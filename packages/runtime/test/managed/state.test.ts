import { generateSigningKeyPem, readSigningKey, signManaged } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { openLibraryStorage } from '../../src/library/library-storage.ts';
import { STRICTEST } from '../../src/managed/rules.ts';
import { openManagedState, understood } from '../../src/managed/state.ts';
import { installed } from '../support/app.ts';
import { realSystem } from '../support/real-system.ts';
import { tempFolder } from '../support/temp-folder.ts';

const STORE = 'https://store.example.com';
const HOUR_MS = 3_600_000;
const key = readSigningKey(generateSigningKeyPem());
const signed = (managed: object, changedAt: string, by = key) => ({
  ...signManaged({ managed: managed as never, changedAt }, changedAt, by),
  signer: by.keyId,
});
const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();

async function opened(fromStore = true) {
  const storage = await openLibraryStorage(realSystem, await tempFolder());
  let now = Date.UTC(2026, 0, 1);
  const system = { now: () => now };
  const open = () =>
    openManagedState({ settings: { exportChats: false }, fromStore }, storage, { store: STORE, system });
  return { state: open(), open, now: () => now, advance: (ms: number) => (now += ms) };
}

const ofStore = installed(
  {},
  { source: { kind: 'store', store: STORE, sha256: 'a'.repeat(64), keyId: 'k', publishedAt: at(1) } },
);

describe('what a computer keeps of managed settings', () => {
  it('allows nothing that the store may refuse, until the first settings come', async () => {
    const { state, open, now } = await opened();
    expect(state.rules()).toEqual([{ exportChats: false }, STRICTEST]);
    state.accept(signed({ developerMode: false }, at(1)), now());
    expect(state.rules()).toEqual([{ exportChats: false }, { developerMode: false }]);
    expect(open().rules()).toEqual(state.rules());
  });

  it('never goes back to earlier settings, nor to others of the same time', async () => {
    const { state, now } = await opened();
    state.accept(signed({ exportChats: false }, at(3)), now());
    for (const older of [signed({}, at(2)), signed({}, at(3))])
      expect(() => state.accept(older, now())).toThrow(expect.objectContaining({ code: 'rolled-back' }));
    state.accept(signed({ exportChats: false }, at(3)), now());
    expect(state.rules()[1]).toEqual({ exportChats: false });
    const next = readSigningKey(generateSigningKeyPem());
    state.accept(signed({}, at(1), next), now());
    expect(state.rules()[1]).toEqual({});
  });

  it('keeps the last settings while the store is gone, and stops its apps after the hours of the company', async () => {
    const { state, now, advance } = await opened();
    state.accept(signed({ memberHours: 24, exportChats: false }, at(1)), now());
    expect(state.refusal(ofStore)).toBeNull();
    advance(25 * HOUR_MS);
    expect(state.refusal(ofStore)).toMatchObject({ code: 'store-unreachable' });
    expect(state.refusal(installed({}, { source: { kind: 'built-in' } }))).toBeNull();
    advance(30 * 24 * HOUR_MS);
    expect(state.rules()[1]).toMatchObject({ exportChats: false });
    state.accept(signed({ memberHours: 24, exportChats: false }, at(1)), now());
    expect(state.refusal(ofStore)).toBeNull();
    // A clock that was set back by more than that is no contact either.
    advance(-25 * HOUR_MS);
    expect(state.refusal(ofStore)).toMatchObject({ code: 'store-unreachable' });
  });

  it('stops the apps of the store at once for a user who is no member any more, until they are one again', async () => {
    const { state, now } = await opened();
    state.accept(signed({ memberHours: 24 }, at(1)), now());
    state.recordLeft(now());
    expect(state.refusal(ofStore)).toMatchObject({ code: 'sign-in-needed' });
    state.accept(signed({ memberHours: 24 }, at(1)), now());
    expect(state.refusal(ofStore)).toBeNull();
  });

  it('applies the settings that it knows, and is as strict as it can be where it cannot read one of them', () => {
    expect(understood({ exportChats: false, later: 1 })).toEqual({ exportChats: false });
    expect(understood({ refusedApps: ['com.a.b'], exportChats: 'no' })).toEqual({
      ...STRICTEST,
      refusedApps: ['com.a.b'],
    });
    expect(understood(['x'])).toEqual({});
  });
});
