import { serveHere } from '@svc/testkit/http-server';
import { expect, it } from 'vitest';
import { openClient } from '../packages/runtime/test/support/runtime-world.ts';
import { APP, startStore } from './support/notes-app.ts';

type Recorded = { status: number; headers: Record<string, string>; body: Uint8Array };

/** A mirror of a store that can replay what the store answered first: each answer was signed honestly. */
async function startMirror(store: string) {
  const first = new Map<string, Recorded>();
  const state = { replays: false };
  const url = await serveHere(() => async (request, response) => {
    const path = request.url ?? '';
    // A client asks for the head with the size of the log that it knows.
    const name = path.split('?')[0] ?? '';
    const kept = first.get(name);
    const answer = state.replays && kept ? kept : await forward(path);
    if (!kept) first.set(name, answer);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  async function forward(path: string): Promise<Recorded> {
    const answer = await fetch(store + path);
    const {
      'content-encoding': _encoding,
      'content-length': _length,
      ...headers
    } = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, body: new Uint8Array(await answer.arrayBuffer()) };
  }
  return { url, state };
}

it('a mirror that replays old answers cannot hold an update back from a client that has seen it', async () => {
  const store = await startStore();
  await store.publish({});
  const mirror = await startMirror(store.url);
  const { runtime } = await openClient({ store: mirror.url });
  const install = async () => {
    const sheet = await runtime.installer.prepareInstall(APP);
    return (await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding })).version;
  };
  const { signal } = new AbortController();
  expect(await install()).toBe('1.0.0');
  await store.publish({ version: '1.0.7' });
  expect(await runtime.update(signal)).toMatchObject([{ outcome: 'updated', to: '1.0.7' }]);

  mirror.state.replays = true;
  expect(await runtime.update(signal)).toMatchObject([{ outcome: 'refused', reason: 'rolled-back' }]);
  await expect(runtime.installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'rolled-back' });
  expect(runtime.library.get(APP)?.version).toBe('1.0.7');

  mirror.state.replays = false;
  expect(await runtime.update(signal)).toMatchObject([{ outcome: 'current' }]);
});
