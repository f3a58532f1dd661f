import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Operations of the other process: those that change installed apps or connected accounts. */
export type Work = 'install' | 'refresh' | 'remove';

/** Another process of a client, which is killed at a given step. There is a step before and after each file operation and each commit. */
const PROGRAM = `
  import fs from 'node:fs';
  import promises from 'node:fs/promises';
  import { randomBytes } from 'node:crypto';
  import { syncBuiltinESMExports } from 'node:module';
  import { DatabaseSync } from 'node:sqlite';
  import { setTimeout as wait } from 'node:timers/promises';
  const { folder, store, port, ca, appId, work, killAt, source } = JSON.parse(process.argv[1]);
  let step = 0, counting = false;
  const tick = () => {
    if (counting && ++step === killAt) process.kill(process.pid, 'SIGKILL');
  };
  for (const name of ['rename', 'link', 'rm', 'mkdir']) {
    const own = promises[name];
    promises[name] = async (...args) => {
      tick();
      const result = await own.apply(promises, args);
      tick();
      return result;
    };
  }
  for (const name of ['openSync', 'renameSync', 'rmSync']) {
    const own = fs[name];
    fs[name] = (...args) => {
      // A folder is opened in order to flush it: nothing has changed before.
      if (name !== 'openSync') tick();
      const result = own.apply(fs, args);
      tick();
      return result;
    };
  }
  const exec = DatabaseSync.prototype.exec;
  DatabaseSync.prototype.exec = function (sql) {
    if (/^commit/.test(sql)) tick();
    const result = exec.call(this, sql);
    if (/^commit/.test(sql)) tick();
    return result;
  };
  syncBuiltinESMExports();
  const { openRuntime } = await import(source);
  const sleep = (ms, signal) => wait(ms === 1000 ? 5 : ms, undefined, signal && { signal });
  const runtime = await openRuntime({
    folder, store, fetchStore: fetch, system: { now: Date.now, randomBytes, sleep },
    client: { platform: 'linux', arch: 'x64', builtInApps: [], name: 'Another', version: '1', origin: 'http://127.0.0.1:1' },
    keys: [{ kind: 'key-file', file: folder + '/key' }], identity: { name: 'Another' },
    ask: async () => ({ accepted: false }), openBrowser: async () => {}, onFault: () => {},
    connecting: { lookUp: async () => [{ address: '127.0.0.1', family: 4 }], isPublic: () => true, port, ca },
  });
  counting = true;
  process.stdout.write('begun\\n');
  const works = {
    refresh: () => runtime.call(appId, { tool: 'say', arguments: {}, project: 'p', chat: 'c' }).catch(() => {}),
    remove: () => runtime.remove(appId),
    async install() {
      const sheet = await runtime.installer.prepareInstall(appId);
      await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
      await runtime.accounts.settle();
    },
  };
  await works[work]();
  counting = false;
  await runtime.close();
  process.stdout.write('steps ' + step + '\\n');
`;

const SOURCE = new URL('../../src/open-runtime.ts', import.meta.url).href;

export type KilledClient = {
  folder: string;
  store: string;
  site: { port: number; ca: string };
  appId: string;
  work: Work;
  /** The step at which the process is killed; without it the process prints its number of steps. */
  killAt?: number;
};

/** Starts another process in the folder of a client. */
export function startKilledClient({ folder, store, site, appId, work, killAt = 0 }: KilledClient) {
  const input = { folder, store, port: site.port, ca: site.ca, appId, work, killAt, source: SOURCE };
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  return {
    exited,
    kill: () => child.kill('SIGKILL'),
    /** The number of steps of the process; null when it was killed. */
    async ended(): Promise<number | null> {
      const said = await text(child.stdout);
      await exited;
      const steps = /^steps (\d+)$/m.exec(said)?.[1];
      return steps === undefined ? null : Number(steps);
    },
  };
}
