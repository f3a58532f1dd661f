import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { contentsOf, databaseOf, tamper } from '../../../support/database.ts';
import { openModeratedStore } from '../../../support/moderated-store.ts';
import { startStore } from '../../../support/store-process.ts';
import { ADMIN_TOKEN, bodyOf, jsonOf, openTestStore } from '../../../support/test-store.ts';

const queueWith = (authorization: string) => ({ headers: { authorization } });

describe('a caller', () => {
  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic abc',
    `Bearer ${ADMIN_TOKEN}x`,
    `Bearer ${ADMIN_TOKEN} x`,
    ADMIN_TOKEN,
    'Bearer svcc_0',
    "Bearer ' or 1=1",
  ])('is not authenticated by the header %j', async (authorization) => {
    const store = await openTestStore();
    const answer = await store.call('GET', '/api/moderation/queue', queueWith(authorization));
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="svc"');
    expect(await bodyOf(answer)).toMatchObject({ httpStatus: 401, code: 'unauthorized' });
  });

  it('who is a signed-in moderator is neither an administrator nor a publisher', async () => {
    const store = await openModeratedStore();
    await store.publish(await store.publisherToken());
    expect((await store.as('anna', 'GET', '/api/moderation/queue')).status).toBe(200);
    const admin = { verified: true };
    expect(await bodyOf(store.as('anna', 'PATCH', '/api/admin/publishers/example', admin))).toMatchObject({
      httpStatus: 403,
      code: 'forbidden',
    });
    const withdraw = '/api/apps/com.example.notes/versions/1.0.0/withdraw';
    expect(await bodyOf(store.as('anna', 'POST', withdraw))).toMatchObject({ code: 'not_a_member' });
  });

  it('can write the authentication scheme in any case (RFC 9110 section 11.1)', async () => {
    const store = await openTestStore();
    expect(
      (await store.call('GET', '/api/moderation/queue', queueWith(`bearer ${ADMIN_TOKEN}`))).status,
    ).toBe(200);
  });

  it('is not authenticated by a token after 90 days', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    store.advance(90 * 24 * 3_600_000 - 1);
    expect((await store.publish(token)).status).toBe(201);
    store.advance(1);
    expect(await bodyOf(store.publish(token, { version: '2.0.0' }))).toMatchObject({ code: 'unauthorized' });
  });

  it('is authenticated by a token that is stored only as a hash', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    const contents = await contentsOf(store.folder);
    expect(contents).toContain('com.example.notes');
    expect(contents).not.toContain(token);
    expect(contents).not.toContain(ADMIN_TOKEN);
    expect(store.lines.join('\n')).not.toContain(token);
    expect(store.lines.join('\n')).not.toContain(ADMIN_TOKEN);
  });
});

describe('a secret', () => {
  type Call = Parameters<Awaited<ReturnType<typeof startStore>>['call']>;

  /** A store process that logs at the level trace, with its output and its error responses. */
  async function startTracing() {
    const folder = await mkdtemp(join(tmpdir(), 'svc-secrets-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const store = await startStore(folder, { LOG_LEVEL: 'trace' });
    const refusals: string[] = [];
    const statuses: number[] = [];
    const call = async (...request: Call): Promise<Response> => {
      const answer = await store.call(...request);
      const headers = JSON.stringify([...answer.headers]);
      if (answer.status >= 400) refusals.push(headers + (await answer.clone().text()));
      statuses.push(answer.status);
      return answer;
    };
    return { folder, store, call, refusals, statuses };
  }

  const publish = (bytes: Uint8Array, token: string, headers = {}): Call => [
    'POST',
    '/api/apps/publish',
    {
      token,
      body: bytes as Uint8Array<ArrayBuffer>,
      headers: { 'content-type': 'application/zip', ...headers },
    },
  ];

  it('appears in no log line and no error response', async () => {
    const { folder, store, call, refusals, statuses } = await startTracing();
    const admin = { token: ADMIN_TOKEN };
    await call('POST', '/api/admin/publishers', { ...admin, json: { slug: 'example', name: 'Example' } });
    const issued = await call('POST', '/api/admin/tokens', { ...admin, json: { publisher: 'example' } });
    const { token } = await jsonOf<{ token: string }>(issued);
    const hash = createHash('sha256').update(token).digest('hex');
    const near = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;

    await call(...publish(sampleBundle(), token, { cookie: `session=${token}`, 'x-api-key': token }));
    await call(...publish(sampleBundle(), token));
    await call(...publish(Buffer.from(`no zip ${token}`), token));
    await call(...publish(sampleBundle({ publisher: 'stranger' }), token));
    await call(...publish(sampleBundle(), near));
    await call('GET', '/api/moderation/queue', { token });
    await call('GET', '/api/moderation/queue', { token: `${ADMIN_TOKEN}x` });
    await call('GET', '/api/admin/audit', { headers: { authorization: `Basic ${btoa(`a:${token}`)}` } });
    await call('GET', `/api/apps/catalog?limit=0&access_token=${token}`);
    await call('GET', `/api/admin/audit?token=${ADMIN_TOKEN}&action=${token}`, admin);
    await call('POST', `/nowhere?token=${ADMIN_TOKEN}`, { token });
    await call('POST', '/api/admin/tokens', {
      ...admin,
      json: { publisher: 'example', token, scopes: [token] },
    });
    await call('POST', '/api/admin/tokens', {
      ...admin,
      body: `{"token":"${token}"`,
      headers: { 'content-type': 'application/json' },
    });
    await tamper(folder, 'alter table tokens rename to lost_tokens');
    await call(...publish(sampleBundle(), token));
    await call('POST', '/api/admin/tokens', { ...admin, json: { publisher: 'example' } });
    await tamper(folder, 'alter table lost_tokens rename to tokens');
    await rm(join(folder, 'blobs'), { recursive: true });
    await call('GET', '/api/moderation/apps/com.example.notes/versions/1.0.0/bundle', admin);

    const expected = [
      201, 201, 201, 409, 400, 404, 401, 403, 401, 401, 400, 400, 404, 400, 400, 500, 500, 503,
    ];
    expect(statuses).toEqual(expected);
    await expect.poll(() => store.said().split('"msg":"request"').length - 1).toBe(expected.length);
    const { DATABASE_URL } = await databaseOf(folder);
    const key = await readFile(join(folder, 'keys', 'signing-key.pem'), 'utf8');
    const secrets = [token, near, hash, ADMIN_TOKEN, btoa(`a:${token}`), String(key.split('\n')[1])];
    if (DATABASE_URL) secrets.push(new URL(DATABASE_URL).password);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(15);
      expect(store.said()).not.toContain(secret);
      expect(refusals.join('\n')).not.toContain(secret);
    }
    const lines = store
      .said()
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'));
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ requestId: expect.any(String) });
    for (const refusal of refusals) expect(refusal).toContain('"requestId":');
  });
});
