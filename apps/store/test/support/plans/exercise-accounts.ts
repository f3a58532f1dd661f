import type { Stores } from '../../../src/adapters/database/stores.ts';
import { ACTOR, APP, LATER, MOVER, NOW, PERSON, PUBLISHER, REF } from './rows.ts';

export async function identity({
  people,
  sessions,
  passwords,
  passkeys,
  chosenBrand,
  chosenRules,
  identities,
  ceremonies,
  tokens,
  devices,
}: Stores) {
  const person = {
    id: 'new',
    name: 'New',
    email: 'new@a.example',
    emailVerified: true,
    role: 'person',
    suspended: false,
    createdAt: NOW,
  } as const;
  await people.add(person);
  await people.find(PERSON);
  await people.findByEmail('mail-1002500');
  await people.findAll([PERSON, 'new']);
  await people.change('new', {
    name: 'N',
    email: 'n@a.example',
    emailVerified: false,
    role: 'person',
    suspended: false,
  });
  await people.change('new', {});
  await people.hasAdministrator('new');
  await people.search({ after: null, limit: 50 });
  const last = { key: '2025-1002500', id: PERSON };
  await people.search({ after: last, limit: 50 });
  await people.search({ text: 'ame 1002', after: last, limit: 50, searched: 100 });
  await people.search({ id: PERSON, after: null, limit: 50 });
  await people.search({ role: 'moderator', suspended: false, after: null, limit: 50 });
  for (const direction of ['asc', 'desc'] as const) {
    await people.search({ sort: 'name', direction, after: null, limit: 50 });
    await people.search({ sort: 'name', direction, after: { key: 'name 1002500', id: PERSON }, limit: 50 });
  }
  await people.membershipsOf(PERSON);
  await people.publishersOf([PERSON]);
  await people.ownerships([PERSON]);
  await sessions.keep({
    hash: 'h',
    id: 's',
    personId: PERSON,
    createdAt: NOW,
    expiresAt: LATER,
    lastSeenAt: NOW,
    address: null,
    agent: '',
    provedAt: NOW,
    hasPasskey: false,
  });
  await sessions.has(PERSON, 's');
  await sessions.prove(PERSON, 's', NOW, true);
  await sessions.find('h');
  await sessions.of(PERSON, NOW);
  await sessions.seen('s', NOW, LATER);
  await sessions.end(PERSON, 's');
  await sessions.endAll(PERSON, 'other');
  await sessions.purgeExpired(NOW);
  await passwords.set(PERSON, 'h', NOW);
  await passwords.find(PERSON);
  await passwords.remove(PERSON);
  await passkeys.add({
    id: 'k',
    personId: PERSON,
    label: '',
    publicKey: '',
    counter: 0,
    transports: [],
    createdAt: NOW,
    lastUsedAt: null,
  });
  await passkeys.removeAll('unknown');
  await passkeys.find('k');
  await passkeys.of(PERSON);
  await passkeys.rename(PERSON, 'k', 'Key');
  await passkeys.used('k', 1, NOW);
  await passkeys.remove(PERSON, 'k');
  await chosenRules.choose({ signUp: 'invited' });
  await chosenRules.chosen();
  await chosenRules.areChosen({ read: 'public' });
  await chosenBrand.choose({ name: 'Acme Apps', accent: null, logo: new Uint8Array(9) });
  await chosenBrand.chosen();
  await chosenBrand.logo();
  await identities.add({ id: 'i', issuer: 'a', subject: 'b', personId: PERSON, label: '', createdAt: NOW });
  await identities.find('a', 'b');
  await identities.of(PERSON);
  await identities.remove(PERSON, 'i');
  await identities.removeAll(PERSON);
  await people.recover(PERSON, NOW);
  await people.beginGrace(NOW, PERSON);
  await people.beginGrace(NOW);
  await people.recoveredAt(PERSON);
  await ceremonies.end('c', 'provider', LATER);
  await ceremonies.purgeExpired(NOW);
  await tokens.keep({
    hash: 't',
    id: 't',
    kind: 'personal',
    name: '',
    personId: PERSON,
    publisher: null,
    appId: null,
    scopes: [],
    createdAt: NOW,
    expiresAt: LATER,
    lastUsedAt: null,
    revokedAt: null,
    madeBy: PERSON,
  });
  await tokens.isLive('t', NOW);
  await tokens.revokeMadeBy('unknown', NOW);
  await tokens.revokeMadeFor('unknown', PUBLISHER, NOW);
  await tokens.liveFor(PUBLISHER, NOW);
  await tokens.liveMadeBy(PERSON, NOW);
  await tokens.revoke(null, 't', NOW);
  await tokens.revokeOfWorkflow('w', NOW);
  await devices.removeAllOf(PERSON);
  await tokens.find('t');
  for (const owner of [{ personId: PERSON }, { publisher: PUBLISHER }]) {
    await tokens.liveOf(owner, NOW);
    await tokens.countLive(owner, NOW);
    await tokens.revoke(owner, 't', NOW);
  }
  await tokens.used(['t', 'token-1002500'], NOW, NOW);
  await tokens.purgeExpired(NOW);
  await devices.add({
    deviceHash: 'd',
    userCodeSeal: 'u',
    client: '',
    address: null,
    createdAt: NOW,
    expiresAt: LATER,
    asked: { scopes: [], publisher: null },
    state: 'pending',
  });
  await devices.countLive(NOW);
  await devices.removeOldestPending();
  await devices.findByDevice('d', NOW);
  await devices.findByUserCode('u', NOW);
  await devices.poll('d', NOW, NOW);
  await devices.approve('u', { personId: PERSON, grant: { scopes: [], publisher: null } }, NOW);
  await devices.deny('u', PERSON, NOW);
  await devices.countApproved(PERSON, NOW);
  await devices.takeApproved('d', NOW);
  await devices.purgeExpired(NOW);
}

