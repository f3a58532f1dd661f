import { describe, expect, it } from 'vitest';
import { openWorld } from './support/gateway-world.ts';

describe('the gateway', () => {
  it('lets in nobody without the bearer, from another site, or for what is not there', async () => {
    const { agent: to, origin } = await openWorld({});
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    });
    const ask = async (headers: Record<string, string>, query = '') => {
      const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const response = await fetch(`${origin}/mcp${query}`, {
        method: 'POST',
        headers: { ...all, ...headers },
        body,
      });
      await response.body?.cancel();
      return response.status;
    };
    const authorization = `Bearer ${to.bearer}`;
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: `Bearer ${to.bearer}x` })).toBe(401);
    expect(await ask({ authorization: to.bearer })).toBe(401);
    expect(await ask({ authorization, origin: 'https://evil.example' })).toBe(403);
    expect(await ask({ authorization, 'mcp-session-id': 'guessed' })).toBe(404);
    expect(await ask({ authorization }, '?project=Nowhere')).toBe(400);
    expect(await ask({ authorization }, '?provider=somebody')).toBe(400);
    expect(await ask({ authorization })).toBe(200);
  });

  it('ends the session that was silent longest when all places are taken', async () => {
    const { agent: to, origin } = await openWorld({ apps: [] });
    const ask = (body: object, session?: string) =>
      fetch(`${origin}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${to.bearer}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      });
    const begin = async () => {
      const clientInfo = { name: 'x', version: '1' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      const response = await ask({ method: 'initialize', params });
      await response.text();
      return response.headers.get('mcp-session-id') ?? expect.fail();
    };
    const ping = async (session: string) => {
      const response = await ask({ method: 'ping' }, session);
      await response.text();
      return response.status;
    };
    const first = await begin();
    const second = await begin();
    for (let n = 2; n < 64; n += 1) await begin();
    expect(await ping(first)).toBe(200);
    await begin();
    expect(await ping(second)).toBe(404);
    expect(await ping(first)).toBe(200);
    // What begins with anything else than a session is none, and takes no place.
    expect((await ask({ method: 'tools/list' })).status).toBe(400);
    expect(await ping(first)).toBe(200);
  });
});
