import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { picture } from '../support/pictures.ts';
import { startPinboard } from '../support/pinboard.ts';

/** Sends a raw request: `fetch` would normalise the path and set the host. */
function raw(origin: string, path: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(origin);
  return new Promise((done, fail) => {
    request({ hostname, port, path, headers }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    })
      .on('error', fail)
      .end();
  });
}

const note = (text: string): RequestInit => ({ method: 'POST', body: JSON.stringify({ text }) });

describe("the panel's API", () => {
  it('pins notes and pictures, lists them, returns pictures and removes pins', async () => {
    const { person } = await startPinboard();
    const { ask } = await person('Ada');
    expect((await ask('/api/notes', note('Tiles'))).status).toBe(201);
    const sent = { method: 'POST', body: new Uint8Array(await picture()) };
    const { pin } = (await (await ask('/api/pictures?text=Shore', sent)).json()) as { pin: { id: string } };
    const pins = async (query = '') =>
      ((await (await ask(`/api/pins${query}`)).json()) as { pins: unknown[] }).pins;
    expect(await pins()).toMatchObject([{ text: 'Shore', width: 400 }, { text: 'Tiles' }]);
    expect(await pins('?kind=note')).toMatchObject([{ text: 'Tiles' }]);
    const shown = await ask(`/api/pictures/${pin.id}`);
    expect(shown.headers.get('content-type')).toBe('image/webp');
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await ask(`/api/pins/${pin.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await pins()).toHaveLength(1);
  });

  it('never returns pins of another user', async () => {
    const { person } = await startPinboard();
    const [ada, mallory] = [await person('Ada'), await person('Mallory')];
    const sent = { method: 'POST', body: new Uint8Array(await picture()) };
    const { pin } = (await (await ada.ask('/api/pictures', sent)).json()) as { pin: { id: string } };
    expect((await mallory.ask(`/api/pictures/${pin.id}`)).status).toBe(404);
    expect((await mallory.ask(`/api/pins/${pin.id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await ada.ask(`/api/pictures/${pin.id}`)).status).toBe(200);
  });

  it.each([
    '/api/pictures/..%2f..%2f..%2fetc%2fpasswd',
    '/api/pictures/../../../etc/passwd',
    '/api/pictures/%2e%2e/%2e%2e/pinboard.sqlite',
    '/api/pictures/%00',
    "/api/pictures/'%20or%201=1--",
    '/api/../api/pictures/%',
  ])('responds with 400 or 404 to %s', async (path) => {
    const { origin, person } = await startPinboard();
    const { token } = await person('Ada');
    const status = await raw(origin, path, { authorization: `Bearer ${token}`, host: new URL(origin).host });
    expect([400, 404]).toContain(status);
  });

  it.each([
    { what: 'SVG', path: '/api/pictures', body: '<svg xmlns="http://www.w3.org/2000/svg"/>', status: 415 },
    {
      what: 'a picture over ten megabytes',
      path: '/api/pictures',
      body: 'x'.repeat(10 * 1024 * 1024 + 1),
      status: 413,
    },
    {
      what: 'a note that is too long',
      path: '/api/notes',
      body: `{"text":"${'x'.repeat(2_001)}"}`,
      status: 400,
    },
    {
      what: 'a note that exceeds the limit of the body',
      path: '/api/notes',
      body: 'x'.repeat(20_000),
      status: 413,
    },
    { what: 'invalid JSON', path: '/api/notes', body: '{', status: 400 },
    {
      what: 'a note with an unknown field',
      path: '/api/notes',
      body: '{"text":"x","person":"bob"}',
      status: 400,
    },
  ])('rejects $what with a message', async ({ path, body, status }) => {
    const { person } = await startPinboard();
    const { ask } = await person('Ada');
    const answer = await ask(path, { method: 'POST', body });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ message: expect.stringMatching(/^[A-Z].+\.$/) });
    expect(await (await ask('/api/pins')).json()).toEqual({ pins: [] });
  });

  it('allows any origin, and accepts a token only in the Authorization header', async () => {
    const { origin, person } = await startPinboard();
    const { token } = await person('Ada');
    const from = { origin: 'http://panel.localhost:1' };
    const preflight = await fetch(`${origin}/api/pins/x`, {
      method: 'OPTIONS',
      headers: {
        ...from,
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
    const answer = await fetch(`${origin}/api/pins`, {
      headers: { ...from, authorization: `Bearer ${token}` },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    // CORS headers let the page read the error.
    const refused = await fetch(`${origin}/api/pins`, { headers: { ...from, cookie: `token=${token}` } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect((await fetch(`${origin}/api/pins?access_token=${token}`)).status).toBe(401);
  });
});

describe('a token', () => {
  it.each([
    { what: 'that was never issued', token: () => 'x'.repeat(43) },
    {
      what: 'that is a refresh token',
      token: ({ refresh_token }: { refresh_token: string }) => refresh_token,
    },
  ])('$what is refused', async ({ token }) => {
    const { api, connect } = await startPinboard();
    const { tokens } = await connect({ name: 'Ada' });
    for (const path of ['/api/pins', '/mcp']) expect((await api(path, token(tokens))).status).toBe(401);
  });

  it('without an audience is refused', async () => {
    const { api, connect } = await startPinboard();
    const { tokens } = await connect({ name: 'Ada' }, { resource: '', scope: 'openid board' });
    expect(tokens.access_token).toEqual(expect.any(String));
    const answer = await api('/api/pins', tokens.access_token);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('of another server is refused', async () => {
    const [here, there] = [await startPinboard(), await startPinboard()];
    const { token } = await there.person('Ada');
    expect((await here.api('/api/pins', token)).status).toBe(401);
  });

  it('without the scope is refused', async () => {
    const { api, connect } = await startPinboard();
    const { tokens } = await connect({ name: 'Ada' }, { scope: 'openid' });
    expect([401, 403]).toContain((await api('/api/pins', tokens.access_token)).status);
  });

  it('that has expired is refused', async () => {
    const { api, connect } = await startPinboard({ accessTokenSeconds: 1 });
    const { tokens } = await connect({ name: 'Ada' });
    await expect.poll(async () => (await api('/api/pins', tokens.access_token)).status).toBe(401);
  });
});

it('only answers to its own host, which prevents DNS rebinding', async () => {
  const { origin } = await startPinboard();
  const path = '/.well-known/oauth-authorization-server';
  expect(await raw(origin, path, { host: 'evil.example' })).toBe(421);
  expect(await raw(origin, path, { host: new URL(origin).host })).toBe(200);
});
