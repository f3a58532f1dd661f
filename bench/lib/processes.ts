import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Automation, automationOf, packedSample } from '@svc/testkit';

export const ROOT = join(import.meta.dirname, '..', '..');
const ADMIN_TOKEN = 'benchmark-0123456789';

/** Runs work with a folder that is gone afterwards. */
export async function inTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolves with the first match of a pattern in what a process prints. */
function firstMatch(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer) => {
      text += chunk;
      const found = pattern.exec(text)?.[1];
      if (found === undefined) return;
      child.stdout?.off('data', read).resume();
      resolve(found);
    };
    child.stdout?.on('data', read);
    child.once('exit', (code) => reject(new Error(`exited with ${code} before it was ready: ${text}`)));
  });
}

/** A program that serves HTTP, as long as it runs. */
export type Running = { url: string; pid: number };

/** A program that serves HTTP and prints its port, run for as long as some work takes. */
export async function whileServing<T>(
  args: string[],
  env: Record<string, string>,
  work: (running: Running) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const port = await firstMatch(child, /"port":(\d+)/);
    return await work({ url: `http://127.0.0.1:${port}`, pid: child.pid as number });
  } finally {
    child.removeAllListeners('exit');
    child.kill('SIGKILL');
  }
}

/**
 * The store over a data folder, quiet but for the line that names its port.
 * @param program its sources, unless another is given
 */
export const whileStoreRuns = <T>(
  folder: string,
  work: (running: Running) => Promise<T>,
  env: Record<string, string> = {},
  program = join(ROOT, 'apps/store/src/main.ts'),
): Promise<T> =>
  whileServing(
    [program],
    {
      PORT: '0',
      SVC_DATA_DIR: folder,
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
      SVC_BASE_URL: 'http://localhost',
      ...env,
    },
    work,
  );

/** What fills such a store. */
export const automationAt = (url: string): Automation => automationOf(url, ADMIN_TOKEN);

/** Whose the apps are that are published for a figure. */
export const PUBLISHER = { slug: 'example', name: 'Example', verified: true };

const agent = new Agent({ keepAlive: true });

/** An upload by automation, that must succeed. By node:http, which adds less of its own than fetch does. */
export function upload(url: string, bytes: Uint8Array): Promise<void> {
  const headers = {
    authorization: `Bearer ${ADMIN_TOKEN}`,
    'content-type': 'application/zip',
    'content-length': bytes.byteLength,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/api/apps/publish`, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 201) resolve();
        else reject(new Error(`publish answered ${response.statusCode}`));
      });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // While bundles were made the store ended the idle connection that this request was sent on.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') upload(url, bytes).then(resolve, reject);
      else reject(error);
    });
    outgoing.end(bytes);
  });
}

/** Publishes so many small apps of one verified publisher, named `com.example.app-0` and on. */
export async function publishApps(url: string, count: number): Promise<void> {
  const automation = automationAt(url);
  await automation.addPublisher(PUBLISHER);
  for (let n = 0; n < count; n += 1) {
    const appId = `com.example.app-${n}`;
    await upload(url, packedSample({ id: appId, name: `App ${n}` }));
    await automation.approve({ appId, version: '1.0.0' });
  }
}

/** The value that a share of all values do not exceed. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => percentile(values, 0.5);
