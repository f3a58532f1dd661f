import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Operations of the other process: those that change installed apps or connected accounts. */
export type Work = 'install' | 'refresh' | 'remove';

/** Another process of a client, which is killed at a given step. */
const PROGRAM = `
  import { randomBytes } from 'node:crypto';
  import { setTimeout as wait } from 'node:timers/promises';
  const { folder, store, port, ca, appId, work, killAt, source, steps: counter } = JSON.parse(process.argv[1]);
  const { killAtStep } = await import(counter);
  const steps = killAtStep(killAt);
  const { openRuntime } = await import(source);
  const sleep = (ms, signal) => wait(ms === 1000 ? 5 : ms, undefined, signal && { signal });
  const runtime = await openRuntime({
    folder, store, fetchStore: fetch, system: { now: Date.now, randomBytes, sleep },
    client: { platform: 'linux', arch: 'x64', builtInApps: [], name: 'Another', version: '1', origin: 'http://127.0.0.1:1' },
    keys: [{ kind: 'key-file', file: folder + '/key' }], identity: { name: 'Another' },
    ask: async () => ({ accepted: false }), openBrowser: async () => {}, onFault: () => {},
    connecting: { lookUp: async () => [{ address: '127.0.0.1', family: 4 }], isPublic: () => true, port, ca },
  });
  steps.begin();
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
  const taken = steps.end();
  await runtime.close();
  process.stdout.write('steps ' + taken + '\\n');
`;

const SOURCE = new URL('../../src/open-runtime.ts', import.meta.url).href;
const STEPS = new URL('./kill-at-step.ts', import.meta.url).href;

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
  const input = {
    folder,
    store,
    port: site.port,
    ca: site.ca,
    appId,
    work,
    killAt,
    source: SOURCE,
    steps: STEPS,
  };
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
