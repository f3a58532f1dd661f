import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { databaseOf, onPostgres } from '../apps/store/test/support/database.ts';
import { portOf, start } from '../apps/store/test/support/program.ts';

it(
  'the relay loses no authorization code when its process is killed between the callback and the read',
  onPostgres() ? {} : DEEP,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-relay-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const settings = { PORT: '0', SVC_DATA_DIR: folder, ...(await databaseOf(folder)) };
    const states = Array.from({ length: 20 }, () => randomBytes(16).toString('base64url'));

    const first = start(settings);
    const origin = `http://127.0.0.1:${await portOf(first)}`;
    await Promise.all(
      states.map(async (state, n) => {
        const page = await fetch(`${origin}/apps/oauth/callback?state=${state}&code=code-${n}`);
        expect(page.status).toBe(200);
      }),
    );
    first.child.kill('SIGKILL');
    await first.exit;

    const next = `http://127.0.0.1:${await portOf(start(settings))}`;
    const read = async (state: string) =>
      (await fetch(`${next}/api/apps/oauth/result?state=${state}`)).json() as Promise<object>;
    expect(await Promise.all(states.map(read))).toEqual(states.map((_, n) => ({ code: `code-${n}` })));
    expect(await read(states[0] ?? '')).toEqual({ pending: true });
  },
);
