import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { openModeratedStore, reviewPath } from '../../../support/moderated-store.ts';
import { bodyOf, openTestStore } from '../../../support/test-store.ts';

/** A store with a published app, and a verified publisher of others that could publish at once. */
async function opened() {
  const store = await openModeratedStore();
  const owner = await store.publisherToken();
  await store.publish(owner, { name: 'Pinboard' });
  await store.decide('approve', '1.0.0');
  const other = await store.publisherToken('other', true);
  const publish = (name: string, id = 'com.other.app', version = '1.0.0') =>
    bodyOf(store.publish(other, { id, name, version, publisher: 'other' }));
  return { store, owner, publish };
}

const codesOf = ({ issues, reasons }: { issues: { code: string }[]; reasons: string[] }) => [
  issues.map(({ code }) => code).filter((code) => code.startsWith('lookalike')),
  reasons.filter((reason) => reason.includes('lookalike')),
];

describe('a name that looks like that of a listed app', () => {
  it('waits for a moderator: a look-alike letter, one letter less or more, a word that sounds official', async () => {
    const { publish } = await opened();
    for (const [at, name] of [
      'Plnboard',
      'Pinbord',
      'Pinnboard',
      'Pinboarcl',
      'Pinboard Official',
    ].entries()) {
      const answer = await publish(name, `com.other.app-${at}`);
      expect(codesOf(answer), name).toEqual([['lookalike.name'], ['flagged:lookalike.name']]);
      expect(answer.issues.find(({ code }: { code: string }) => code === 'lookalike.name').message).toContain(
        'com.example.notes',
      );
    }
  });

  it('waits when it begins with the whole name, and an update with the published name does not', async () => {
    const { store, publish } = await opened();
    const id = 'com.other.sync';
    expect(codesOf(await publish('Pinboard Sync', id))).toEqual([
      ['lookalike.name'],
      ['flagged:lookalike.name'],
    ]);
    await store.decide('approve', '1.0.0', undefined, id);
    expect(codesOf(await publish('Pinboard Sync', id, '1.1.0'))).toEqual([['lookalike.name'], []]);
    expect(codesOf(await publish('Pinboard Team', id, '1.2.0'))[0]).toEqual(['lookalike.name']);
    expect(codesOf(await publish('Pins Sync', 'com.other.pins'))).toEqual([[], []]);
  });

  it('is no finding for its own publisher, or another name', async () => {
    const { store, owner, publish } = await opened();
    const own = await bodyOf(store.publish(owner, { id: 'com.example.two', name: 'Pinboards' }));
    expect(codesOf(own)).toEqual([[], []]);
    expect(codesOf(await publish('Corkboard', 'com.other.one'))).toEqual([[], []]);
  });

  it('is found with words before it, in another order, or joined by others', async () => {
    const { store, owner, publish } = await opened();
    await store.publish(owner, { id: 'com.example.acme', name: 'Acme Notes' });
    await store.decide('approve', '1.0.0', undefined, 'com.example.acme');
    for (const [at, name] of ['My Pinboard', 'Notes Acme', 'Notes by Acme', 'My Acme Notes'].entries())
      expect([name, codesOf(await publish(name, `com.other.word-${at}`))[0]]).toEqual([
        name,
        ['lookalike.name'],
      ]);
  });

  it('is compared with apps that are yanked or suspended, also by the end of their ids, and the moderator sees which', async () => {
    const { store, owner, publish } = await opened();
    const alikeOf = async (id: string) =>
      (await bodyOf(store.as('anna', 'GET', reviewPath('1.0.0', id)))).alike;
    // The end of an id alone says nothing beside an app that is published.
    expect(codesOf(await publish('Memos', 'org.memos.notes'))).toEqual([[], []]);
    expect(codesOf(await publish('Reminders', 'io.example.notes'))[0]).toEqual(['lookalike.id']);
    await store.call('POST', '/api/apps/com.example.notes/versions/1.0.0/yank', {
      ...{ token: owner, json: { reason: 'Old.' } },
    });
    const stopped = {
      appId: 'com.example.notes',
      version: '1.0.0',
      name: 'Pinboard',
      publisher: 'example',
      stopped: true,
    };
    const again = await publish('Pinbord', 'com.other.two');
    expect(codesOf(again)).toEqual([['lookalike.name'], ['flagged:lookalike.name']]);
    expect(again.issues.map(({ message }: { message: string }) => message).join()).toContain(
      'which the store stopped',
    );
    expect(await alikeOf('com.other.two')).toEqual([{ ...stopped, by: ['name'] }]);
    await publish('Another', 'net.another.notes');
    expect(await alikeOf('net.another.notes')).toEqual([{ ...stopped, by: ['id'] }]);
    await store.admin('POST', '/api/admin/apps/com.example.notes/versions/1.0.0/unyank', {
      reason: 'Fine.',
    });
    await store.admin('PATCH', '/api/admin/apps/com.example.notes', { suspended: true, reason: 'Malware' });
    await publish('My Pinboard', 'com.other.three');
    expect(await alikeOf('com.other.three')).toEqual([{ ...stopped, by: ['name'] }]);
  });

  it('or like a brand, or an id of its host, is no finding for the publisher that verified the website', async () => {
    const { store, publish } = await opened();
    expect(codesOf(await publish('Slack', 'com.slack.notes'))).toEqual([
      ['lookalike.name', 'lookalike.id'].sort(),
      ['flagged:lookalike.id', 'flagged:lookalike.name'],
    ]);
    await store.stores.publishers.change('other', { verifiedHost: 'slack.com' });
    expect(codesOf(await publish('Slack', 'com.slack.two'))).toEqual([[], []]);
  });
});

