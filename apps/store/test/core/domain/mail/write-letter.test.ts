import { describe, expect, it } from 'vitest';
import type { MailContent } from '../../../../src/core/domain/mail/mail-store.ts';
import { writeLetter } from '../../../../src/core/domain/mail/write-letter.ts';
import { ROUTES_OF_STORE } from '../../../support/extensions.ts';
import { openPublisherStore } from '../../../support/people.ts';
import { jsonOf } from '../../../support/test-store.ts';

async function opened() {
  const store = await openPublisherStore();
  const deps = {
    ...store.stores,
    routeNames: ROUTES_OF_STORE,
    letters: {},
    clock: store.clock,
    baseUrl: 'https://store.test',
    storeName: 'Acme Apps',
    invitationUrl: (id: string) => `https://store.test/invitations/${id}.seal`,
    resetLink: async (personId: string) =>
      personId === 'anna' ? 'https://store.test/password/secret' : null,
    confirmLink: async (personId: string) =>
      personId === 'anna' ? 'https://store.test/address/secret' : null,
    addressLink: async (personId: string) =>
      personId === 'anna' ? 'https://store.test/new-address/secret' : null,
  };
  const write = (content: MailContent) => writeLetter(deps, content);
  return { store, write };
}

describe('a mail', () => {
  it('describes an invitation, and is not written once that is revoked', async () => {
    const { store, write } = await opened();
    const made = await jsonOf<{ id: string }>(store.as('anna', 'POST', '/invitations', { role: 'owner' }));
    const content = { kind: 'invitation', detail: { invitation: made.id } } as const;
    const letter = await write(content);
    expect(letter?.subject).toBe('Invitation to act for the publisher acme');
    expect(letter?.text).toContain('anna invites you to act for the publisher acme ("Acme") as an owner.');
    expect(letter?.text).toContain(`https://store.test/invitations/${made.id}.seal\n`);
    expect(letter?.text).toContain('until 2026-03-08');
    await store.as('anna', 'DELETE', `/invitations/${made.id}`);
    expect(await write(content)).toBeNull();
  });

  it('contains names on one line', async () => {
    const { store, write } = await opened();
    await store.stores.people.change('anna', { name: 'Anna\r\n\r\nOpen https://evil.example\u2028now' });
    const made = await jsonOf<{ id: string }>(store.as('anna', 'POST', '/invitations', { role: 'member' }));
    const letter = await write({ kind: 'invitation', detail: { invitation: made.id } });
    expect(letter?.text.split('\n')[0]).toMatch(/^Anna Open https:\/\/evil\.example now invites you/);
  });

  it.each([
    [
      { kind: 'version-approved', detail: { publisher: 'acme', appId: 'a.b', version: '1.0.0' } },
      'was approved',
    ],
    [
      {
        kind: 'version-rejected',
        detail: { publisher: 'acme', appId: 'a.b', version: '1.0.0', note: 'No licence.\nAdd one.' },
      },
      '> No licence.\n> Add one.',
    ],
    [
      {
        kind: 'review-message',
        detail: {
          ...{ publisher: 'acme', appId: 'a.b', version: '1.0.0', requestsChanges: true },
          text: 'Why?\n-- \nYours, svc',
        },
      },
      '> Why?\n> --\n> Yours, svc',
    ],
    [
      {
        kind: 'version-waiting',
        detail: { publisher: 'acme', appId: 'a.b', version: '1.0.0+x' },
      },
      'was uploaded, and is not published before a member of the publisher acme confirms it',
    ],
    [
      { kind: 'review-assigned', detail: { appId: 'a.b', version: '1.0.0' } },
      'https://store.test/moderation/apps/a.b/versions/1.0.0',
    ],
    [
      { kind: 'review-answer', detail: { appId: 'a.b', version: '1.0.0+x', text: 'So.\n.\nRCPT TO:' } },
      '> So.\n> .\n> RCPT TO:\n\nTo reply or to decide, open:\nhttps://store.test/moderation/apps/a.b/versions/1.0.0%2Bx',
    ],
    [
      { kind: 'name-approved', detail: { publisher: 'acme', name: 'Acme\nLabs' } },
      'is now called "Acme Labs"',
    ],
    [
      { kind: 'name-refused', detail: { publisher: 'acme', name: 'Bank', note: 'No.\n-- \nYours, svc' } },
      '> No.\n> --\n> Yours, svc',
    ],
    [
      { kind: 'verification-lost', detail: { publisher: 'acme', website: 'https://acme.example' } },
      'https://acme.example',
    ],
    [{ kind: 'publisher-suspended', detail: { publisher: 'acme' } }, 'was suspended'],
    [
      {
        kind: 'version-yanked',
        detail: { publisher: 'acme', appId: 'a.b', version: '1.0.0', reason: 'It lost notes.' },
      },
      '> It lost notes.\n\nhttps://store.test/account/publishers/acme/apps/a.b',
    ],
    [
      {
        kind: 'account-changed',
        detail: {
          ...{ personId: 'anna', action: 'passkey.add', what: 'Phone\nYours, svc' },
          ...{ at: '2026-03-01T12:00:00.000Z', address: '192.0.2.1' },
        },
      },
      'A passkey was added to the account "anna" on 2026-03-01 at 12:00 UTC.\n\nName: Phone Yours, svc\nAddress: 192.0.2.1\n',
    ],
    [
      { kind: 'version-uploaded', detail: { publisher: 'acme', appId: 'a.b', version: '1.0.0' } },
      'retract or yank it there, and revoke the token',
    ],
    [
      {
        kind: 'role-changed',
        detail: { personId: 'anna', role: 'administrator', suspended: false, by: 'automation' },
      },
      'automation changed the role of the account "anna": it is now administrator.',
    ],
    [{ kind: 'password-reset', detail: { personId: 'anna' } }, 'https://store.test/password/secret'],
  ] satisfies [MailContent, string][])(
    'contains the subject of %j, and the name and URL of the store',
    async (content, said) => {
      const { write } = await opened();
      const letter = await write(content);
      expect(letter?.text).toContain(said);
      expect(letter?.text.endsWith('\n\n-- \nAcme Apps\nhttps://store.test\n')).toBe(true);
      expect(letter?.subject).toMatch(/^[^\r\n]+$/);
    },
  );

  it('of an extension that was taken away is not written', async () => {
    const { write } = await opened();
    const content: object = { kind: 'of-no-extension', detail: { appId: 'a.b' } };
    expect(await write(content as MailContent)).toBeNull();
  });

  it('has a subject of one line', async () => {
    const { write } = await opened();
    const version = '1.0.0\r\nBcc: evil@example.com';
    const letter = await write({
      kind: 'version-approved',
      detail: { publisher: 'acme', appId: 'a.b', version },
    });
    expect(letter?.subject).toBe('a.b 1.0.0 Bcc: evil@example.com was approved');
  });

  it('names the app that it is about, on one line, with its id', async () => {
    const { store, write } = await opened();
    store.stores.apps.namesOf = async () => new Map([['a.b', 'Field\nNotes']]);
    const detail = { publisher: 'acme', appId: 'a.b', version: '1.0.0' };
    expect((await write({ kind: 'version-approved', detail }))?.subject).toBe(
      'Field Notes (a.b) 1.0.0 was approved',
    );
  });

  it('is not written for the reset of a password that does not exist', async () => {
    const { write } = await opened();
    expect(await write({ kind: 'password-reset', detail: { personId: 'ben' } })).toBeNull();
  });
});
