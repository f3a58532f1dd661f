import { describe, expect, it } from 'vitest';
import { requireUnreserved } from '../../../src/core/publishers/own-publisher.ts';
import { policyFileOf } from '../../support/moderated-store.ts';
import { fakeSites, openPublisherStore } from '../../support/people.ts';
import { bodyOf, jsonOf, openTestStore } from '../../support/test-store.ts';

describe('creating a publisher', () => {
  it('makes the user its owner, and writes an audit entry', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const json = { slug: 'acme', name: ' Acme ', website: 'https://acme.example/about' };
    const answer = await store.call('POST', '/api/publishers', { session, json });
    expect(answer.headers.get('ratelimit')).toBe('"publishers";r=4;t=86400');
    expect(await bodyOf(answer)).toMatchObject({
      httpStatus: 201,
      slug: 'acme',
      name: 'Acme',
      website: 'https://acme.example/about',
      verified: false,
      suspended: false,
      role: 'owner',
      members: [{ personId: 'anna', role: 'owner', email: 'anna@example.com' }],
      invitations: [],
      verification: { verifiedBy: null, publish: { dns: { name: '_svc-verification.acme.example' } } },
    });
    const { entries } = await jsonOf<{ entries: object[] }>(store.admin('GET', '/api/admin/audit'));
    expect(entries[0]).toMatchObject({ actor: 'person:anna', action: 'publisher.create', publisher: 'acme' });
  });

  it.each([
    [{ slug: 'svc-team', name: 'A' }, '/slug'],
    [{ slug: 'our-brand', name: 'A' }, '/slug'],
    [{ slug: '0ur-brand', name: 'A' }, '/slug'],
    [{ slug: 'acme', name: 'Acme by SVC' }, '/name'],
    [{ slug: 'acme', name: 'Our Brand Inc.' }, '/name'],
    [{ slug: 'acme', name: 'Ac\u202eme' }, '/name'],
    [{ slug: 'acme', name: 'Acme\r\nBcc: a@b.example' }, '/name'],
    [{ slug: 'acme', name: '\u200b' }, '/name'],
    [{ slug: 'acme', name: 'A', website: 'http://acme.example' }, '/website'],
    [{ slug: 'acme', name: 'A', website: 'https://127.0.0.1/' }, '/website'],
    [{ slug: 'acme', name: 'A', website: 'https://2130706433/' }, '/website'],
    [{ slug: 'acme', name: 'A', website: 'https://0x7f.1/' }, '/website'],
    [{ slug: 'acme', name: 'A', website: 'https://[::1]/' }, '/website'],
    [{ slug: 'acme', name: 'A', website: 'https://localhost/' }, '/website'],
    [{ slug: 'acme', name: 'A', website: 'https://acme.example:8443/' }, '/website'],
    [{ slug: 'acme', name: 'A', website: 'https://good.example@evil.example/' }, '/website'],
    [{ slug: 'acme', name: 'A', website: 'https://acme.example\\@evil.example/' }, '/website'],
    [{ slug: 'acme', name: 'A', verified: true }, ''],
  ])('is refused with %j, and creates nothing', async (json, path) => {
    const store = await openTestStore({ policyFile: await policyFileOf({ reservedNames: ['Our Brand'] }) });
    const session = await store.signedIn('anna');
    expect(await bodyOf(store.call('POST', '/api/publishers', { session, json }))).toMatchObject({
      httpStatus: 400,
      code: 'invalid_request',
      issues: [{ path }],
    });
    expect(await store.stores.people.membershipsOf('anna')).toEqual(new Map());
  });

  it('is refused with a slug that looks like another one, also with concurrent requests', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const answers = await Promise.all(
      ['modern', 'rnodern', 'm0dern', 'mo-dern'].map((slug) =>
        store.call('POST', '/api/publishers', {
          session,
          json: { slug, name: `Name of ${slug.length} ${slug.charCodeAt(1)}` },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect((await store.stores.people.membershipsOf('anna')).size).toBe(1);
  });

  it('is limited to five per user and day, also with concurrent requests; refused requests do not count', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const make = (slug: string) =>
      store.call('POST', '/api/publishers', { session, json: { slug, name: `Name of ${slug}` } });
    await make('taken');
    expect((await make('taken')).status).toBe(409);
    const answers = await Promise.all(['a1', 'b2', 'c3', 'e4', 'f5', 'h6'].map(make));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 429, 429]);
    expect((await store.stores.people.membershipsOf('anna')).size).toBe(5);
    const other = await store.signedIn('ben');
    const json = { slug: 'another', name: 'Another' };
    expect((await store.call('POST', '/api/publishers', { session: other, json })).status).toBe(201);
    store.advance(24 * 3_600_000 + 1);
    expect((await make('next-day')).status).toBe(201);
  });

  it('is refused to tokens and to automation', async () => {
    const store = await openTestStore();
    const json = { slug: 'acme', name: 'Acme' };
    const token = await store.publisherToken();
    expect((await store.call('POST', '/api/publishers', { token, json })).status).toBe(403);
    expect((await store.admin('POST', '/api/publishers', json)).status).toBe(403);
  });

  it('requires the CSRF token of the session, and is refused from another site', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const json = { slug: 'acme', name: 'Acme' };
    const forged = [
      { ...session, csrf: '' },
      { ...session, csrf: 'x'.repeat(64) },
    ];
    for (const bad of forged) {
      expect((await store.call('POST', '/api/publishers', { session: bad, json })).status).toBe(403);
    }
    const headers = { origin: 'https://evil.example' };
    expect((await store.call('POST', '/api/publishers', { session, json, headers })).status).toBe(403);
    expect(await store.stores.publishers.find('acme')).toBeNull();
  });
});

