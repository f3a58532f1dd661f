import { spawn } from 'node:child_process';
import { bareEnvironment, ownProgram } from '@svc/testkit';
import { expect, onTestFinished } from 'vitest';
import { databaseOf } from './database.ts';
import { ADMIN_TOKEN, type TestStore } from './test-store.ts';

/** The interface of a store that tests with several processes use; a store in the test's own process has it too. */
export type StoreFace = Pick<TestStore, 'call'>;

/**
 * A store in a separate process, ended after the test.
 * @param folder its data folder, which several may share
 * @param environment further settings
 * @returns its interface, and its output so far
 */
export async function startStore(
  folder: string,
  environment: Record<string, string> = {},
): Promise<StoreFace & { said(): string }> {
  const settings = {
    PORT: '0',
    SVC_BASE_URL: 'http://localhost',
    SVC_DATA_DIR: folder,
    SVC_ADMIN_TOKEN: ADMIN_TOKEN,
    ...(await databaseOf(folder)),
    ...environment,
  };
  const child = spawn(process.execPath, [ownProgram('store')], {
    env: { ...bareEnvironment(), ...settings },
  });
  const ended = new Promise((done) => child.once('exit', done));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      said += text;
    });
  }
  await expect.poll(() => said).toContain('"port":');
  const port = /"port":(\d+)/.exec(said)?.[1];
  return {
    said: () => said,
    call: (method, path, { token, json, body, headers } = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        ...(json !== undefined && { body: JSON.stringify(json) }),
      }),
  };
}
