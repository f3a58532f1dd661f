import { BOTH_DATABASES, DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createStores } from '../../../src/adapters/database/stores.ts';
import { createSmtpTransport } from '../../../src/adapters/mail/smtp-transport.ts';
import { type MailMessage, type MailTransport, sendMails } from '../../../src/core/mail/send-mails.ts';
import { contentsOf, openDatabase } from '../../support/database.ts';
import { openPublisherStore } from '../../support/people.ts';
import { startRaw, startSmtp } from '../../support/smtp-server.ts';
import { jsonOf } from '../../support/test-store.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const MINUTE_MS = 60_000;

/** An outbox with some mails, without a store that would send them in the background. */
async function outbox(howMany = 1) {
  const stores = createStores(await openDatabase());
  let now = START;
  const lines: string[] = [];
  const write = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const deps = {
    ...stores,
    clock: () => new Date(now),
    baseUrl: 'https://store.test',
    storeName: 'Acme Apps',
    log: { info: write, warn: write, error: write },
    routeNames: new Set<never>(),
    letters: {},
    invitationUrl: (id: string) => id,
    resetLink: async () => null,
    confirmLink: async () => null,
    addressLink: async () => null,
    unsubscribeMac: (text: string) => `mac of ${text}`,
    retentionDays: { addresses: null, sessions: 60, reports: null, mails: 3 },
  };
  const at = new Date(now).toISOString();
  for (let i = 0; i < howMany; i += 1) {
    await stores.mails.add({
      ...{ kind: 'publisher-suspended', detail: { publisher: 'acme' } },
      ...{ id: `mail-${i}`, recipient: `r${i}@example.com`, createdAt: at, nextTryAt: at, tries: 0 },
    });
  }
  const send = (transport: MailTransport, signal?: AbortSignal) => sendMails({ ...deps, transport }, signal);
  const queued = async () => (await stores.mails.due('9', 1_000)).length;
  return { stores, send, queued, lines, advance: (ms: number) => (now += ms), now: () => now };
}

/** A transport that records recipients, and accepts a mail if `accept` returns true. */
function fakeTransport(accept: (mail: MailMessage) => boolean | Promise<boolean> = () => true) {
  const sent: string[] = [];
  const transport: MailTransport = {
    async send(mail) {
      const isAccepted = await accept(mail);
      sent.push(mail.to);
      return isAccepted;
    },
  };
  return { transport, sent };
}

const fails = () => {
  throw new Error('The mail server did not take it: ECONNREFUSED');
};

const transportAt = (port: number) =>
  createSmtpTransport(
    { host: '127.0.0.1', port, secure: false, login: null, from: 'store@store.test' },
    'https://store.test',
  );

describe('the turns of mails', () => {
  it('are shared by their recipients, after the mails that a user waits for', BOTH_DATABASES, async () => {
    const { stores, now } = await outbox(0);
    const at = (ms: number) => new Date(now() - 60_000 + ms).toISOString();
    const mail = { kind: 'publisher-suspended', detail: { publisher: 'acme' }, tries: 0 } as const;
    for (let i = 0; i < 60; i += 1) {
      const times = { createdAt: at(i), nextTryAt: at(i) };
      await stores.mails.add({ ...mail, id: `flood-${i}`, recipient: 'flooded@example.com', ...times });
    }
    const times = { createdAt: at(100), nextTryAt: at(100) };
    await stores.mails.add({ ...mail, id: 'other', recipient: 'other@example.com', ...times });
    const reset = { kind: 'password-reset', detail: { personId: 'anna' }, tries: 0 } as const;
    await stores.mails.add({ ...reset, id: 'reset', recipient: 'flooded@example.com', ...times });
    const due = await stores.mails.due(new Date(now()).toISOString(), 20);
    expect(due.map(({ id }) => id).slice(0, 4)).toEqual(['reset', 'flood-0', 'other', 'flood-1']);
    expect(due[0]).toEqual({ ...reset, id: 'reset', recipient: 'flooded@example.com', ...times });
  });
});

describe('a domain that does not answer', BOTH_DATABASES, () => {
  it('delays its own mails only, however many they are, and also while others fail', async () => {
    const { stores, send, queued, now } = await outbox(30);
    const at = new Date(now() + 1).toISOString();
    const mail = { kind: 'publisher-suspended', detail: { publisher: 'acme' }, createdAt: at } as const;
    const add = (recipient: string, tries = 0) =>
      stores.mails.add({
        ...mail,
        id: recipient,
        recipient,
        nextTryAt: new Date(now()).toISOString(),
        tries,
      });
    for (let i = 0; i < 30; i += 1) await add(`anna@failing-${i}.example`, 1);
    await add('anna@com');
    await add('ben@%.example');
    const held = Promise.withResolvers<boolean>();
    const { transport, sent } = fakeTransport(({ to }) =>
      /@(?:example\.com|failing)/.test(to) ? held.promise : true,
    );
    const sending = send(transport);
    await expect.poll(() => sent.toSorted()).toEqual(['anna@com', 'ben@%.example']);
    held.resolve(true);
    await sending;
    expect([sent.length, await queued()]).toEqual([62, 0]);
  });
});

