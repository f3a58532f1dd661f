import { describe, expect, it } from 'vitest';
import { notifyMembers } from '../../../../src/core/domain/mail/post-mail.ts';
import { openPublisherStore } from '../../../support/people.ts';

/** A store with a publisher, and the recipients of mails that were queued for its members. */
async function opened() {
  const store = await openPublisherStore();
  const { stores, clock } = store;
  const recipients: string[] = [];
  const mails = {
    ...stores.mails,
    add: async ({ recipient }: { recipient: string }) => void recipients.push(recipient),
  };
  const warnings: object[] = [];
  const log = { info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) };
  const deps = { clock, log, newId: () => 'id' };
  const notify = (role?: 'owner') =>
    notifyMembers(
      deps,
      { ...stores, mails },
      'acme',
      { kind: 'publisher-suspended', detail: { publisher: 'acme' } },
      role,
    );
  return { store, recipients, warnings, notify };
}

describe('the members of a publisher', () => {
  it('receive its mails', async () => {
    const { recipients, notify } = await opened();
    await notify();
    expect(recipients.sort()).toEqual(['anna@example.com', 'ben@example.com']);
  });

  it('receive no mail when it is only for owners, they are suspended, or their address is not verified', async () => {
    const { store, recipients, notify } = await opened();
    await notify('owner');
    expect(recipients).toEqual(['anna@example.com']);
    await store.stores.people.change('anna', { emailVerified: false });
    await store.stores.people.change('ben', { suspended: true });
    await notify();
    await store.stores.people.change('anna', { emailVerified: true, email: null });
    await notify();
    expect(recipients).toEqual(['anna@example.com']);
  });

  it('receive at most 200 mails an hour in total, and the log reports the others', async () => {
    const { store, recipients, warnings, notify } = await opened();
    for (let i = 0; i < 101; i += 1) await notify();
    expect(recipients).toHaveLength(200);
    expect(warnings).toEqual(Array(2).fill({ about: 'acme', kind: 'publisher-suspended' }));
    store.advance(3_600_001);
    await notify();
    expect(recipients).toHaveLength(202);
  });
});
