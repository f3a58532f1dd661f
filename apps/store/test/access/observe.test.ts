import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openTestStore } from '../support/test-store.ts';

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

describe('the memory cache', () => {
  it('is invalidated by a change, and not by a refused request', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken('example', true);
    await store.publish(token);
    await store.decide('approve', '1.0.0');
    const isServedFromMemory = () => store.answerFromMemory(request, response, () => {});
    const request = { method: 'GET', url: '/api/apps/catalog', headers: {}, socket: {} } as IncomingMessage;
    const response = { writeHead() {}, end() {} } as unknown as ServerResponse;
    await store.call('GET', '/api/apps/catalog');
    expect(isServedFromMemory()).toBe(true);
    await store.call('POST', '/api/apps/publish', { token: 'nobody' });
    await store.publish(token);
    expect(isServedFromMemory()).toBe(true);
    await store.publish(token, { version: '1.1.0' });
    expect(isServedFromMemory()).toBe(false);
  });
});