describe('sending mails', () => {
  it('sends all mails of an outbox with more than two batches', DEEP, async () => {
    const { send, queued } = await outbox(45);
    const { received, port } = await startSmtp();
    await send(transportAt(port));
    expect(new Set(received.map(({ to }) => to[0])).size).toBe(45);
    expect(await queued()).toBe(0);
  });

  it('sends each mail once with several concurrent processes', BOTH_DATABASES, async () => {
    const { send, queued } = await outbox(30);
    const { transport, sent } = fakeTransport(async () => {
      await new Promise((soon) => setTimeout(soon, 2));
      return true;
    });
    await Promise.all(Array.from({ length: 6 }, () => send(transport)));
    expect(sent).toHaveLength(30);
    expect(new Set(sent).size).toBe(30);
    expect(await queued()).toBe(0);
  });

  it('retries with backoff for three days, and then drops the mail', async () => {
    const { send, queued, advance, now, lines } = await outbox();
    const tries: number[] = [];
    const { transport } = fakeTransport(() => {
      tries.push((now() - START) / MINUTE_MS);
      return fails();
    });
    while ((await queued()) > 0) {
      await send(transport);
      advance(5 * MINUTE_MS);
      expect(now() - START).toBeLessThan(4 * 24 * 60 * MINUTE_MS);
    }
    expect(tries.slice(0, 7)).toEqual([0, 5, 15, 35, 75, 155, 315]);
    expect(tries.at(-1)).toBeGreaterThan(66 * 60);
    expect(tries.at(-1)).toBeLessThanOrEqual(72 * 60);
    expect(tries.slice(9).every((minute, i) => minute - (tries[i + 8] ?? 0) === 360)).toBe(true);
    expect(lines.at(-1)).toContain('could not be sent for 3 days and was dropped');
    expect(lines.join()).not.toContain('@example.com');
  });

  it('drops a mail that is refused permanently, and sends the others', async () => {
    const { send, queued, lines } = await outbox(3);
    const refuse = Object.assign(new Error('No such user'), { responseCode: 550 });
    const { received, port } = await startSmtp({
      onRcptTo: ({ address }, _session, done) => done(address.startsWith('r1@') ? refuse : null),
    });
    await send(transportAt(port));
    expect(received.map(({ to }) => to[0])).toEqual(['r0@example.com', 'r2@example.com']);
    expect(await queued()).toBe(0);
    expect(lines.join()).toContain('refused a mail permanently');
  });

  it('retries with the same Message-ID if the server closes the connection before it responds', async () => {
    const { send, advance, queued } = await outbox();
    const seen: string[] = [];
    const dying = await startRaw((socket) => {
      socket.write('220 here\r\n');
      socket.on('data', (data) => {
        const line = data.toString();
        if (/^EHLO/.test(line)) socket.write('250 here\r\n');
        else if (/^(MAIL|RCPT)/.test(line)) socket.write('250 ok\r\n');
        else if (/^DATA/.test(line)) socket.write('354 go on\r\n');
        else {
          seen.push(line);
          socket.destroy();
        }
      });
    });
    await send(transportAt(dying.port));
    expect(await queued()).toBe(1);
    const { received, port } = await startSmtp();
    await send(transportAt(port));
    expect(received).toEqual([]);
    advance(5 * MINUTE_MS);
    await send(transportAt(port));
    expect(received).toHaveLength(1);
    for (const raw of [seen.join(''), received[0]?.raw]) expect(raw).toContain('<mail-0@store.test>');
    expect(await queued()).toBe(0);
  });

  it('sends the mail of a process that hangs after five minutes, and not before', async () => {
    const { send, advance } = await outbox();
    const lost = send({ send: () => new Promise(() => {}) });
    await new Promise((soon) => setTimeout(soon, 50));
    const { transport, sent } = fakeTransport();
    await send(transport);
    expect(sent).toEqual([]);
    advance(5 * MINUTE_MS);
    await send(transport);
    expect(sent).toEqual(['r0@example.com']);
    expect(lost).toBeInstanceOf(Promise);
  });

  it('stops after the current mail when it is aborted', async () => {
    const { send, queued } = await outbox(3);
    const stopping = new AbortController();
    const { transport, sent } = fakeTransport(() => {
      stopping.abort();
      return true;
    });
    await send(transport, stopping.signal);
    expect([sent.length, await queued()]).toEqual([1, 2]);
  });
});