export async function publishers({
  publishers,
  names,
  members,
  invitations,
  mails,
  ownApps,
  audit,
  rateLimits,
  signingKeys,
  backlog,
}: Stores) {
  const marks = { look: 'new', proof: 'p' };
  await publishers.create(
    { slug: 'new', name: 'New', verified: false, suspended: false, createdAt: NOW },
    marks,
  );
  await publishers.find(PUBLISHER);
  await publishers.findAll([PUBLISHER, 'new']);
  for (const direction of ['asc', 'desc'] as const) {
    for (const [sort, key] of [
      ['slug', PUBLISHER],
      ['name', 'name 1002500'],
      ['created', '2025-1002500'],
    ] as const) {
      await publishers.search({ sort, direction, after: null, limit: 50 });
      await publishers.search({ sort, direction, after: { key, id: PUBLISHER }, limit: 50 });
    }
  }
  await publishers.search({ slug: PUBLISHER, sort: 'slug', direction: 'asc', after: null, limit: 50 });
  await publishers.search({
    text: 'ub-1000',
    verified: true,
    suspended: false,
    sort: 'slug',
    direction: 'asc',
    after: { key: PUBLISHER, id: PUBLISHER },
    limit: 50,
  });
  await publishers.sizesOf([PUBLISHER]);
  await publishers.storedOf([PUBLISHER]);
  await publishers.bytesOf('com.example.a1000');
  await publishers.fullest(10, { share: 0.8, limit: 20 });
  await publishers.findWithStatus(PUBLISHER);
  await publishers.change(PUBLISHER, { suspended: true });
  await publishers.change(PUBLISHER, { suspended: false });
  await publishers.change(PUBLISHER, {});
  await publishers.dueForCheck(NOW, 10);
  await publishers.claimCheck({ slug: PUBLISHER, checkedAt: NOW }, NOW);
  await names.claim(PUBLISHER, ['a', 'b']);
  await names.ownerOf(['a', 'b']);
  await names.find(PUBLISHER);
  await names.put({ publisher: PUBLISHER, name: 'N', askedBy: PERSON, askedAt: NOW });
  await names.remove(PUBLISHER);
  await names.list(null, 10);
  await names.list('pub-1000001', 10);
  await members.add({ publisher: PUBLISHER, personId: PERSON, role: 'member', since: NOW });
  await members.of(PUBLISHER);
  await members.change(PUBLISHER, PERSON, 'owner', { addedBy: null, at: NOW });
  await members.restore({ publisher: PUBLISHER, personId: PERSON, role: 'member', since: NOW });
  await members.removeAddedBy(PERSON);
  await members.remove(PUBLISHER, PERSON);
  await invitations.add({
    id: 'i',
    publisher: PUBLISHER,
    role: 'member',
    email: null,
    invitedBy: PERSON,
    createdAt: NOW,
    expiresAt: LATER,
  });
  await invitations.find('i');
  await invitations.openOf(PUBLISHER, NOW);
  await invitations.remove('i');
  await invitations.removeBy(PUBLISHER, PERSON);
  await invitations.removeAllBy(PERSON);
  await invitations.purgeExpired(NOW);
  const mail = { kind: 'confirm-email', detail: { personId: PERSON } } as const;
  await mails.add({ ...mail, id: 'm', recipient: 'a@b.example', createdAt: NOW, nextTryAt: NOW, tries: 0 });
  await mails.due(NOW, 10, { domains: ['b.example'], failing: true });
  await mails.claim({ id: 'm', tries: 0 }, LATER);
  await mails.postpone('m', LATER);
  await mails.remove('m');
  await ownApps.page(PUBLISHER, 50, null);
  await ownApps.page(PUBLISHER, 50, APP);
  await ownApps.find(PUBLISHER, APP);
  await ownApps.installsSince([APP], '2026-02-01');
  await ownApps.versions(APP, 50, null);
  await ownApps.versions(APP, 50, [NOW, '1.0.0']);
  await audit.add(ACTOR, NOW, { action: 'version.submit', appId: APP });
  const page = { direction: 'desc', after: null, limit: 50 } as const;
  await audit.lastId();
  await audit.find(page);
  const from = { address: '192.0.2.1', requestId: null };
  await audit.add({ ...ACTOR, from }, '2020-01-01T00:00:00.000Z', { action: 'version.submit', appId: APP });
  await audit.eraseAddresses('2020-01-01T00:00:00.000Z');
  await audit.find({ ...page, direction: 'asc', after: 2_500 });
  await audit.find({ ...page, actor: PERSON });
  await audit.find({
    ...page,
    actor: PERSON,
    action: 'member.add',
    from: '2026-01-01T00:00:00.000Z',
    to: NOW,
  });
  await audit.find({
    ...page,
    publisher: PUBLISHER,
    action: ['member.change', 'member.remove'],
    direction: 'asc',
  });
  await audit.find({ ...page, appId: APP, after: 2_500 });
  await audit.find({ ...page, publisher: PUBLISHER, action: 'version.submit' });
  await audit.find({ ...page, from: '2026-01-01T00:00:00.000Z', to: NOW });
  await rateLimits.within('subject-1000500', 600_000, new Date(NOW));
  await rateLimits.add('subject-1000500', NOW, '2025-0');
  await rateLimits.clear('subject-1000500');
  await rateLimits.purgeBefore('2025-0');
  await signingKeys.record([]);
  await signingKeys.known();
  await signingKeys.signers();
  await signingKeys.signedAfter(REF, 50);
  await signingKeys.replaceSignature(REF, { signature: 's', keyId: 'key-1' }, MOVER);
  await backlog.read({ now: NOW, dueBefore: NOW });
}

export async function left({ leaving, mailChoices, mails, audit }: Stores) {
  await audit.add({ ...ACTOR, name: 'person:gone' }, NOW, {
    action: 'person.change',
    detail: { name: 'Gone' },
  });
  await mailChoices.set('gone', 'reviews', 'off');
  await mailChoices.of('gone');
  await mails.to('gone@example.com', 10);
  await leaving.records('gone');
  const person = { id: 'gone', name: 'Gone', email: 'gone@example.com', emailVerified: true };
  const mentions = await leaving.mentions(person);
  const ids = [...mentions.ids, 1];
  await leaving.forget({ ...person, role: 'person', suspended: false, createdAt: NOW }, { ...mentions, ids });
}
