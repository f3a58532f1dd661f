import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, ownProgram } from '@svc/testkit';

const WEB = join(import.meta.dirname, '../..');

/** Waits for a text in the output of a program. */
function outputOf(output: NodeJS.ReadableStream, wanted: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    output.on('data', (chunk) => {
      text += String(chunk);
      const match = wanted.exec(text)?.[0];
      if (match !== undefined) resolve(match);
    });
    output.on('end', () => reject(new Error(`The store did not open: ${text}`)));
  });
}

/**
 * The folder of the built pages: from `npm test`, or else built now.
 * @param folder where they are built
 */
async function pagesIn(folder: string): Promise<string> {
  if (process.env.SVC_TEST_BUILT !== undefined) return join(WEB, 'dist');
  const webDir = join(folder, 'web');
  const { build } = await import('vite');
  await build({ root: WEB, build: { outDir: webDir }, logLevel: 'warn' });
  return webDir;
}

/**
 * Starts a store in a process of its own, with the current pages, in a folder that `close` removes. Returns the link to its
 * setup page, and the token for automation.
 * @param publicPort port of a proxy in front of the store, which becomes its base URL
 * @param settings further settings of the store
 */
export async function openRealStore({
  publicPort,
  settings,
}: {
  publicPort?: number;
  settings?: NodeJS.ProcessEnv;
} = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-web-'));
  const webDir = await pagesIn(folder);
  // The pages work only under the base URL of the store.
  const port = String(await freePort());
  const adminToken = randomBytes(24).toString('hex');
  const env = {
    ...process.env,
    PORT: port,
    SVC_DATA_DIR: join(folder, 'data'),
    SVC_WEB_DIR: webDir,
    SVC_ADMIN_TOKEN: adminToken,
    ...(publicPort !== undefined && { SVC_BASE_URL: `http://localhost:${publicPort}` }),
    ...settings,
  };
  const child = spawn(process.execPath, [ownProgram('store')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const close = async () => {
    child.kill();
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [setupUrl] = await Promise.all([
      outputOf(child.stderr, /http\S+\/setup\?key=[\w-]+(?=\s)/),
      outputOf(child.stdout, /"port":\d+/),
    ]);
    const url = `http://localhost:${publicPort ?? port}`;
    return { url, port: Number(port), setupUrl, adminToken, dataDir: env.SVC_DATA_DIR, close };
  } catch (error) {
    await close();
    throw error;
  }
}
