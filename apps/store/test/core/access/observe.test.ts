import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/composition/serve.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../../support/test-store.ts';

describe('the request log', () => {
  it('has a line for each request with its id and route, without data of the client', async () => {
    const store = await openTestStore();
    const response = await store.call('GET', '/api/apps/secret-app?q=secret-query', {
      token: 'secret-token',
      headers: { cookie: 'secret-cookie', 'x-request-id': 'secret-id' },
    });
    const id = response.headers.get('x-request-id') ?? '';
    const line = store.lines.find((text) => text.includes(id));
    expect(JSON.parse(line ?? '')).toMatchObject({
      method: 'GET',
      route: '/api/apps/:appId',
      status: 404,
      requestId: id,
    });
    expect(store.lines.join('\n')).not.toContain('secret');
  });

  it.each([
    ['/api/apps/catalog', '/api/apps/catalog'],
    ['/api/apps/publish', '/api/apps/publish'],
    ['/api/apps/a.b/versions/1.0.0/files/x/y.png', '/api/apps/:appId/versions/:version/files/:path{.+}'],
    ['/nowhere/secret', 'none'],
  ])('contains the route of %s', async (path, route) => {
    const store = await openTestStore();
    await store.call('GET', path);
    expect(JSON.parse(store.lines.at(-1) ?? '')).toMatchObject({ route });
  });

  it('has a unique id for each request', async () => {
    const store = await openTestStore();
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () =>
        (await store.call('GET', '/api/apps/catalog')).headers.get('x-request-id'),
      ),
    );
    expect(new Set(ids).size).toBe(5);
  });
});

it('the audit log has the address and the id of a request', async () => {
  const store = await openTestStore();
  const server = await listen(store, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/admin/publishers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ slug: 'acme', name: 'Acme' }),
  });
  const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit'));
  expect(entries[0]).toMatchObject({
    ...{ publisher: 'acme', address: '127.0.0.1' },
    requestId: answer.headers.get('x-request-id'),
  });
});

describe('the memory cache', () => {
  it('is invalidated by a change, also one that failed in the middle, and not by a refused request', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken('example', true);
    await store.publish(token);
    await store.decide('approve', '1.0.0');
    const isServedFromMemory = () => store.answerFromMemory(request, response, () => {});
    const asked = { method: 'GET', url: '/api/apps/catalog', headers: {}, rawHeaders: [], socket: {} };
    const request = asked as unknown as IncomingMessage;
    const response = { writeHead() {}, end() {} } as unknown as ServerResponse;
    // Its own changes, which the store also finds in the audit log, as those of other processes.
    await store.followChanges();
    await store.call('GET', '/api/apps/catalog');
    expect(isServedFromMemory()).toBe(true);
    await store.call('POST', '/api/apps/publish', { token: 'nobody' });
    expect((await store.call('PATCH', '/api/people/me', { body: 'x' })).status).toBe(401);
    expect((await store.admin('POST', '/api/admin/publishers', {})).status).toBe(400);
    await store.publish(token);
    expect(isServedFromMemory()).toBe(true);
    await store.publish(token, { version: '1.1.0' });
    expect(isServedFromMemory()).toBe(false);
    await store.followChanges();
    await store.call('GET', '/api/apps/catalog');
    expect(isServedFromMemory()).toBe(true);
    store.stores.tokens.find = () => Promise.reject(new Error('The database is gone.'));
    expect((await store.call('POST', '/api/apps/publish', { token })).status).toBe(500);
    expect(isServedFromMemory()).toBe(false);
  });
});
