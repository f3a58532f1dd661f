import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSigningKey } from '@svc/signing';
import { freePort } from '@svc/testkit';
import { onTestFinished } from 'vitest';
import { folderTarget, type MirrorTarget } from '../../src/composition/commands/mirror/mirror-target.ts';
import { createStoreAnswers } from '../../src/composition/commands/mirror/read-store.ts';
import { createMirrorWriter } from '../../src/composition/commands/mirror/write-mirror.ts';
import { listen } from '../../src/composition/serve.ts';
import { tempFolder } from './backup.ts';
import { bodyOf, openTestStore } from './test-store.ts';

export const APP = 'com.example.notes';

/** A store with an app that listens until it is stopped, a mirror of it, and what writes the mirror. */
export async function mirrored(change: (target: MirrorTarget) => MirrorTarget = (target) => target) {
  const port = await freePort();
  const store = await openTestStore({ environment: { SVC_BASE_URL: `http://127.0.0.1:${port}` } });
  const server = await listen(
    { app: store.app, answerFromMemory: () => false, isHttps: false },
    port,
    '127.0.0.1',
  );
  let isOn = true;
  const stop = async () => {
    if (isOn) await server.close();
    isOn = false;
  };
  onTestFinished(stop);
  const token = await store.publisherToken('example', true);
  for (const [id, name] of [
    [APP, 'Notes'],
    ['com.example.mail', 'Mail'],
  ] as const) {
    await store.publish(token, { id, name });
    await store.decide('approve', '1.0.0', {}, id);
  }
  const folder = await tempFolder();
  const { keys } = await bodyOf(store.call('GET', '/api/apps/public-keys'));
  const pem = await readFile(join(store.folder, 'keys', 'signing-key.pem'), 'utf8');
  const from = `http://127.0.0.1:${port}`;
  const asked: string[] = [];
  const writer = createMirrorWriter({
    answers: createStoreAnswers({
      // The store goes on without a network.
      fetch: async (input, init) => {
        asked.push(`${init?.method ?? 'GET'} ${String(input).slice(from.length)}`);
        return store.app.fetch(new Request(input as string, init));
      },
      from,
      sleep: async () => undefined,
    }),
    target: change(folderTarget(folder)),
    store: from,
    keys: { signingKey: readSigningKey(pem), keyChain: keys },
    now: () => store.clock().getTime(),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  return { store, token, folder, writer, asked, stop, from };
}
