import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../support/person.ts';
import { REDIRECT, startPinboard } from '../support/pinboard.ts';

const JSON_RPC = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
};

describe('signing in', () => {
  it('publishes its metadata, and issues a token only for the MCP server, with the declared lifetime', async () => {
    const pinboard = await startPinboard({ accessTokenSeconds: 60 });
    const probeUnauthenticated = await fetch(pinboard.mcpUrl, JSON_RPC);
    expect(probeUnauthenticated.status).toBe(401);
    const [, metadataUrl = ''] =
      /resource_metadata="([^"]+)"/.exec(probeUnauthenticated.headers.get('www-authenticate') ?? '') ?? [];
    const metadata = await (await fetch(metadataUrl)).json();
    expect(metadata).toMatchObject({
      resource: pinboard.mcpUrl,
      authorization_servers: [pinboard.origin],
      scopes_supported: ['board'],
    });
    const server = await (await fetch(`${pinboard.origin}/.well-known/oauth-authorization-server`)).json();
    expect(server).toMatchObject({
      issuer: pinboard.origin,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      registration_endpoint: `${pinboard.origin}/reg`,
      revocation_endpoint: `${pinboard.origin}/token/revocation`,
      authorization_response_iss_parameter_supported: true,
    });
    const { tokens, url } = await pinboard.connect({ name: 'Ada' });
    expect(tokens).toMatchObject({ expires_in: 60, scope: 'board', refresh_token: expect.any(String) });
    expect(url.searchParams.get('iss')).toBe(pinboard.origin);
    expect((await pinboard.api('/mcp', tokens.access_token, JSON_RPC)).status).toBe(200);
  });

  it('ignores letter case and extra spaces in a name', async () => {
    const { person } = await startPinboard();
    const first = await person('Ada  Lovelace');
    await first.ask('/api/notes', { method: 'POST', body: '{"text":"mine"}' });
    const again = await person(' ada lovelace ');
    expect(await (await again.ask('/api/pins')).json()).toMatchObject({ pins: [{ text: 'mine' }] });
  });

  it('redirects a user who denies access back without a code', async () => {
    const { register, authorizeUrl } = await startPinboard();
    const { client_id } = (await (await register()).json()) as { client_id: string };
    const { url } = await openBrowser().signIn(authorizeUrl({ client_id }), { name: 'Ada', allow: false });
    expect(url.searchParams.get('error')).toBe('access_denied');
    expect(url.searchParams.get('code')).toBeNull();
  });

  it('keeps users signed in after a restart, and stores no token in the file', async () => {
    const data = await mkdtemp(join(tmpdir(), 'pinboard-'));
    onTestFinished(() => rm(data, { recursive: true, force: true }));
    const first = await startPinboard({ data });
    const { tokens, client_id } = await first.connect({ name: 'Ada' });
    const port = Number(new URL(first.origin).port);
    await first.close();
    const database = new DatabaseSync(join(data, 'pinboard.sqlite'));
    const held = JSON.stringify(database.prepare('select * from records').all());
    database.close();
    expect(held).toContain(client_id);
    for (const token of [tokens.access_token, tokens.refresh_token]) expect(held).not.toContain(token);
    const second = await startPinboard({ data, port });
    // Connections to the first server must be closed before new ones are opened.
    const reach = () =>
      fetch(second.origin).then(
        ({ status }) => status,
        () => null,
      );
    await expect.poll(reach).toBe(404);
    expect((await second.api('/api/pins', tokens.access_token)).status).toBe(200);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id };
    expect((await second.token(form)).status).toBe(200);
  });
});