describe('editing a publisher', () => {
  const verified = async () => {
    const { sites, records } = fakeSites();
    const store = await openPublisherStore({ sites });
    const proof = (await store.stores.publishers.findWithStatus('acme'))?.status.proof ?? '';
    records.set('_svc-verification.acme.example', [`svc-verification=${proof}`]);
    await store.as('anna', 'POST', '/verify');
    return store;
  };

  it('changes name and website', async () => {
    const store = await openPublisherStore();
    expect(await bodyOf(store.as('anna', 'PATCH', '', { name: 'Acme Ltd' }))).toMatchObject({
      httpStatus: 200,
      name: 'Acme Ltd',
      website: 'https://acme.example',
    });
    const without = await bodyOf(store.as('anna', 'PATCH', '', { website: null }));
    expect(without).not.toHaveProperty('website');
    expect(without.verification.publish).toBeNull();
  });

  it('makes its apps searchable by the new name, and no longer by the old one', async () => {
    const store = await openTestStore();
    await store.publish(await store.publisherToken('acme'), { id: 'com.example.pad', publisher: 'acme' });
    await store.decide('approve', '1.0.0', {}, 'com.example.pad');
    const session = await store.signedIn('anna', { membership: { acme: 'owner' } });
    const rename = (name: string) => store.call('PATCH', '/api/publishers/acme', { session, json: { name } });
    const found = async (q: string) =>
      (await bodyOf(store.call('GET', `/api/apps/catalog?q=${q}`))).apps.map(
        ({ appId }: { appId: string }) => appId,
      );
    await rename('Zebra Works');
    expect(await found('zebra')).toEqual(['com.example.pad']);
    await rename('Yak Works');
    expect(await found('zebra')).toEqual([]);
    expect(await found('yak')).toEqual(['com.example.pad']);
  });

  it('is allowed only for owners', async () => {
    const store = await openPublisherStore();
    expect(await bodyOf(store.as('ben', 'PATCH', '', { name: 'B' }))).toMatchObject({ code: 'forbidden' });
    expect(await bodyOf(store.as('carl', 'PATCH', '', { name: 'C' }))).toMatchObject({
      code: 'not_a_member',
    });
    const none = store.call('PATCH', '/api/publishers/nobody', {
      session: store.sessions.carl,
      json: { name: 'C' },
    });
    expect(await bodyOf(none)).toMatchObject({ httpStatus: 403, code: 'not_a_member' });
    expect((await store.stores.publishers.find('acme'))?.name).toBe('Acme');
  });

  it('is refused with a reserved name, an empty change or a new slug, and while suspended', async () => {
    const store = await openPublisherStore();
    expect((await store.as('anna', 'PATCH', '', { name: 'The SVC' })).status).toBe(400);
    expect((await store.as('anna', 'PATCH', '', {})).status).toBe(400);
    expect((await store.as('anna', 'PATCH', '', { slug: 'other' })).status).toBe(400);
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true });
    expect(await bodyOf(store.as('anna', 'PATCH', '', { name: 'A' }))).toMatchObject({
      code: 'publisher_suspended',
    });
  });

  it('removes the verification by website when the host changes, and only then', async () => {
    const store = await verified();
    expect(
      (await bodyOf(store.as('anna', 'PATCH', '', { website: 'https://acme.example/en' }))).verified,
    ).toBe(true);
    expect((await bodyOf(store.as('anna', 'PATCH', '', { name: 'Acme 2' }))).verified).toBe(true);
    const moved = await bodyOf(store.as('anna', 'PATCH', '', { website: 'https://evil.example' }));
    expect(moved).toMatchObject({ verified: false, verification: { verifiedBy: null, checkedAt: null } });
  });

  it('keeps a verification by an administrator', async () => {
    const store = await verified();
    await store.admin('PATCH', '/api/admin/publishers/acme', { verified: true });
    const moved = await bodyOf(store.as('anna', 'PATCH', '', { website: 'https://other.example' }));
    expect(moved).toMatchObject({ verified: true, verification: { verifiedBy: 'administrator' } });
  });
});

