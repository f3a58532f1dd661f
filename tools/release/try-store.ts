import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { automationOf, packedSample } from '@svc/testkit';
import { cleanEnv, type Installed } from './install-alone.ts';
import { runProgram } from './run-program.ts';

/** URLs that a complete package must serve: API, pages, documents. */
const ADDRESSES = [
  '/healthz',
  '/readyz',
  '/',
  '/check',
  '/docs/publishing',
  '/docs?q=yank',
  '/api/openapi.json',
  '/sign-in',
  '/cli',
  '/cli.tgz',
];

/** URLs of an app that use threads and processes: its page with rendered Markdown, and rendered images. */
const OF_APP = [
  '/apps/ID',
  '/apps/ID/preview.png',
  '/api/apps/ID/versions/1.0.0/files/assets/icon.png?raster',
];

const APP = 'com.example.notes';
const ADMIN_TOKEN = 'automation-0123456789';
const BASE_URL = 'http://localhost';

async function fetchFrom(store: string, address: string, init?: RequestInit): Promise<Response> {
  const answer = await fetch(store + address, init);
  if (!answer.ok) throw new Error(`The installed store responds to ${address} with ${answer.status}.`);
  return answer;
}

/** The first match of a pattern in a response. */
async function matchIn(store: string, address: string, pattern: RegExp): Promise<string> {
  const [, match] = pattern.exec(await (await fetchFrom(store, address)).text()) ?? [];
  if (match === undefined) throw new Error(`The installed store responds to ${address} without ${pattern}.`);
  return match;
}

/** Fetches the style sheet of the pages, and a font from it. */
async function fetchFonts(store: string): Promise<void> {
  const styles = await matchIn(store, '/', /href="(\/assets\/site-[^"]+\.css)"/);
  await fetchFrom(store, await matchIn(store, styles, /url\("(\/assets\/[^"]+\.woff2)"\)/));
}

/** Publishes an app, and fetches its page and images. */
async function publish(store: string): Promise<void> {
  const automation = automationOf(store, ADMIN_TOKEN);
  await automation.addPublisher({ slug: 'example', name: 'Example', verified: true });
  const { issues } = await automation.publish(
    packedSample({}, { 'README.md': '# Notes\n\n*Short* ones.\n' }),
  );
  if (issues.length > 0) throw new Error(`The installed store finds ${JSON.stringify(issues)}.`);
  const html = await (await fetchFrom(store, `/apps/${APP}`)).text();
  if (!html.includes('<em>Short</em>')) throw new Error('The installed store does not render a README.');
  for (const address of OF_APP) await fetchFrom(store, address.replace('ID', APP));
}

/** Signs in with a wrong password, which runs the password hash. */
async function signIn(store: string): Promise<void> {
  const page = await fetchFrom(store, '/sign-in');
  const cookie = page.headers.getSetCookie().map((line) => line.split(';')[0]);
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(await page.text()) ?? [];
  const body = new URLSearchParams({ csrf, email: 'ada@example.com', password: 'a wrong password' });
  const headers = { origin: BASE_URL, cookie: cookie.join('; ') };
  const answer = await fetch(`${store}/sign-in`, { method: 'POST', body, headers });
  if (!(await answer.text()).includes('The email address or the password is wrong'))
    throw new Error(`The installed store responds to a wrong password with ${answer.status}.`);
}

/** Starts the installed store, uses it, backs it up and stops it. */
export async function tryStore(
  { folder, home }: Pick<Installed, 'folder' | 'home'>,
  node: string,
): Promise<void> {
  const program = join(folder, 'node_modules/@svc/store/bin/svc-store.js');
  const env = {
    ...cleanEnv(home),
    ...{ PORT: '0', SVC_BASE_URL: BASE_URL, SVC_DATA_DIR: join(home, 'store'), SVC_ADMIN_TOKEN: ADMIN_TOKEN },
  };
  const child = spawn(node, [program], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { port } = JSON.parse(line) as { port?: number };
      if (port === undefined) continue;
      const store = `http://127.0.0.1:${port}`;
      for (const address of ADDRESSES) await fetchFrom(store, address);
      await fetchFonts(store);
      await publish(store);
      await signIn(store);
      runProgram(node, [program, 'backup', join(home, 'backup')], { cwd: folder, env });
      child.kill('SIGTERM');
    }
  } finally {
    if (child.exitCode === null) child.kill('SIGTERM');
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`The installed store exited with ${code}.`);
}
