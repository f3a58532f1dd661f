import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Automation, automationOf, packedSample } from '@svc/testkit';

export const ROOT = join(import.meta.dirname, '..', '..', '..');
export const ADMIN_TOKEN = 'benchmark-0123456789';

/** Runs work with a temporary folder. */
export async function inTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolves with the first match of a pattern in the output of a process. */
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

/** A running HTTP server. */
export type Running = { url: string; pid: number };

/** Runs work with an HTTP server that prints its port. */
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
 * The store on a data folder, which logs only its port.
 * @param program default: its sources
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

/** The automation of such a store. */
export const automationAt = (url: string): Automation => automationOf(url, ADMIN_TOKEN);

/** The publisher of the apps of a figure. */
export const PUBLISHER = { slug: 'example', name: 'Example', verified: true };

const agent = new Agent({ keepAlive: true });

/** An upload by automation that must succeed. Uses node:http, which has less overhead than fetch. */
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
      // While bundles were built, the store closed the idle connection of this request.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') upload(url, bytes).then(resolve, reject);
      else reject(error);
    });
    outgoing.end(bytes);
  });
}

/** Publishes small apps of one verified publisher: `com.example.app-0`, `com.example.app-1`, … */
export async function publishApps(url: string, count: number): Promise<void> {
  const automation = automationAt(url);
  await automation.addPublisher(PUBLISHER);
  for (let n = 0; n < count; n += 1) {
    const appId = `com.example.app-${n}`;
    await upload(url, packedSample({ id: appId, name: `App ${n}` }));
    await automation.approve({ appId, version: '1.0.0' });
  }
}

/** A quantile of the values. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => percentile(values, 0.5);
