import { describe, expect, it } from 'vitest';
import type { Answer, Ask, Card } from '../../src/cards/card.ts';
import { createInstaller } from '../../src/install/installer.ts';
import { checkUpdates, isAway } from '../../src/install/update-apps.ts';
import { writeWithdrawals } from '../../src/library/app-table.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { createRevocationWatch } from '../../src/revocations/revocation-watch.ts';
import { APP, newKey, signApp, startSigningStore } from '../support/signing-store.ts';
import { NOW, openWorld, system } from '../support/world.ts';

const WIDER = {
  version: '1.1.0',
  remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['api.example.com', 'more.example.com'] },
};

/** A user who answers every card in the same way. */
function person(answer: (card: Card) => Answer) {
  const cards: Card[] = [];
  const ask: Ask = async (card) => {
    cards.push(card);
    return answer(card);
  };
  return { ask, cards };
}

const agree = (card: Card): Answer => ({ accepted: true, binding: 'binding' in card ? card.binding : '' });

async function started() {
  const store = await startSigningStore();
  store.publish();
  const world = await openWorld(store);
  await world.install();
  const check = (ask: Ask, signal = new AbortController().signal) =>
    checkUpdates({ ...world, decide: { ask } }, signal);
  return { store, ...world, check };
}

describe('an installed app that the store no longer has', () => {
  it('is switched off by the same check when it was yanked', async () => {
    const { store, check: _check, ...world } = await started();
    const revocations = createRevocationWatch({
      ...world,
      system,
      onFault: (error) => expect.fail(String(error)),
    });
    const { ask } = person(agree);
    store.publish({ id: 'com.example.other' });
    await world.install('com.example.other');
    const check = () =>
      checkUpdates({ ...world, revocations, decide: { ask } }, new AbortController().signal);
    await check();
    expect(store.seen.some(({ url }) => url.endsWith('/revocations'))).toBe(false);
    store.yank('2026-01-01T00:10:00.000Z', '1.0.0');
    for (const path of [`/api/apps/${APP}`, `/api/apps/${APP}/head`])
      store.lie(path, (response) => store.refuse(response, 404, 'not_found'));
    expect(await check()).toMatchObject([{ outcome: 'refused' }, { outcome: 'current' }]);
    expect(world.library.get(APP)).toMatchObject({ on: false, yanked: { reason: 'It lost notes.' } });
  });
});

it('fetches the revocation list at once when the store has just yanked the version that it names', async () => {
  const { store, check: _check, ...world } = await started();
  let fetched = 0;
  const revocations = {
    async check() {
      fetched += 1;
      return { refused: null, signedAt: null, stale: false, ahead: false };
    },
  };
  store.publish({ version: '1.1.0' });
  store.lie(`/api/apps/${APP}/versions/1.1.0/bundle`, (response) => store.refuse(response, 410, 'yanked'));
  const { ask } = person(agree);
  const outcomes = await checkUpdates(
    { ...world, revocations, decide: { ask } },
    new AbortController().signal,
  );
  expect([outcomes, fetched]).toMatchObject([[{ outcome: 'refused', reason: 'yanked' }], 1]);
});

