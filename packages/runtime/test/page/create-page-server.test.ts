import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path, { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { attack } from '@svc/testkit/hostile-requests';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Card } from '../../src/cards/card.ts';
import { connectPage } from '../../src/page/client/connect-page.ts';
import {
  createPageServer,
  PAGE_MODULES,
  type PageServerOptions,
  pageModule,
} from '../../src/page/create-page-server.ts';
import type { OpenPanel } from '../../src/panels/open-panel.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { tempFolder } from '../support/temp-folder.ts';

const CARD = { kind: 'connect', binding: 'b1' } as Card;
const FRAME = {
  address: 'http://frame.localhost:1/',
  origin: 'http://frame.localhost:1',
  sandbox: '',
  title: 'Notes',
};

/** A page server on this machine, with a folder of two files. */
async function opened(options: PageServerOptions = {}) {
  const folder = await tempFolder();
  await writeFile(path.join(folder, 'index.html'), '<!doctype html>');
  await writeFile(path.join(folder, '.secret'), 'no');
  await mkdir(path.join(folder, 'deep'));
  await writeFile(path.join(folder, 'deep', 'file.txt'), 'no');
  const faults: unknown[] = [];
  const server = createPageServer({ onFault: (error) => faults.push(error), ...options });
  const { origin } = await server.listen(pathToFileURL(`${folder}/`));
  onTestFinished(() => server.close());
  const call = (body: unknown, key = server.key) =>
    fetch(`${origin}/svc/calls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const connect = async (ask: Parameters<typeof connectPage>[0]['ask'] = () => new Promise(() => {})) => {
    const page = await connectPage({ key: server.key, path: `${origin}/svc`, ask });
    onTestFinished(() => page.close());
    return page;
  };
  return { server, origin, call, connect, faults };
}

/** A runtime with one panel that the test controls. */
function fakeRuntime() {
  let to: Parameters<OpenPanel['listen']>[0] | null = null;
  const heard: unknown[] = [];
  const closed: string[] = [];
  const panel = {
    appId: 'com.example.notes',
    panelId: 'notes',
    frame: FRAME,
    document: () => ({ html: '', csp: { connectDomains: [], resourceDomains: [] } }),
    receive: (text: unknown) => heard.push(text),
    listen(listener: Parameters<OpenPanel['listen']>[0]) {
      to = listener;
    },
    change: (changes: unknown) => heard.push(changes),
    accountsChanged() {},
    toolCalled() {},
    async close(reason: string) {
      closed.push(reason);
      to?.closed(reason as 'gone');
    },
  };
  const runtime = { openPanel: async () => panel as OpenPanel, panelSource: 'http://*.localhost:1' };
  return { runtime, heard, closed, say: (text: string) => to?.message(text) };
}

const WISH = {
  appId: 'com.example.notes',
  panelId: 'notes',
  project: 'p',
  theme: 'dark',
  locale: 'en',
} as const;

const TARGETS = [
  ['POST', '/svc/calls'],
  ['GET', '/svc/events'],
  ['GET', '/svc/:module'],
  ['GET', '/:file'],
  ['GET', '/'],
] as const;

describe('a page server', () => {
  it('answers every complete request on a raw socket, survives the others, and knows no fault', async () => {
    const { server, origin, call, faults } = await opened();
    const { hangs, statuses } = await attack({
      port: Number(new URL(origin).port),
      host: 'localhost',
      targets: TARGETS.map(([method, path]) => ({ method, path, type: 'application/json' })),
      count: 300,
      credentials: ['', `authorization: Bearer ${server.key}`, 'authorization: Bearer x'],
    });
    expect(hangs).toEqual([]);
    for (const status of [200, 400, 401, 404]) expect([...statuses.keys()]).toContain(status);
    expect(faults).toEqual([]);
    expect((await call({ session: 'x', method: 'svc.answer' })).status).toBe(409);
  });

  it('shows a card on every page, uses the first answer, and closes the card on the other pages', async () => {
    const { server, connect } = await opened();
    const dropped = Promise.withResolvers<void>();
    await connect((card, signal) => {
      expect(card).toEqual(CARD);
      signal.addEventListener('abort', () => dropped.resolve());
      return new Promise(() => {});
    });
    await connect(async (card) => ({ accepted: true, binding: card.binding }));
    const answer = await server.ask(CARD, new AbortController().signal);
    expect(answer).toEqual({ accepted: true, binding: 'b1' });
    await dropped.promise;
  });

  it('shows open cards on a page that connects later', async () => {
    const { server, connect } = await opened();
    const asked = server.ask(CARD, new AbortController().signal);
    await connect(async () => ({ accepted: false }));
    expect(await asked).toEqual({ accepted: false });
  });

  it('closes a card when its call is aborted', async () => {
    const { server, connect } = await opened();
    const shown = Promise.withResolvers<AbortSignal>();
    await connect((_card, signal) => {
      shown.resolve(signal);
      return new Promise(() => {});
    });
    const call = new AbortController();
    const asked = server.ask(CARD, call.signal);
    const signal = await shown.promise;
    call.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect.poll(() => signal.aborted).toBe(true);
    await expect(server.ask(CARD, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  });

  it('transfers messages of a panel both ways, in order, and closes the panel with its page', async () => {
    const { server, connect } = await opened();
    const { runtime, heard, closed, say } = fakeRuntime();
    server.attach(runtime);
    const page = await connect();
    const { frame, connection } = await page.openPanel(WISH);
    expect(frame).toEqual(FRAME);
    say('before it listens');
    const texts: string[] = [];
    const ended: string[] = [];
    connection.listen({ message: (text) => texts.push(text), closed: (reason) => ended.push(reason) });
    say('after');
    await expect.poll(() => texts).toEqual(['before it listens', 'after']);
    const sent = Array.from({ length: 50 }, (_, i) => `message ${i}`);
    for (const text of sent) connection.send(text);
    await expect.poll(() => heard).toEqual(sent);
    page.close();
    await expect.poll(() => closed).toEqual(['gone']);
    await expect.poll(() => ended).toEqual(['gone']);
  });

  it('refuses messages of a page to the panel of another page', async () => {
    const { server, connect } = await opened();
    const { runtime, heard } = fakeRuntime();
    server.attach(runtime);
    const [mine, other] = [await connect(), await connect()];
    const { id } = await mine.openPanel(WISH);
    const attempt = other.call('svc.panels.send', { panel: id, text: 'x' });
    await expect(attempt).rejects.toMatchObject({ code: 'unknown-panel' });
    expect(heard).toEqual([]);
    await expect(mine.openPanel({ ...WISH, locale: 'x'.repeat(99) })).rejects.toMatchObject({
      code: 'invalid-arguments',
    });
  });

  it('refuses requests without its key, and does not reveal the key', async () => {
    const { server, origin, call, connect } = await opened({ calls: { hello: () => 'hello' } });
    await connect();
    for (const key of ['', 'x', `${server.key}x`, server.key.slice(1)]) {
      expect((await call({ session: '', method: 'hello' }, key)).status).toBe(401);
      const stream = await fetch(`${origin}/svc/events`, { headers: { authorization: `Bearer ${key}` } });
      expect([stream.status, await stream.text()]).toEqual([401, expect.not.stringContaining(server.key)]);
    }
    await expect(
      connectPage({ key: 'x', path: `${origin}/svc`, ask: async () => ({ accepted: false }) }),
    ).rejects.toThrow('does not know this page');
  });

  it('accepts only calls that the client declares, and does not reveal internal errors', async () => {
    const calls = {
      add: ({ a, b }: { a: number; b: number }) => a + b,
      no: () => {
        throw new RuntimeError('not-granted');
      },
      fail: () => {
        throw new Error('secret of the program');
      },
    };
    const { connect, faults } = await opened({ calls });
    const page = await connect();
    expect(await page.call('add', { a: 1, b: 2 })).toBe(3);
    await expect(page.call('no')).rejects.toMatchObject({ code: 'not-granted' });
    for (const name of ['constructor', '__proto__', 'toString', 'svc.answers', ''])
      await expect(page.call(name)).rejects.toMatchObject({
        code: name ? 'not-offered' : 'invalid-arguments',
      });
    const failed = await page.call('fail').catch((error: Error) => error);
    expect(String(failed)).not.toContain('secret');
    expect(faults).toMatchObject([{ message: 'secret of the program' }]);
    await expect(page.openPanel(WISH)).rejects.toMatchObject({ code: 'not-offered' });
  });

  it.each([
    ['invalid JSON', '{', 400],
    ['a list', [], 400],
    ['no session', { method: 'svc.answer' }, 400],
    ['an unknown session', { session: 'x', method: 'svc.answer' }, 409],
    ['a body that is too large', 'x'.repeat(9 * 1024 * 1024), 409],
  ])('refuses %s', async (_what, body, status) => {
    const { call, faults } = await opened();
    expect((await call(body)).status).toBe(status);
    expect(faults).toEqual([]);
  });

  it('serves only the files of its folder, with a content security policy', async () => {
    const { origin, server } = await opened();
    server.attach(fakeRuntime().runtime);
    const page = await fetch(`${origin}/`);
    expect(await page.text()).toBe('<!doctype html>');
    expect(page.headers.get('content-security-policy')).toContain(
      "default-src 'self'; frame-src http://*.localhost:1;",
    );
    for (const name of [
      '/nothing',
      '/deep/file.txt',
      '/..%2findex.html',
      '/%2e%2e%2findex.html',
      '/deep',
      '//',
    ])
      expect([name, (await fetch(origin + name)).status]).toEqual([name, 404]);
  });
});

const SRC = join(import.meta.dirname, '../../src');

/** The imports of a module at run time, relative to the sources. */
async function importsOf(name: string): Promise<string[]> {
  const text = (await pageModule(`${name}.ts`)) ?? '';
  const found = Array.from(
    text.matchAll(/^(?:import|export)\s[^'"]*from '(\.[^']+)\.ts'/gm),
    ([, path = '']) => path,
  );
  return found.map((path) => posix.join(posix.dirname(name), path));
}

it('serves the entry of pages and the modules that it imports, and nothing else', async () => {
  const needed = new Set<string>(['page']);
  for (const name of needed) for (const imported of await importsOf(name)) needed.add(imported);
  expect([...needed].sort()).toEqual([...PAGE_MODULES].sort());
  for (const other of ['open-runtime.ts', '../package.json', 'page/../index.ts', '/etc/passwd', '', 'page'])
    expect(await pageModule(other)).toBeNull();
});

it('removes types when the package runs from its TypeScript sources', async () => {
  expect(await readFile(join(SRC, 'page/client/connect-page.ts'), 'utf8')).toContain('import type');
  expect(await pageModule('page/client/connect-page.js')).not.toContain('import type');
});