const RESERVED = ['Acme Corp', 'Müller'];

describe('a reserved name', () => {
  it.each([
    'svc',
    'svc-official',
    'the-svc-team',
    's-v-c',
    '5vc',
    '5vc-team',
    'acme-corp',
    'acmecorp',
    'my-acme-corp',
    'acrne-corp',
    'a-crnecorp',
  ])('is detected in the slug %s', (slug) => {
    expect(() => requireUnreserved(RESERVED, { slug })).toThrow(/slug contains a reserved name/);
  });

  it.each(['SVC', 'Apps by svc', 'ѕvс', 'Ａcme corp', 'The Acme Corp.', 'MÜLLER', 'Muller & Sons'])(
    'is detected in the name %s',
    (name) => {
      expect(() => requireUnreserved(RESERVED, { name })).toThrow(/name contains a reserved name/);
    },
  );

  it.each(['svcteam', 'corp-acme', 'acme', 'mysvc', 'services'])('is not detected in the slug %s', (slug) => {
    expect(() => requireUnreserved(RESERVED, { slug, name: 'Something else' })).not.toThrow();
  });
});

const RECORD = '_svc-verification.acme.example';

async function opened() {
  const web = fakeSites();
  const store = await openPublisherStore({ sites: web.sites });
  const { verification } = await bodyOf(store.as('anna', 'GET'));
  const text: string = verification.publish.dns.value;
  return { ...web, store, text, verification };
}

