import { describe, expect, it } from 'vitest';
import { fakeSites, openPublisherStore } from '../../support/people.ts';
import { bodyOf, jsonOf } from '../../support/test-store.ts';

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
