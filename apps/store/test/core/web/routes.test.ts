import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestStore } from '../../support/test-store.ts';

async function builtPages(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-web-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'assets'));
  for (const page of ['check', 'account', 'moderation', 'admin']) {
    await writeFile(join(folder, `${page}.html`), '<!doctype html>');
  }
  await writeFile(join(folder, 'assets', 'check-1.js'), 'let a;');
  return folder;
}

describe('the built pages', () => {
  it('have a policy that allows no other scripts and no requests', async () => {
    const store = await openTestStore({ webDir: await builtPages() });
    const response = await store.call('GET', '/check');
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).not.toMatch(/unsafe|connect-src|data:|\*/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('of moderators send requests only to the store, and open bundles in a worker without requests', async () => {
    const store = await openTestStore({ webDir: await builtPages() });
    const session = await store.signedIn('anna', { role: 'moderator' });
    const response = await store.call('GET', '/moderation/apps/com.example.notes/versions/1.0.0', {
      session,
    });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("connect-src 'self'; worker-src 'self'; form-action 'self'");
    expect(policy).not.toMatch(/unsafe|data:|blob:|\*/);
    expect((await store.call('GET', '/admin', { session })).status).toBe(403);
    // A worker gets its policy from the response of its script.
    const script = await store.call('GET', '/assets/check-1.js');
    expect(script.headers.get('content-security-policy')).not.toContain('connect-src');
  });

  it('have immutable scripts under /assets, and no other files there', async () => {
    const store = await openTestStore({ webDir: await builtPages() });
    const script = await store.call('GET', '/assets/check-1.js');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect(script.headers.get('content-type')).toMatch(/^text\/javascript/);
    for (const name of ['check.html', '..%2fcheck.html', '%2e%2e%2fcheck.html', 'nothing.js']) {
      expect((await store.call('GET', `/assets/${name}`)).status).toBe(404);
    }
  });

  it('are compressed for clients that accept it, with a different ETag for each encoding', async () => {
    const store = await openTestStore({ webDir: await builtPages() });
    const ask = (coding: string) =>
      store.call('GET', '/assets/check-1.js', { headers: { 'accept-encoding': coding } });
    const [plain, small] = [await ask('identity'), await ask('br')];
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(small.headers.get('content-encoding')).toBe('br');
    expect(brotliDecompressSync(await small.arrayBuffer()).toString()).toBe(await plain.text());
    expect(small.headers.get('etag')).not.toBe(plain.headers.get('etag'));
  });

  it('answer 404 with an explanation if they were not built', async () => {
    const store = await openTestStore();
    const response = await store.call('GET', '/check');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('not built'),
    });
  });
});