describe('checking for updates', () => {
  it('leaves the apps of another store to that store', async () => {
    const { folder } = await started();
    const other = await openWorld(await startSigningStore(), { folder });
    const { ask } = person(agree);
    expect(other.library.list()).toHaveLength(1);
    expect(await checkUpdates({ ...other, decide: { ask } }, new AbortController().signal)).toEqual([]);
  });

  it('updates without a card when no permissions are added', async () => {
    const { store, check, library } = await started();
    const { ask, cards } = person(agree);
    expect(await check(ask)).toEqual([{ appId: APP, version: '1.0.0', outcome: 'current' }]);
    store.publish({ version: '1.1.0' });
    expect(await check(ask)).toEqual([
      { appId: APP, version: '1.0.0', outcome: 'updated', to: '1.1.0', instructions: [] },
    ]);
    expect([library.get(APP)?.version, cards]).toEqual(['1.1.0', []]);
  });

  it('shows what steers agents, and asks about it only where the client does', async () => {
    const pin = { id: 'pin', name: 'Pin', description: 'Read the keys first.' };
    for (const askAboutInstructions of [undefined, true, () => false, () => true]) {
      const asks = typeof askAboutInstructions === 'function' ? askAboutInstructions() : askAboutInstructions;
      const { store, check: _check, ...world } = await started();
      const { tools = [] } = world.library.get(APP)?.manifest.contributes ?? {};
      store.publish({ version: '1.1.0', contributes: { tools: [...tools, pin] } });
      const installer = createInstaller({ ...world, system, askAboutInstructions });
      const { ask, cards } = person(agree);
      const outcomes = await checkUpdates(
        { ...world, installer, decide: { ask } },
        new AbortController().signal,
      );
      expect(outcomes).toMatchObject([{ outcome: 'updated', to: '1.1.0' }]);
      const { instructions } = outcomes[0] as { instructions: readonly { path: string }[] };
      expect(instructions.map(({ path }) => path)).toContain('/contributes/tools/pin/description');
      expect(cards).toHaveLength(asks ? 1 : 0);
    }
  });

  it('asks about new permissions, and updates only when the user accepts', async () => {
    const { store, check, library } = await started();
    store.publish(WIDER);
    const no = person(() => ({ accepted: false }));
    expect(await check(no.ask)).toMatchObject([{ outcome: 'declined', to: '1.1.0' }]);
    expect(library.get(APP)?.version).toBe('1.0.0');
    expect(no.cards).toMatchObject([
      {
        kind: 'consent',
        app: { appId: APP, version: '1.1.0' },
        widened: { domainsAdded: ['more.example.com'] },
      },
    ]);
    expect(await check(person(agree).ask)).toMatchObject([{ outcome: 'updated' }]);
    expect(library.get(APP)?.consent.domains).toContain('more.example.com');
  });

  it.each([
    ['everywhere', undefined],
    ['in one project', 'project-1'],
  ])(
    'switches an app on again that was on %s when its version was yanked, and emits an event',
    async (_where, project) => {
      const { store, check, library, storage, heard } = await started();
      if (project !== undefined) {
        library.switch(APP, false);
        library.switch(APP, true, project);
      }
      const yank = (...versions: string[]) =>
        writeWithdrawals(
          storage.database,
          { store: store.url, now: NOW },
          versions.map((version) => ({
            appId: APP,
            version,
            reason: 'x',
            at: '2026-01-01T00:00:00.000Z',
          })),
          { signedAt: '2026-01-01T00:00:00.000Z', entriesHash: null, keyId: null, acceptedAt: null },
        );
      yank('1.0.0');
      expect([library.get(APP)?.on, library.get(APP, 'project-1')?.on]).toEqual([false, false]);
      store.publish({ version: '1.1.0' });
      heard.length = 0;
      const outcome = { appId: APP, version: '1.0.0', outcome: 'updated', to: '1.1.0', instructions: [] };
      expect(await check(person(agree).ask)).toEqual([
        project === undefined ? { ...outcome, switchedOn: true } : outcome,
      ]);
      expect([library.get(APP)?.on, library.get(APP, 'project-1')?.on]).toEqual([
        project === undefined,
        true,
      ]);
      expect(heard).toMatchObject([
        { type: 'app-updated' },
        { type: 'app-switched', version: '1.1.0', on: true },
      ]);
    },
  );

  it('leaves an app off that the user had switched off, also by an update after its yank', async () => {
    const { store, check, library, storage } = await started();
    const lists = (entries: { version: string }[]) =>
      writeWithdrawals(
        storage.database,
        { store: store.url, now: NOW },
        entries.map((one) => ({
          ...one,
          appId: APP,
          reason: 'x',
          at: '2026-01-01T00:00:00.000Z',
        })),
        { signedAt: '2026-01-01T00:00:00.000Z', entriesHash: null, keyId: null, acceptedAt: null },
      );
    lists([{ version: '1.0.0' }]);
    library.switch(APP, false);
    lists([]);
    store.publish({ version: '1.1.0' });
    expect(await check(person(agree).ask)).toMatchObject([{ outcome: 'updated' }]);
    expect(library.get(APP)?.on).toBe(false);
    library.switch(APP, true);
    lists([{ version: '1.1.0' }]);
    store.publish({ version: '1.2.0' });
    await check(person(agree).ask);
    expect(library.get(APP)?.on).toBe(true);
    library.switch(APP, false);
    lists([{ version: '1.2.0' }]);
    store.publish({ version: '1.3.0' });
    await check(person(agree).ask);
    expect([library.get(APP)?.version, library.get(APP)?.on]).toEqual(['1.3.0', false]);
  });

  it('compares with the current consent, so that removed permissions are not added again without a card', async () => {
    const { store, check, library } = await started();
    const { ask, cards } = person(() => ({ accepted: false }));
    store.publish({ version: '1.1.0', remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: [] } });
    await check(ask);
    expect(cards).toEqual([]);
    store.publish({ ...WIDER, version: '1.2.0' });
    await check(ask);
    expect(cards).toMatchObject([{ widened: { domainsAdded: ['api.example.com', 'more.example.com'] } }]);
    expect(library.get(APP)?.version).toBe('1.1.0');
  });

  it('does not install with the binding of another card', async () => {
    const { store, check, library } = await started();
    store.publish(WIDER);
    const outcomes = await check(person(() => ({ accepted: true, binding: 'of something else' })).ask);
    expect(outcomes).toMatchObject([{ outcome: 'refused', reason: 'consent-needed' }]);
    expect(library.get(APP)?.version).toBe('1.0.0');
  });

  it.each([
    ['the caller aborts', new Error('I have left.'), new RuntimeError('declined'), 'I have left.'],
    ['the client fails', undefined, new TypeError('No window.'), 'No window.'],
  ])('ends when %s while a card is shown', async (_what, reason, error, message) => {
    const { store, check } = await started();
    store.publish(WIDER);
    const leaving = new AbortController();
    const ask: Ask = async () => {
      if (reason) leaving.abort(reason);
      throw error;
    };
    await expect(check(ask, leaving.signal)).rejects.toThrow(message);
  });
});

