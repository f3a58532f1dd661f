import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@svc/testkit';
import { cleanEnv, type Installed } from '../release/install-alone.ts';
import { runProgram } from '../release/run-program.ts';

const ADMIN_TOKEN = 'automation-0123456789';

/** The installed store on a data folder. */
export type StoreProgram = {
  url: string;
  adminToken: string;
  /** Runs a command of `svc-store`. @returns its output */
  command(...words: string[]): string;
  start(): Promise<void>;
  /** Stops it with SIGTERM, as systemd does. @throws when its exit code is not 0 */
  stop(): Promise<void>;
};

/**
 * Prepares the installed store for a data folder.
 * @param more settings in addition to the required ones
 */
export async function storeProgram(
  { folder, home }: Pick<Installed, 'folder' | 'home'>,
  data: string,
  more: Record<string, string> = {},
): Promise<StoreProgram> {
  const program = join(folder, 'node_modules/@svc/store/bin/svc-store.js');
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = {
    ...cleanEnv(home),
    ...{ PORT: String(port), SVC_BASE_URL: url, SVC_DATA_DIR: data },
    ...{ SVC_ADMIN_TOKEN: ADMIN_TOKEN, SVC_LOCAL_APPS: '1', ...more },
  };
  let child: ChildProcess | null = null;
  return {
    url,
    adminToken: ADMIN_TOKEN,
    command: (...words) => runProgram(process.execPath, [program, ...words], { cwd: folder, env }),
    async start() {
      const started = spawn(process.execPath, [program], {
        cwd: folder,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child = started;
      // Do not leave the store running when this process fails.
      process.once('exit', () => void started.kill('SIGKILL'));
      for await (const line of createInterface({ input: started.stdout })) {
        if ((JSON.parse(line) as { port?: number }).port === undefined) continue;
        started.stdout.resume();
        return;
      }
      throw new Error('The installed store exited before it was ready.');
    },
    async stop() {
      if (!child || child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = await ended;
      child = null;
      if (code !== 0) throw new Error(`The installed store exited with ${code}.`);
    },
  };
}
