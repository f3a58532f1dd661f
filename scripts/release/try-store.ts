import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runProgram } from './run-program.ts';
import { cleanEnv, type Installed } from './try-package.ts';

/** What a store must serve for its package to be whole: the API, the pages, the documents. */
const ADDRESSES = [
  '/healthz',
  '/readyz',
  '/',
  '/check',
  '/docs/publishing',
  '/api/openapi.json',
  '/sign-in',
  '/cli',
  '/cli.tgz',
];

async function fetchAll(port: number): Promise<void> {
  for (const address of ADDRESSES) {
    const { ok, status } = await fetch(`http://127.0.0.1:${port}${address}`);
    if (!ok) throw new Error(`The installed store answers ${address} with ${status}.`);
  }
}

/** Starts the installed store, looks at what it serves, backs it up and stops it. */
export async function tryStore({ folder, home }: Installed, node: string): Promise<void> {
  const program = join(folder, 'node_modules/@svc/store/bin/svc-store.js');
  const env = { ...cleanEnv(home), PORT: '0', SVC_DATA_DIR: join(home, 'store') };
  const child = spawn(node, [program], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { port } = JSON.parse(line) as { port?: number };
      if (port === undefined) continue;
      await fetchAll(port);
      runProgram(node, [program, 'backup', join(home, 'backup')], { cwd: folder, env });
      child.kill('SIGTERM');
    }
  } finally {
    if (child.exitCode === null) child.kill('SIGTERM');
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`The installed store ended with ${code}.`);
}
