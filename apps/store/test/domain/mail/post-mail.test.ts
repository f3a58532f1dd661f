import { describe, expect, it } from 'vitest';
import { notifyMembers } from '../../../src/domain/mail/post-mail.ts';
import { openPublisherStore } from '../../support/people.ts';

/** A store, and what is in its outbox; it is closed, so that nothing is sent meanwhile. */
async function opened() {
  const store = await openPublisherStore();
  const { stores, clock } = store;
  const told: string[] = [];
  const mails = {
    ...stores.mails,
    add: async ({ recipient }: { recipient: string }) => void told.push(recipient),
  };
  const warnings: object[] = [];
  const log = { info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) };
  const deps = { clock, log, newId: () => 'id' };
  const tell = (role?: 'owner') =>
    notifyMembers(
      deps,
      { ...stores, mails },
      'acme',
      { kind: 'publisher-suspended', detail: { publisher: 'acme' } },
      role,
    );
  return { store, told, warnings, tell };
}

describe('those who act for a publisher', () => {
  it('are written to', async () => {
    const { told, tell } = await opened();
    await tell();
    expect(told.sort()).toEqual(['anna@example.com', 'ben@example.com']);
  });

  it('are not when they are no owners and it is for owners, or their address is not shown to be theirs', async () => {
    const { store, told, tell } = await opened();
    await tell('owner');
    expect(told).toEqual(['anna@example.com']);
    await store.stores.people.change('anna', { emailVerified: false });
    await store.stores.people.change('ben', { suspended: true });
    await tell();
    await store.stores.people.change('anna', { emailVerified: true, email: null });
    await tell();
    expect(told).toEqual(['anna@example.com']);
  });

  it('are written to 200 times an hour at most, and the log says so', async () => {
    const { store, told, warnings, tell } = await opened();
    for (let i = 0; i < 101; i += 1) await tell();
    expect(told).toHaveLength(200);
    expect(warnings).toEqual(Array(2).fill({ publisher: 'acme', kind: 'publisher-suspended' }));
    store.advance(3_600_001);
    await tell();
    expect(told).toHaveLength(202);
  });
});
