import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { onTestFinished } from 'vitest';
import { runIn } from './run-in.ts';

/**
 * Starts PgBouncer with its defaults before a database.
 * @param mode its `pool_mode`
 * @returns the URL of the database through it
 */
export async function throughPgBouncer(url: string, mode: 'session' | 'transaction'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pgbouncer-'));
  await chmod(folder, 0o755);
  const { hostname, port, username, password } = new URL(url);
  const own = await freePort();
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${username}" "${password}"\n`, { mode: 0o644 });
  const ini = join(folder, 'pgbouncer.ini');
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    // Fewer than the connections of the store, which only the mode `transaction` can share.
    ...(mode === 'transaction' ? ['default_pool_size = 3'] : []),
  ];
  await writeFile(ini, settings.join('\n'), { mode: 0o644 });
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', ['-q', ...asUser, ini], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  const through = new URL(url);
  through.port = String(own);
  await eventually(() => runIn(through.href, 'select 1'));
  return through.href;
}
