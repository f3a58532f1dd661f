import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/cards/card.ts';
import { openCalls, said, TOKEN, tokensOf } from '../support/calls.ts';
import { json, text } from '../support/mcp-server.ts';
import { refused } from '../support/refused.ts';

describe('an account', () => {
  it('adds its token, the project and the chat to every request of its tools', async () => {
    const { tokens, used } = tokensOf(TOKEN);
    const { call, mcp } = await openCalls(() => text('ok'), { deps: { tokens } });
    await call('mine');
    for (const { request } of mcp.asked) {
      expect(request.headers).toMatchObject({
        authorization: `Bearer ${TOKEN}`,
        'x-svc-project': 'project-1',
        'x-svc-chat': 'chat-1',
      });
    }
    expect(new Set(used)).toEqual(new Set(['acme localhost mine']));
  });

  it('does not add its token to calls of other tools', async () => {
    const { tokens, used } = tokensOf(TOKEN);
    const { call, mcp } = await openCalls(() => text('ok'), { deps: { tokens } });
    await call('mine');
    await call('plain');
    expect(mcp.headersOf('tools/call').map(({ authorization }) => authorization)).toEqual([
      `Bearer ${TOKEN}`,
      undefined,
    ]);
    expect(used.every((use) => use.endsWith('mine'))).toBe(true);
  });

  it('that the server requires adds its token to calls of every tool, and to the list of tools', async () => {
    const { tokens } = tokensOf(TOKEN);
    const { call, calls, app, mcp } = await openCalls(() => text('ok'), {
      deps: { tokens },
      manifest: { accounts: [{ id: 'acme', label: 'Acme', auth: 'mcp', scopes: [] }] },
    });
    await calls.tools(app);
    await call('plain');
    for (const { request } of mcp.asked) expect(request.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('is connected first, and then the call continues', async () => {
    const { tokens, connects } = tokensOf(null, TOKEN);
    const { call, cards, mcp } = await openCalls(() => text('ok'), { deps: { tokens } });
    expect(await call('mine')).toEqual(said('ok'));
    expect(cards).toEqual([
      {
        kind: 'connect',
        app: { appId: 'com.example.notes', name: 'Notes', version: '1.0.0', publisher: 'example' },
        permissions: ['Reads the files you hand to it.'],
        account: { id: 'acme', label: 'Acme', scopes: ['read'] },
        host: 'login.acme.example',
        binding: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(connects).toEqual([undefined]);
    for (const { request } of mcp.asked) expect(request.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('is requested with one card for concurrent calls', async () => {
    const { tokens, connects } = tokensOf(null, TOKEN);
    const { call, cards } = await openCalls(() => text('ok'), { deps: { tokens } });
    const results = await Promise.all([call('mine'), call('mine'), call('mine')]);
    expect(results).toEqual([said('ok'), said('ok'), said('ok')]);
    expect([cards.length, connects.length]).toEqual([1, 1]);
  });

  it('is requested with one card after an aborted call, even if the card of that call closes late', async () => {
    const { tokens } = tokensOf(null, TOKEN);
    const shown: PromiseWithResolvers<Answer>[] = [];
    const { call } = await openCalls(() => text('ok'), {
      deps: { tokens },
      answer: () => {
        const card = Promise.withResolvers<Answer>();
        shown.push(card);
        return card.promise;
      },
    });
    const gone = new AbortController();
    const first = call('mine', { signal: gone.signal });
    await expect.poll(() => shown.length).toBe(1);
    gone.abort();
    await expect(first).rejects.toBeDefined();
    const second = call('mine');
    await expect.poll(() => shown.length).toBe(2);
    // The card of the first call closes only now.
    shown[0]?.resolve({ accepted: false });
    await setImmediate();
    const third = call('mine');
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    expect(shown).toHaveLength(2);
    shown[1]?.resolve({ accepted: true });
    expect(await Promise.all([second, third])).toEqual([said('ok'), said('ok')]);
  });

  it('that the user declines to connect fails the call without a request', async () => {
    const { tokens } = tokensOf(null);
    const { call, mcp } = await openCalls(() => text('never'), {
      deps: { tokens },
      answer: () => ({ accepted: false }),
    });
    await expect(call('mine')).rejects.toEqual(refused('declined'));
    expect(mcp.asked).toHaveLength(0);
  });

  const unlessBearer =
    (token: string | null) =>
    ({ request, response }: { request: { headers: NodeJS.Dict<string | string[]> }; response: never }) => {
      if (token !== null && request.headers.authorization === `Bearer ${token}`) return false;
      json(response, {}, 401);
      return true;
    };

  it('is refreshed once when its token is refused, and the request repeated once', async () => {
    const fresh = `${TOKEN}-fresh`;
    const { tokens, refused: refusals } = tokensOf(TOKEN, fresh);
    const { call, cards, mcp } = await openCalls(() => text('ok'), {
      deps: { tokens },
      server: { before: unlessBearer(fresh) as never },
    });
    expect(await call('mine')).toEqual(said('ok'));
    expect(refusals).toEqual([TOKEN]);
    const [first, ...later] = mcp.asked.map(({ request }) => request.headers.authorization);
    expect(first).toBe(`Bearer ${TOKEN}`);
    expect(new Set(later)).toEqual(new Set([`Bearer ${fresh}`]));
    expect(mcp.asked[1]?.message).toEqual(mcp.asked[0]?.message);
    expect(cards).toEqual([]);
  });

  it('is refreshed only once for one call, even if the server refuses every token', async () => {
    const { tokens, refused: refusals } = tokensOf(
      TOKEN,
      `${TOKEN}-a`,
      `${TOKEN}-b`,
      `${TOKEN}-c`,
      `${TOKEN}-d`,
    );
    const { call, cards } = await openCalls(() => text('never'), {
      deps: { tokens },
      server: { before: unlessBearer(null) as never },
    });
    await expect(call('mine')).rejects.toEqual(refused('not-connected'));
    expect(refusals).toEqual([TOKEN]);
    expect(cards.map(({ kind }) => kind)).toEqual(['connect', 'connect']);
  });

  it('is connected with more scopes when the server requires them, and the call is repeated', async () => {
    const { tokens, connects } = tokensOf(TOKEN, `${TOKEN}-wide`);
    const { call, cards } = await openCalls(() => text('ok'), {
      deps: { tokens },
      server: {
        before({ request, response, message }) {
          if (message.method !== 'tools/call' || request.headers.authorization?.endsWith('-wide'))
            return false;
          const challenge = `Bearer error="insufficient_scope", scope="read write ${TOKEN}"`;
          response.setHeader('www-authenticate', challenge);
          json(response, {}, 403);
          return true;
        },
      },
    });
    expect(await call('mine')).toEqual(said('ok'));
    // The scope that is the token itself is left out.
    expect(connects).toEqual([['read', 'write']]);
    expect(JSON.stringify([cards, connects])).not.toContain(TOKEN);
  });

  it('ends its sessions when it is disconnected', async () => {
    const { tokens } = tokensOf(TOKEN);
    const { call, events, app, mcp } = await openCalls(() => text('ok'), { deps: { tokens } });
    await call('mine');
    events.emit({ type: 'account-disconnected', appId: app.appId, accountId: 'acme' });
    await expect.poll(async () => (await call('mine')) && mcp.headersOf('initialize').length).toBe(2);
  });
});
