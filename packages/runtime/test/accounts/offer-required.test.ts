import { describe, expect, it, vi } from 'vitest';
import { offerRequired } from '../../src/accounts/offer-required.ts';
import type { Answer, Card } from '../../src/cards/card.ts';
import { createEvents } from '../../src/events/events.ts';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import { installed } from '../support/app.ts';

const account = (id: string, required = true) => ({
  id,
  label: id,
  required,
  authorizeUrl: 'https://login.example.com/a',
  tokenUrl: 'https://login.example.com/t',
  clientId: 'client',
  scopes: [],
});

const APP = 'com.example.notes';

function open(apps: InstalledApp[] = []) {
  const state = {
    apps,
    connected: new Set<string>(),
    answer: { accepted: true } as Answer,
    underWay: null as Promise<void> | null,
  };
  const cards: Card[] = [];
  const faults: unknown[] = [];
  const signals: AbortSignal[] = [];
  const events = createEvents((error) => faults.push(error));
  const connect = vi.fn(
    async (_app: InstalledApp, id: string, _options?: object) => void state.connected.add(id),
  );
  const stop = offerRequired({
    events,
    library: {
      list: () => state.apps,
      get: (appId) => state.apps.find((one) => one.appId === appId) ?? null,
    },
    accounts: {
      list: async ({ manifest }) =>
        (manifest.accounts ?? []).map(({ id, label }) => ({
          ...{
            id,
            label,
            required: true,
            expiresAt: null,
            scopes: [],
            host: null,
            signingIn: false,
            digits: null,
          },
          connected: state.connected.has(id),
        })),
      connect,
      underWay: () => state.underWay,
      signInDetails: async () => ({ host: 'login.example.com', scopes: [] }),
    },
    ask: async (card, signal) => {
      cards.push(card);
      if (signal) signals.push(signal);
      return state.answer;
    },
    onFault: (error) => faults.push(error),
  });
  const asked = () => cards.map((card) => (card.kind === 'connect' ? card.account.id : card.kind));
  return { state, events, asked, cards, connect, stop, faults, signals };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const version = '1.0.0';

describe('accounts that an app requires', () => {
  it.each([
    ['installed', { type: 'app-installed', appId: APP, version }],
    ['switched on', { type: 'app-switched', appId: APP, version, on: true, project: null }],
    ['switched on in a project', { type: 'app-switched', appId: APP, version, on: true, project: 'p' }],
  ] as const)('are offered one after the other when the app is %s', async (_how, event) => {
    const { state, events, asked, connect } = open();
    state.apps = [installed({ accounts: [account('one'), account('two', false), account('three')] })];
    events.emit(event);
    await settled();
    expect(asked()).toEqual(['one', 'three']);
    expect(connect).toHaveBeenCalledTimes(2);
  });

  it('are offered when an update adds them, and not again when nothing is added', async () => {
    const { state, events, asked } = open([installed({ accounts: [account('one')] })]);
    state.apps = [installed({ accounts: [account('one'), account('two')] })];
    // Declined, so that the account is not connected either when nothing is added.
    state.answer = { accepted: false };
    events.emit({ type: 'app-updated', appId: APP, version });
    await settled();
    expect(asked()).toEqual(['two']);
    events.emit({ type: 'app-updated', appId: APP, version });
    events.emit({ type: 'developer-app-changed', appId: APP, folder: '/app', issues: 0 });
    events.emit({ type: 'developer-app-changed', appId: null, folder: '/app', issues: 1 });
    await settled();
    expect(asked()).toEqual(['two']);
  });

  it('are not offered when they are connected, the app is off, or the user has just declined', async () => {
    const { state, events, asked, connect, faults, stop } = open();
    const accounts = [account('one'), account('two')];
    state.connected.add('one');
    state.apps = [installed({ accounts })];
    events.emit({ type: 'app-switched', appId: APP, version, on: false, project: null });
    await settled();
    expect(asked()).toEqual([]);
    state.answer = { accepted: false };
    events.emit({ type: 'app-installed', appId: APP, version });
    events.emit({ type: 'app-switched', appId: APP, version, on: true, project: null });
    await settled();
    expect(asked()).toEqual(['two']);
    state.apps = [installed({ accounts }, { on: false })];
    events.emit({ type: 'app-installed', appId: APP, version });
    stop();
    events.emit({ type: 'app-installed', appId: APP, version });
    await settled();
    expect([asked(), connect.mock.calls, faults]).toEqual([['two'], [], []]);
  });

  it('are offered with the same card as in a call: host, binding, and whether a sign-in is under way', async () => {
    const { state, events, cards, connect } = open();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.apps = [installed({ accounts: [account('one')] })];
    state.underWay = promise;
    const { promise: never } = Promise.withResolvers<Answer>();
    state.answer = never as unknown as Answer;
    events.emit({ type: 'app-installed', appId: APP, version });
    await settled();
    expect(cards).toMatchObject([{ kind: 'connect', host: 'login.example.com', isUnderWay: true }]);
    // The sign-in that was under way connects the account: the card closes, and no further card is shown.
    resolve();
    await settled();
    expect(connect).not.toHaveBeenCalled();

    state.underWay = null;
    state.answer = { accepted: true, binding: 'of another card' };
    events.emit({ type: 'app-switched', appId: APP, version, on: true, project: null });
    await settled();
    expect([cards.length, connect.mock.calls]).toEqual([2, []]);
    state.answer = { accepted: true };
    events.emit({ type: 'app-switched', appId: APP, version, on: true, project: null });
    await settled();
    // The user agreed to this host; another host needs another card.
    expect(connect.mock.calls[0]?.slice(1)).toEqual(['one', { shownHost: 'login.example.com' }]);
  });

  it('are no longer offered when the app is switched off or updated while a card is shown', async () => {
    const accounts = [account('one'), account('two')];
    for (const after of [
      installed({ accounts }, { on: false }),
      installed({ accounts: [account('one'), account('two', false)] }),
    ]) {
      const { state, events, asked, faults } = open();
      state.apps = [installed({ accounts })];
      const shown = Promise.withResolvers<Answer>();
      state.answer = shown.promise as unknown as Answer;
      events.emit({ type: 'app-installed', appId: APP, version });
      await settled();
      state.apps = [after];
      shown.resolve({ accepted: true });
      await settled();
      expect([asked(), faults]).toEqual([['one'], []]);
    }
  });

  it('are offered by one card at a time, and again after the app was removed', async () => {
    const { state, events, asked, faults } = open();
    state.apps = [installed({ accounts: [account('one')] })];
    const shown = Promise.withResolvers<Answer>();
    state.answer = shown.promise as unknown as Answer;
    const change = { type: 'developer-app-changed', appId: APP, folder: '/app', issues: 0 } as const;
    events.emit(change);
    events.emit({ type: 'app-installed', appId: APP, version });
    await settled();
    expect(asked()).toEqual(['one']);
    shown.resolve({ accepted: false });
    await settled();
    events.emit(change);
    await settled();
    expect(asked()).toEqual(['one']);
    events.emit({ type: 'app-removed', appId: APP, version });
    events.emit(change);
    await settled();
    expect(asked()).toEqual(['one', 'one']);
    events.emit({ type: 'app-installed', appId: APP, version });
    await settled();
    expect(asked()).toEqual(['one', 'one', 'one']);
    state.apps = [];
    events.emit({ type: 'app-installed', appId: APP, version });
    await settled();
    expect([asked().length, faults]).toEqual([3, []]);
  });

  it('are offered also right after an update that added none', async () => {
    const { state, events, asked } = open([installed({ accounts: [account('one')] })]);
    state.apps = [installed({ accounts: [account('one')] })];
    events.emit({ type: 'app-updated', appId: APP, version });
    events.emit({ type: 'app-switched', appId: APP, version, on: true, project: null });
    await settled();
    expect(asked()).toEqual(['one']);
  });

  it('report a fault of the client, unless it is closing', async () => {
    const { state, events, faults, signals, stop } = open();
    state.apps = [installed({ accounts: [account('one')] })];
    const bug = new TypeError('a bug');
    state.answer = Promise.reject(bug) as unknown as Answer;
    events.emit({ type: 'app-installed', appId: APP, version });
    await settled();
    expect(faults).toEqual([bug]);
    const shown = Promise.withResolvers<Answer>();
    state.answer = shown.promise as unknown as Answer;
    events.emit({ type: 'app-installed', appId: APP, version });
    await settled();
    expect(signals.at(-1)?.aborted).toBe(false);
    stop();
    expect(signals.at(-1)?.reason).toMatchObject({ code: 'switched-off' });
    shown.reject(bug);
    await settled();
    expect(faults).toEqual([bug]);
  });
});
