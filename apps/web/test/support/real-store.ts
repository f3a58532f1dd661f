import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

const WEB = join(import.meta.dirname, '../..');
const STORE = join(WEB, '../store/src/main.ts');

/** The port that a store says it listens on. */
function portOf(output: NodeJS.ReadableStream): Promise<number> {
  let text = '';
  return new Promise((resolve, reject) => {
    output.on('data', (chunk) => {
      text += String(chunk);
      const port = /"port":(\d+)/.exec(text)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    output.on('end', () => reject(new Error(`The store did not open: ${text}`)));
  });
}

/** A store in a process of its own with the pages as their sources make them now, in a folder that `close` removes. */
export async function openRealStore() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-web-'));
  const webDir = join(folder, 'web');
  await build({ root: WEB, build: { outDir: webDir } });
  const env = { ...process.env, PORT: '0', SVC_DATA_DIR: join(folder, 'data'), SVC_WEB_DIR: webDir };
  const child = spawn(process.execPath, [STORE], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const close = async () => {
    child.kill();
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { url: `http://localhost:${await portOf(child.stdout)}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}