describe('a mail that a user can choose', () => {
  it('is sent at once, once a day with others, or not', async () => {
    const { stores, send, advance, now } = await outbox(0);
    const anna = { id: 'anna', name: 'Anna', email: 'anna@example.com', emailVerified: true } as const;
    const createdAt = new Date(now()).toISOString();
    await stores.people.add({ ...anna, role: 'person', suspended: false, createdAt });
    let number = 0;
    const post = async (kind: 'version-approved' | 'app-offered' | 'publisher-suspended') => {
      number += 1;
      const at = new Date(now()).toISOString();
      const detail = { publisher: 'acme', appId: 'com.acme.notes', version: '1.0.0', from: 'other' };
      const mail = { id: `m-${number}`, recipient: anna.email, createdAt: at, nextTryAt: at, tries: 0 };
      await stores.mails.add({ ...mail, kind, detail } as Parameters<typeof stores.mails.add>[0]);
    };
    const messages: MailMessage[] = [];
    const { transport } = fakeTransport((mail) => messages.push(mail) > 0);
    await post('version-approved');
    await send(transport);
    expect(messages).toHaveLength(1);
    expect(messages[0]?.unsubscribe).toContain('/unsubscribe?key=');
    await stores.mailChoices.set('anna', 'reviews', 'daily');
    await stores.mailChoices.set('anna', 'apps', 'off');
    for (const kind of [
      'version-approved',
      'version-approved',
      'app-offered',
      'publisher-suspended',
    ] as const)
      await post(kind);
    await send(transport);
    // What concerns access is sent at once, and what is off is dropped.
    expect(messages.slice(1).map(({ subject, unsubscribe }) => [subject, unsubscribe])).toEqual([
      ['The publisher acme was suspended', undefined],
    ]);
    advance(17 * 60 * MINUTE_MS);
    await send(transport);
    expect(messages).toHaveLength(2);
    advance(2 * 60 * MINUTE_MS);
    await send(transport);
    expect(messages.slice(2).map(({ subject }) => subject)).toEqual(['2 messages from Acme Apps']);
    expect(await stores.mails.to(anna.email, 9)).toEqual([]);
  });
});

describe('a store', () => {
  it('tells moderators once a day that versions wait; one click of a mail program ends that', async () => {
    const { received, url } = await startSmtp();
    const environment = { SVC_SMTP_URL: url, SVC_MAIL_FROM: 'App store <store@store.test>' };
    const store = await openPublisherStore({ environment });
    await store.signedIn('mona', { role: 'moderator' });
    await store.stores.people.change('mona', { email: 'mona@example.com', emailVerified: true });
    const { token } = await jsonOf<{ token: string }>(
      store.admin('POST', '/api/admin/tokens', { publisher: 'acme' }),
    );
    await store.publish(token, { publisher: 'acme' });
    await store.sendDueMails();
    await store.sendDueMails();
    const [mail, ...more] = received.filter(({ to }) => to.includes('mona@example.com'));
    expect(more).toEqual([]);
    const raw = mail?.raw.replace(/\r\n[ \t]+/g, ' ') ?? '';
    expect(raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    const link = /List-Unsubscribe: <([^>]+)>/.exec(raw)?.[1] ?? '';
    const { pathname, search } = new URL(link);
    expect((await store.call('GET', pathname + search)).status).toBe(200);
    expect((await store.stores.mailChoices.of('mona')).moderation).toBe('at-once');
    const body = new TextEncoder().encode(
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    );
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await store.call('POST', pathname + search, { body, headers })).status).toBe(200);
    expect((await store.stores.mailChoices.of('mona')).moderation).toBe('off');
    expect((await store.call('GET', `${pathname}?key=${'a'.repeat(40)}`)).status).toBe(404);
  });

  it(
    'sends the link of an invitation, which is in neither the database nor the log',
    BOTH_DATABASES,
    async () => {
      const { received, url } = await startSmtp();
      const environment = { SVC_SMTP_URL: url, SVC_MAIL_FROM: 'App store <store@store.test>' };
      const store = await openPublisherStore({ environment });
      const json = { email: 'dora@example.com', role: 'member' };
      const made = await jsonOf<{ url: string }>(store.as('anna', 'POST', '/invitations', json));
      expect(await contentsOf(store.folder)).not.toContain(made.url.slice(-43));
      await store.sendDueMails();
      expect(received).toMatchObject([{ to: ['dora@example.com'] }]);
      expect(received[0]?.raw.replace(/=\r\n/g, '').replaceAll('=3D', '=')).toContain(made.url);
      expect(store.lines.join('\n')).not.toContain(made.url.slice(-43));
      expect(await store.stores.mails.due('9', 10)).toEqual([]);
    },
  );

  it('writes mails to its log if it has no mail server, and leaves none in the outbox', async () => {
    const store = await openPublisherStore();
    const json = { email: 'dora@example.com', role: 'member' };
    const made = await jsonOf<{ url: string }>(store.as('anna', 'POST', '/invitations', json));
    await store.sendDueMails();
    const line = store.lines.find((text) => text.includes('dora@example.com'));
    expect(JSON.parse(line ?? '{}').text).toContain(made.url);
    expect(await store.stores.mails.due('9', 10)).toEqual([]);
  });

  it('queues no mail for a refused request', async () => {
    const store = await openPublisherStore();
    await store.admin('PATCH', '/api/admin/publishers/nobody', { suspended: true });
    await store.as('ben', 'POST', '/invitations', { email: 'dora@example.com', role: 'member' });
    expect(await store.stores.mails.due('9', 10)).toEqual([]);
  });
});
