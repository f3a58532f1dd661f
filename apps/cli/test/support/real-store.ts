import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ownProgram } from '@svc/testkit';

const ADMIN_TOKEN = 'automation-0123456789';

/** A store with its own process, port and data folder. */
export type RealStore = {
  url: string;
  /** Calls the API as the administrator, and expects it to work. */
  admin(route: string, body: unknown): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
};

/** Reads the port from the log of a store. Rejects with the whole output when the store exits first. */
function portOf(child: ReturnType<typeof spawn>): Promise<number> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    child.once('exit', () => reject(new Error(`The store did not start:\n${lines.join('\n')}`)));
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const port = /"port":(\d+)/.exec(line)?.[1];
        if (port !== undefined) resolve(Number(port));
      });
    }
  });
}

/** Starts the store as `npm start` does. It runs as a process, because no app may import another app. */
export async function startRealStore(): Promise<RealStore> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-cli-store-'));
  const child = spawn(process.execPath, [ownProgram('store')], {
    cwd: folder,
    env: { PORT: '0', SVC_DATA_DIR: folder, SVC_ADMIN_TOKEN: ADMIN_TOKEN, SVC_BASE_URL: 'http://store.test' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = `http://127.0.0.1:${await portOf(child)}`;
  return {
    url,
    async admin(route, body) {
      const headers = { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' };
      const response = await fetch(url + route, { method: 'POST', headers, body: JSON.stringify(body) });
      const answer = (await response.json()) as Record<string, unknown>;
      if (!response.ok) throw new Error(`${route}: ${JSON.stringify(answer)}`);
      return answer;
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