describe('verifying a website', () => {
  it('shows the proof to publish, and where', async () => {
    const { verification, text } = await opened();
    expect(text).toMatch(/^svc-verification=[\w-]{36}$/);
    expect(verification).toEqual({
      verifiedBy: null,
      checkedAt: null,
      missingSince: null,
      publish: {
        dns: { name: RECORD, value: text },
        file: { url: 'https://acme.example/.well-known/svc-verification', text },
      },
    });
  });

  it('finds the TXT record among others', async () => {
    const { store, records, text, asked } = await opened();
    records.set(RECORD, ['v=spf1 -all', text]);
    expect(await bodyOf(store.as('anna', 'POST', '/verify'))).toEqual({
      httpStatus: 200,
      verified: true,
      checks: [{ place: 'dns', at: RECORD, found: true, message: 'The proof was found.' }],
    });
    expect(asked).toEqual([RECORD]);
    expect(await bodyOf(store.as('anna', 'GET'))).toMatchObject({
      verified: true,
      verification: { verifiedBy: 'website', checkedAt: '2026-03-01T12:00:00.000Z' },
    });
    const { entries } = await jsonOf<{ entries: object[] }>(store.admin('GET', '/api/admin/audit'));
    expect(entries[0]).toMatchObject({
      action: 'publisher.verify',
      actor: 'person:anna',
      detail: { by: 'website', website: 'https://acme.example' },
    });
  });

  it('finds the proof in the well-known file', async () => {
    const { store, files, text } = await opened();
    files.set('acme.example', `# ours\r\n${text}\r\n`);
    expect(await bodyOf(store.as('anna', 'POST', '/verify'))).toMatchObject({
      verified: true,
      checks: [
        { place: 'dns', found: false },
        { place: 'file', found: true },
      ],
    });
  });

  it('reports what it found instead of the proof', async () => {
    const { store, records, files, text } = await opened();
    records.set(RECORD, ['svc-verification=another']);
    files.set('acme.example', '');
    expect(await bodyOf(store.as('anna', 'POST', '/verify'))).toEqual({
      httpStatus: 200,
      verified: false,
      checks: [
        {
          place: 'dns',
          at: RECORD,
          found: false,
          message: `It contains "svc-verification=another" instead: add a TXT record with this name and the value ${text}. It can take an hour until the record is visible.`,
        },
        {
          place: 'file',
          at: 'https://acme.example/.well-known/svc-verification',
          found: false,
          message: `It is empty: serve the text ${text} at this address.`,
        },
      ],
    });
  });

  it.each(['x TEXT', 'TEXTx', 'TEXT TEXT', 'SVC-VERIFICATION=', 'TEXT'.toLowerCase()])(
    'does not accept %j as the proof',
    async (near) => {
      const { store, records, text } = await opened();
      records.set(RECORD, [near.replaceAll('TEXT', text)]);
      expect((await bodyOf(store.as('anna', 'POST', '/verify'))).verified).toBe(false);
    },
  );

  it('does not accept the proof of another publisher', async () => {
    const { store, records } = await opened();
    const json = { slug: 'other', name: 'Other', website: 'https://acme.example' };
    await store.call('POST', '/api/publishers', { session: store.sessions.carl, json });
    const other = await bodyOf(store.call('GET', '/api/publishers/other', { session: store.sessions.carl }));
    records.set(RECORD, [other.verification.publish.dns.value]);
    expect((await bodyOf(store.as('anna', 'POST', '/verify'))).verified).toBe(false);
  });

  it('reports a hostile file in fewer than 300 printable ASCII characters', async () => {
    const { store, files } = await opened();
    files.set('acme.example', `\u001b[31m\u202e${'<b>'.repeat(1_000)}`);
    const { checks } = await bodyOf(store.as('anna', 'POST', '/verify'));
    expect(checks[1].message.length).toBeLessThan(300);
    expect(checks[1].message).toMatch(/^[\x20-\x7e]+$/);
  });

  it('requires an owner, a website, and a publisher that is not suspended', async () => {
    const { store, asked } = await opened();
    expect(await bodyOf(store.as('ben', 'POST', '/verify'))).toMatchObject({ code: 'forbidden' });
    expect(await bodyOf(store.as('carl', 'POST', '/verify'))).toMatchObject({ code: 'not_a_member' });
    await store.as('anna', 'PATCH', '', { website: null });
    expect(await bodyOf(store.as('anna', 'POST', '/verify'))).toMatchObject({ code: 'invalid_request' });
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true });
    expect(await bodyOf(store.as('anna', 'POST', '/verify'))).toMatchObject({ code: 'publisher_suspended' });
    expect(asked).toEqual([]);
  });

  it('is limited to ten per hour, also with concurrent requests', async () => {
    const { store, asked } = await opened();
    const answers = await Promise.all(Array.from({ length: 14 }, () => store.as('anna', 'POST', '/verify')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
    expect(asked).toHaveLength(20);
  });

  it('is refused when the website changes during the check', async () => {
    const { store, records, text, sites } = await opened();
    records.set(RECORD, [text]);
    const { txt } = sites;
    sites.txt = async (name) => {
      await store.as('anna', 'PATCH', '', { website: 'https://bank.example' });
      return txt(name);
    };
    expect(await bodyOf(store.as('anna', 'POST', '/verify'))).toMatchObject({
      httpStatus: 409,
      code: 'already_handled',
    });
    expect(await bodyOf(store.as('anna', 'GET'))).toMatchObject({
      verified: false,
      website: 'https://bank.example',
    });
  });
});
