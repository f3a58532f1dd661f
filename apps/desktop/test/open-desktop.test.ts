import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { accessibleIn, makeAccessible, withoutUmask } from '@svc/testkit/private-tree';
import { describe, expect, it } from 'vitest';
import { type Asked, ask } from './support/ask.ts';
import { tempFolder } from './support/temp-folder.ts';
import { openPage, openTestDesktop } from './support/test-desktop.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Writes a built page, and a file outside its folder that must not be served. */
async function writePage(): Promise<string> {
  const folder = await tempFolder();
  await mkdir(path.join(folder, 'page', 'assets'), { recursive: true });
  await writeFile(path.join(folder, 'page', 'index.html'), '<!doctype html><title>Desktop</title>');
  await writeFile(path.join(folder, 'page', 'assets', 'main.js'), 'export {};');
  await writeFile(path.join(folder, 'secret.html'), 'outside');
  return path.join(folder, 'page');
}

describe('access to the desktop', () => {
  it('works with the right key after many wrong keys from another program', async () => {
    const { opened, port } = await openTestDesktop();
    const [, key = ''] = opened.newLink().split('#key=');
    const open = async (given: string) => {
      const body = JSON.stringify({ key: given });
      return (await ask(port, { method: 'POST', path: '/api/session.open', headers: JSON_TYPE, body }))
        .status;
    };
    const answers: number[] = [];
    for (let index = 0; index < 60; index += 1) answers.push(await open(key.slice(0, 40) + 100 + index));
    expect(new Set(answers)).toEqual(new Set([401, 429]));
    expect(await open(key)).toBe(200);
  });

  it('needs a bearer token, which a link returns only once', async () => {
    const desktop = await openTestDesktop();
    const { opened, port } = desktop;
    const [, key = ''] = opened.newLink().split('#key=');
    const open = () =>
      ask(port, {
        method: 'POST',
        path: '/api/session.open',
        headers: JSON_TYPE,
        body: JSON.stringify({ key }),
      });
    const first = await open();
    expect(first.status).toBe(200);
    expect(first.headers['set-cookie']).toBeUndefined();
    expect((await open()).status).toBe(401);

    const page = await openPage(desktop);
    expect((await page.call('client.show', {})).body).toMatchObject({ name: 'svc desktop', cards: [] });
    const wanted: Asked[] = [
      { method: 'POST', path: '/api/client.show', headers: JSON_TYPE, body: '{}' },
      { path: '/events' },
      { method: 'POST', path: '/uploads?name=a', body: 'a' },
      { path: '/files/1' },
      { path: '/icons/com.example.notes' },
      { path: '/marks/com.example.notes' },
      { path: '/store-picture' },
      { path: `/pictures/${'a'.repeat(64)}/icon.png` },
    ];
    const old = `Bearer ${'A'.repeat(43)}`;
    for (const one of wanted) {
      expect((await ask(port, one)).status).toBe(401);
      expect((await ask(port, { ...one, headers: { ...one.headers, authorization: old } })).status).toBe(401);
      // A bearer token in a cookie or a URL is ignored.
      const cookie = { ...one.headers, cookie: `bearer=${page.bearer}` };
      expect((await ask(port, { ...one, headers: cookie })).status).toBe(401);
      expect((await ask(port, { ...one, path: `${one.path}?bearer=${page.bearer}` })).status).toBe(401);
    }
    // Links are created over the socket alone.
    const auth = { ...JSON_TYPE, authorization: `Bearer ${page.bearer}` };
    expect(
      (await ask(port, { method: 'POST', path: '/control/link', headers: auth, body: '{}' })).status,
    ).toBe(404);
  });

  it('is refused to a page of another site, even with a bearer token', async () => {
    const desktop = await openTestDesktop();
    const { bearer } = await openPage(desktop);
    const authorization = `Bearer ${bearer}`;
    const post = (headers: Record<string, string>, body = '{}') =>
      ask(desktop.port, {
        method: 'POST',
        path: '/api/client.show',
        headers: { authorization, ...headers },
        body,
      });
    expect((await post(JSON_TYPE)).status).toBe(200);
    expect((await post({ ...JSON_TYPE, origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ ...JSON_TYPE, host: `evil.example:${desktop.port}` })).status).toBe(421);
    expect((await post({ ...JSON_TYPE, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      expect((await post({ 'content-type': type })).status).toBe(415);
  });

  it('ends for earlier sessions when the desktop is restarted', async () => {
    const folder = await tempFolder();
    const first = await openTestDesktop({ folder });
    const page = await openPage(first);
    await first.opened.close();
    const second = await openTestDesktop({ folder });
    const headers = { ...JSON_TYPE, authorization: `Bearer ${page.bearer}` };
    const answer = await ask(second.port, { method: 'POST', path: '/api/client.show', headers, body: '{}' });
    expect(answer.status).toBe(401);
  });
});

describe('files of the page', () => {
  it('are served with strict security headers, and files outside their folder are not served', async () => {
    const { port } = await openTestDesktop({ pageFolder: await writePage() });
    const answer = await ask(port, {});
    expect(answer.body.toString()).toContain('Desktop');
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(/frame-src http:\/\/\*\.localhost:\d+;/);
    expect(policy).not.toContain('unsafe');
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect((await ask(port, { path: '/assets/main.js' })).status).toBe(200);
    const ways = [
      '/../secret.html',
      '/%2e%2e/secret.html',
      '/assets/..%2f..%2fsecret.html',
      '/..%5csecret.html',
      '//secret.html',
    ];
    for (const way of ways) {
      const found = await ask(port, { path: way });
      expect([way, found.status, found.body.includes('outside')]).toEqual([way, 404, false]);
    }
  });

  it('are reported as not built when they are missing', async () => {
    const { port } = await openTestDesktop();
    const answer = await ask(port, {});
    expect(answer.status).toBe(503);
    expect(answer.body.toString()).toContain('not built');
  });
});

describe('uploaded files', () => {
  it('get the type of their content, and belong to the session that uploaded them', async () => {
    const desktop = await openTestDesktop();
    const [page, other] = [await openPage(desktop), await openPage(desktop)];
    const upload = await page.upload('../../etc/notes.png', Buffer.from('just words'));
    expect(upload.json()).toMatchObject({ name: 'notes.png', type: 'text/plain', bytes: 10 });
    const { id } = upload.json() as { id: string };
    const picked = (by: typeof page) => by.call('panels.picked', { pickId: 'none', uploads: [id] });
    expect((await picked(page)).body.code).toBe('not_found');
    expect((await picked(other)).body.code).toBe('unknown-file');
  });

  it('are limited in size, with and without Content-Length', async () => {
    const desktop = await openTestDesktop();
    const page = await openPage(desktop);
    const tooMuch = 80 * 1024 * 1024 + 1;
    const said = await page.upload('a', Buffer.alloc(0), { 'content-length': String(tooMuch) });
    expect(said.status).toBe(413);
    const answer = await page.upload('a', Buffer.alloc(tooMuch), { 'transfer-encoding': 'chunked' });
    expect(answer.status).toBe(413);
    expect(answer.json()).toMatchObject({ code: 'too-large' });
  });

  it('are not found by an id that is a path', async () => {
    const desktop = await openTestDesktop();
    const page = await openPage(desktop);
    for (const id of [
      '../vault.key',
      '..%2fvault.key',
      '%2e%2e/vault.key',
      'desktop.json',
      '%00',
      '__proto__',
    ]) {
      expect((await page.get(`/files/${id}`)).status).toBe(422);
      expect((await page.get(`/icons/${id}`)).status).toBe(404);
      expect((await page.get(`/marks/${id}`)).status).toBe(404);
      expect((await page.get(`/pictures/${id}/${id}`)).status).toBe(404);
      expect((await page.get(`/pictures/${'a'.repeat(64)}/${id}`)).status).toBe(404);
    }
    expect((await page.get('/files/%E0%A4')).status).toBe(400);
  });
});

describe('without a network', () => {
  it('calls to the store are refused as unreachable, and all others work', async () => {
    const desktop = await openTestDesktop();
    const page = await openPage(desktop);
    expect(await page.call('store.search', {})).toMatchObject({
      status: 422,
      body: { code: 'store-unreachable' },
    });
    expect((await page.call('store.prepare', { appId: 'com.example.notes' })).body.code).toBe(
      'store-unreachable',
    );
    expect((await page.call('apps.list', { project: 'project-1' })).body).toEqual({ apps: [] });
    const { body } = await page.call('projects.add', { name: 'Two', folder: await tempFolder() });
    expect(body.project.name).toBe('Two');
    expect((await page.call('client.show', {})).body.projects).toHaveLength(2);
  });
});

describe('a call of a page', () => {
  it('is refused when its name, input or method is invalid', async () => {
    const desktop = await openTestDesktop();
    const page = await openPage(desktop);
    const call = page.call as (name: string, input: unknown) => Promise<{ status: number; body: object }>;
    expect(await call('__proto__', {})).toMatchObject({ status: 404 });
    expect(await call('apps.list', {})).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(await call('apps.list', { project: 'project-1', more: 1 })).toMatchObject({ status: 400 });
    expect(await call('apps.list', { project: 'a\nb' })).toMatchObject({ status: 400 });
    expect(await call('store.app', { appId: '../admin' })).toMatchObject({ status: 422 });
    const strange = await call('store.search', { sort: 'secret-word' });
    expect(JSON.stringify(strange)).not.toContain('secret-word');
    const headers = { ...JSON_TYPE, authorization: `Bearer ${page.bearer}` };
    const broken = await ask(desktop.port, { method: 'POST', path: '/api/client.show', headers, body: '{' });
    expect(broken.status).toBe(400);
    expect((await ask(desktop.port, { path: '/api/client.show', headers })).status).toBe(405);
  });
});

it('keeps its files private with a umask of 0, also in a folder that was open to all', async ({ skip }) => {
  skip(process.platform === 'win32', 'needs the modes of files');
  await withoutUmask(async () => {
    const { folder, opened } = await openTestDesktop({ folder: path.join(await tempFolder(), 'made') });
    expect(accessibleIn(folder)).toEqual([]);
    await opened.close();
    makeAccessible(folder);
    await openTestDesktop({ folder });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of ['library.sqlite', 'activity.sqlite', 'desktop.json', 'chats.sqlite'])
      expect(accessibleIn(path.join(folder, name))).toEqual([]);
  });
});