/** A drawing with contours, in a colour. */
const iconOf = (colour: string, rest = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" fill="#fff"/><path d="M60 420 220 90l90 190 70-110 90 250z" fill="${colour}"/><circle cx="400" cy="110" r="60" fill="${colour}"/>${rest}</svg>`;
const LETTER = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" fill="#dde"/><path d="M100 80h90v130h130V80h90v350h-90V290H190v140h-90z" fill="#223"/></svg>`;

describe('an icon that looks like that of a listed app', () => {
  it('waits for a moderator, who sees the pair; other contours, and the own publisher, do not', async () => {
    const { store, owner } = await opened();
    const upload = async (
      token: string,
      changes: { id: string; name: string; publisher: string },
      icon: string,
    ) =>
      bodyOf(
        store.upload(
          token,
          sampleBundle({ ...changes, branding: { icon: 'assets/icon.svg' } }, { 'assets/icon.svg': icon }),
        ),
      );
    const mine = { id: 'com.example.peaks', name: 'Peaks', publisher: 'example' };
    expect(codesOf(await upload(owner, mine, iconOf('#c02020')))).toEqual([[], []]);
    await store.decide('approve', '1.0.0', undefined, 'com.example.peaks');
    const third = await store.publisherToken('third', true);
    const copy = { id: 'com.third.app', name: 'Summit', publisher: 'third' };
    const copied = await upload(
      third,
      copy,
      iconOf('#1e6ad0', '<circle cx="30" cy="30" r="12" fill="#000"/>'),
    );
    expect(codesOf(copied)).toEqual([['lookalike.icon'], ['flagged:lookalike.icon']]);
    const review = await bodyOf(store.as('anna', 'GET', reviewPath('1.0.0', 'com.third.app')));
    expect(review.alike).toEqual([
      {
        appId: 'com.example.peaks',
        version: '1.0.0',
        name: 'Peaks',
        publisher: 'example',
        by: ['icon'],
        stopped: false,
      },
    ]);
    expect(codesOf(await upload(third, { ...copy, id: 'com.third.letter' }, LETTER))).toEqual([[], []]);
    expect(codesOf(await upload(owner, { ...mine, id: 'com.example.more' }, iconOf('#20c020')))).toEqual([
      [],
      [],
    ]);
  });
});

const NEEDED = 'com.example.needed';
const REVIEW = '/api/moderation/apps/com.example.notes/versions/1.0.0';
const requires = { apps: [{ id: NEEDED, reason: 'It keeps the notes.' }] };

const WARNING = {
  code: 'requires.id',
  level: 'warning',
  path: '/requires/apps/0/id',
  message: expect.stringContaining(NEEDED),
};

async function openVerified() {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  const issuesInReview = async () => (await bodyOf(store.admin('GET', REVIEW))).issues;
  return { store, token, issuesInReview };
}

describe('a required app that this store does not have', () => {
  it('is a warning in the upload and the review, and prevents the approval until the app is published', async () => {
    const { store, token, issuesInReview } = await openVerified();
    const made = await bodyOf(store.publish(token, { requires }));
    expect(made).toMatchObject({ httpStatus: 201, status: 'in_review', issues: [WARNING] });
    expect(made.reasons).toContain('flagged:requires.id');
    expect(await issuesInReview()).toMatchObject([WARNING]);
    const refused = await bodyOf(store.decide('approve', '1.0.0', {}));
    expect(refused).toMatchObject({ httpStatus: 422, code: 'validation_failed', issues: [WARNING] });

    await store.publish(token, { id: NEEDED });
    expect(await bodyOf(store.decide('approve', '1.0.0', {}))).toMatchObject({ httpStatus: 422 });
    await store.decide('approve', '1.0.0', {}, NEEDED);
    expect(await issuesInReview()).toEqual([]);
    expect(await bodyOf(store.decide('approve', '1.0.0', {}))).toMatchObject({ status: 'published' });
  });

  it('does not prevent a rejection', async () => {
    const { store, token } = await openVerified();
    await store.publish(token, { requires });
    expect(await bodyOf(store.decide('reject', '1.0.0', { note: 'No.' }))).toMatchObject({
      status: 'rejected',
    });
  });

  it.each([
    [
      'suspended',
      (store: Awaited<ReturnType<typeof openTestStore>>) =>
        store.admin('PATCH', `/api/admin/apps/${NEEDED}`, { suspended: true }),
    ],
    [
      'yanked',
      (store: Awaited<ReturnType<typeof openTestStore>>) =>
        store.admin('POST', `/api/apps/${NEEDED}/versions/1.0.0/yank`, { reason: 'It lost notes.' }),
    ],
  ])('sends an update to review when the app was %s since the last version', async (_what, lose) => {
    const { store, token } = await openVerified();
    await store.publish(token, { id: NEEDED });
    await store.decide('approve', '1.0.0', {}, NEEDED);
    await store.publish(token, { requires });
    await store.decide('approve', '1.0.0', {});
    expect(await bodyOf(store.publish(token, { requires, version: '1.1.0' }))).toMatchObject({
      status: 'published',
    });
    await lose(store);
    expect(await bodyOf(store.publish(token, { requires, version: '1.2.0' }))).toMatchObject({
      status: 'in_review',
      reasons: expect.arrayContaining(['flagged:requires.id']),
    });
  });

  it('is not reported for apps that every client includes', async () => {
    const { store, token } = await openVerified();
    const builtIn = { apps: [{ id: 'media', reason: 'It makes pictures small.' }] };
    expect(await bodyOf(store.publish(token, { requires: builtIn }))).toMatchObject({
      reasons: ['first-version'],
      issues: [],
    });
  });
});