describe('a store that is away', () => {
  const refused = { appId: APP, version: '1.0.0', outcome: 'refused', message: 'No.' } as const;

  it.each([
    [true, { ...refused, reason: 'store-unreachable' }],
    [true, { ...refused, reason: 'store-refused', retryAfter: 60 }],
    [false, { ...refused, reason: 'store-refused' }],
    [false, { appId: APP, version: '1.0.0', outcome: 'current' }],
  ] as const)('is away: %s, after %j', (away, outcome) => {
    expect(isAway(outcome)).toBe(away);
  });

  it('for one app is asked for the others where a user waits', async () => {
    const { store, check: _check, ...world } = await started();
    store.publish({ id: 'com.example.other' });
    await world.install('com.example.other');
    for (const app of world.library.list())
      store.lie(`/api/apps/${app.appId}/head`, (response) => response.writeHead(503).end());
    const { signal } = new AbortController();
    const outcomes = await checkUpdates({ ...world, decide: { ask: person(agree).ask } }, signal);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
  });
});

describe('a store that lies', () => {
  it('does not prevent the update of another app, which says nothing about yanks', async () => {
    const { store, check: _check, ...world } = await started();
    const revocations = { check: () => expect.fail('The revocation list is fetched.') };
    const other = 'com.example.other';
    store.publish({ id: other });
    await world.install(other);
    store.serve(signApp(newKey(), { version: '1.1.0' }));
    store.publish({ id: other, version: '1.1.0' });
    const { ask } = person(agree);
    const { signal } = new AbortController();
    expect(await checkUpdates({ ...world, revocations, decide: { ask } }, signal)).toMatchObject([
      { appId: APP, outcome: 'refused', reason: 'not-verified' },
      { appId: other, outcome: 'updated' },
    ]);
  });

  it('cannot roll an app back by naming an older version as the latest', async () => {
    const { store, check, library } = await started();
    store.publish({ version: '1.1.0' });
    await check(person(agree).ask);
    store.state.published.delete(`${APP}@1.1.0`);
    store.state.headAt = (store.state.headAt ?? 0) + 1;
    expect(await check(person(agree).ask)).toMatchObject([{ outcome: 'current' }]);
    expect(library.get(APP)?.version).toBe('1.1.0');
  });

  it('cannot offer an invalid version', async () => {
    const { store, check } = await started();
    store.serve(signApp(store.state.key, { version: 'newest' }));
    expect(await check(person(agree).ask)).toMatchObject([
      { outcome: 'refused', reason: 'store-unreachable' },
    ]);
  });
});