describe('tokens', () => {
  it('have single-use refresh tokens: reuse revokes the whole grant', async () => {
    const { connect, token, api } = await startPinboard();
    const { tokens, client_id } = await connect({ name: 'Ada' });
    const renew = (refresh_token: string) => token({ grant_type: 'refresh_token', refresh_token, client_id });
    const next = (await (await renew(tokens.refresh_token)).json()) as typeof tokens;
    expect((await api('/api/pins', next.access_token)).status).toBe(200);
    const stolen = await renew(tokens.refresh_token);
    expect(stolen.status).toBe(400);
    expect(await stolen.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await api('/api/pins', next.access_token)).status).toBe(401);
    expect((await renew(next.refresh_token)).status).toBe(400);
  });

  it('can be revoked', async () => {
    const { connect, api, origin } = await startPinboard();
    const { tokens, client_id } = await connect({ name: 'Ada' });
    const body = new URLSearchParams({ token: tokens.refresh_token, client_id });
    expect((await fetch(`${origin}/token/revocation`, { method: 'POST', body })).status).toBe(200);
    expect((await api('/api/pins', tokens.access_token)).status).toBe(401);
  });

  it('are not issued for another resource', async () => {
    const { register, authorizeUrl } = await startPinboard();
    const { client_id } = (await (await register()).json()) as { client_id: string };
    const address = authorizeUrl({ client_id, resource: 'https://other.example.com/mcp' });
    const { url } = await openBrowser().signIn(address, { name: 'Ada' });
    expect(url.searchParams.get('error')).toBe('invalid_target');
  });

  it('require the PKCE verifier and a single-use code', async () => {
    const { connect, register, authorizeUrl, token, api } = await startPinboard();
    const { client_id } = (await (await register()).json()) as { client_id: string };
    const plain = new URL(authorizeUrl({ client_id }));
    plain.searchParams.delete('code_challenge');
    plain.searchParams.delete('code_challenge_method');
    const { url } = await openBrowser().signIn(plain.href, { name: 'Ada' });
    expect(url.searchParams.get('error')).toBe('invalid_request');
    const { url: back } = await openBrowser().signIn(authorizeUrl({ client_id }), { name: 'Ada' });
    const wrong = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      client_id,
      redirect_uri: REDIRECT,
      code_verifier: 'w'.repeat(43),
    };
    expect(await (await token(wrong)).json()).toMatchObject({ error: 'invalid_grant' });
    // A code that is used twice was stolen: its tokens are revoked.
    const done = await connect({ name: 'Ada' });
    const again = { ...wrong, code: done.code, client_id: done.client_id, code_verifier: done.verifier };
    expect((await token(again)).status).toBe(400);
    expect((await api('/api/pins', done.tokens.access_token)).status).toBe(401);
  });
});

describe('clients', () => {
  it.each([
    'https://store.example.com/apps/oauth/callback/',
    'https://store.example.com/apps/oauth/callback?x=1',
    'https://store.example.com.evil.example/apps/oauth/callback',
    'https://store.example.com/apps/oauth/../oauth/callback2',
    'http://store.example.com/apps/oauth/callback',
    'https://user@store.example.com/apps/oauth/callback',
  ])('cannot redirect users to %s, which they did not register', async (redirect_uri) => {
    const { register, authorizeUrl } = await startPinboard();
    const { client_id } = (await (await register()).json()) as { client_id: string };
    const { page } = await openBrowser().signIn(authorizeUrl({ client_id, redirect_uri }), { name: 'Ada' });
    expect(page?.status).toBe(400);
    expect(await page?.text()).not.toContain('<form');
  });

  it('can only register allowed redirect URIs', async () => {
    const { register } = await startPinboard();
    for (const redirect_uris of [
      [],
      ['javascript:alert(1)'],
      ['http://example.com/cb'],
      ['https://a.example/#x'],
    ]) {
      expect((await register({ redirect_uris })).status, JSON.stringify(redirect_uris)).toBe(400);
    }
    expect((await register({ token_endpoint_auth_method: 'client_secret_basic' })).status).toBe(400);
  });

  it('cannot make this server send requests', async () => {
    const asked: string[] = [];
    const inside = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('[]');
    });
    await new Promise<void>((done) => inside.listen(0, '127.0.0.1', done));
    onTestFinished(() => void inside.close());
    const there = `https://127.0.0.1:${(inside.address() as AddressInfo).port}`;
    const { register } = await startPinboard();
    const answer = await register({ sector_identifier_uri: `${there}/sector`, jwks_uri: `${there}/jwks` });
    expect(answer.status).toBe(400);
    expect(asked).toEqual([]);
  });

  it('are limited in size', async () => {
    const { register } = await startPinboard();
    expect((await register({ client_name: 'x'.repeat(5_000) })).status).toBe(400);
    const redirect_uris = Array.from({ length: 200 }, (_, n) => `${REDIRECT}/${n}`);
    expect((await register({ redirect_uris })).status).toBe(400);
    expect((await register({ client_name: 'x'.repeat(100_000) })).status).toBe(400);
    expect((await register()).status).toBe(201);
  });

  it('have their name shown as text', async () => {
    const { register, authorizeUrl, origin } = await startPinboard();
    const client_name = '<img src=x onerror=alert(1)>"\'&';
    const { client_id } = (await (await register({ client_name })).json()) as { client_id: string };
    const browser = openBrowser();
    const pages: string[] = [];
    let url = new URL(authorizeUrl({ client_id }));
    // Up to the consent page.
    for (const answers of [null, { name: 'Ada' }]) {
      let answer = answers
        ? await browser.request(url, {
            method: 'POST',
            body: new URLSearchParams({
              ...answers,
              seal: /name="seal" value="([^"]+)"/.exec(pages[0] ?? '')?.[1] ?? '',
            }),
          })
        : await browser.request(url);
      for (let next = answer.headers.get('location'); next !== null; next = answer.headers.get('location')) {
        url = new URL(next, origin);
        answer = await browser.request(url);
      }
      pages.push(await answer.text());
    }
    expect(pages[1]).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;');
    expect(pages[1]).not.toContain('<img');
  });
});
