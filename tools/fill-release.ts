// Fills a store of an earlier release, and keeps its data folder, which tests migrate to the newest schema.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sampleBundle } from '@svc/testkit';
import { ANNA, browserAt, signUpAt } from '../apps/store/test/support/browser.ts';
import { BASE_URL } from '../apps/store/test/support/test-store.ts';
import { readArguments } from './lib/read-arguments.ts';

const USAGE = `usage: node tools/fill-release.ts RELEASE ARCHIVE

Runs the store of RELEASE, a checkout of an earlier version with its packages installed, fills it, and packs its data folder into
ARCHIVE. For version 0.1.0:

  git worktree add ../svc-0.1.0 12c6db99 && (cd ../svc-0.1.0 && npm ci)
  node tools/fill-release.ts ../svc-0.1.0 test/support/release-0.1.0.tar.gz
`;

const [release, archive] = readArguments(USAGE, {}, ({ positionals }) => {
  const [from, to, ...more] = positionals;
  if (from === undefined || to === undefined || more.length > 0)
    throw new Error('It takes a folder and a file.');
  return [resolve(from), resolve(to)] as const;
});

const BOB = { name: 'Bob Beech', email: 'bob@example.com', password: 'four words of bob' };

const folder = mkdtempSync(join(tmpdir(), 'svc-release-'));
const settings = { PATH: process.env.PATH, PORT: '0', SVC_DATA_DIR: folder, SVC_BASE_URL: BASE_URL };
const program = spawn(process.execPath, [join(release, 'apps/store/src/main.ts')], { env: settings });
process.on('exit', () => {
  program.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
let said = '';
for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (said += text));

/** Waits for what the program prints. */
async function printed(wanted: RegExp): Promise<string> {
  for (;;) {
    const found = wanted.exec(said)?.[1];
    if (found !== undefined) return found;
    if (program.exitCode !== null) throw new Error(said);
    await Promise.race([once(program.stdout, 'data'), once(program.stderr, 'data'), once(program, 'exit')]);
  }
}

const origin = `http://127.0.0.1:${await printed(/"port":(\d+)/)}`;
const key = await printed(/setup\?key=(\S+)/);

type Sent = { headers?: Record<string, string>; json?: unknown; body?: Uint8Array | string };
const store = {
  call: (method: string, path: string, { headers = {}, json, body }: Sent = {}) =>
    fetch(origin + path, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(json !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: body as string }),
      ...(json !== undefined && { body: JSON.stringify(json) }),
    }),
};

/** The body of an answer, which must be a success. */
// biome-ignore lint/suspicious/noExplicitAny: the answers of another version
async function done(sent: Promise<Response>): Promise<any> {
  const answer = await sent;
  const text = await answer.text();
  if (!answer.ok && answer.status !== 303) throw new Error(`${answer.url}: ${answer.status} ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
}

const anna = browserAt(store as never);
await anna.open(`/setup?key=${key}`);
await done(anna.submit('/setup', { key, ...ANNA }));
await anna.open('/api/people/me');
await done(anna.script('POST', '/api/admin/publishers', { slug: 'example', name: 'Example' }));
const { token } = await done(anna.script('POST', '/api/admin/tokens', { publisher: 'example' }));

const upload = (manifest: Record<string, unknown>) =>
  done(
    store.call('POST', '/api/apps/publish', {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
      body: sampleBundle(manifest),
    }),
  );
const decide = (verb: string, app: string, version: string, json = {}) =>
  done(anna.script('POST', `/api/moderation/apps/${app}/versions/${version}/${verb}`, json));

const [notes, other, waits, refused] = ['notes', 'other', 'waits', 'refused'].map(
  (name) => `com.example.${name}`,
) as [string, string, string, string];
await upload({ id: notes, name: 'Notes' });
await decide('approve', notes, '1.0.0');
await upload({ id: notes, name: 'Notes', version: '1.1.0' });
await decide('approve', notes, '1.1.0').catch(() => 'published at once');
await upload({ id: other, name: 'Other' });
await decide('approve', other, '1.0.0');
await done(
  anna.script('POST', `/api/apps/${other}/versions/1.0.0/yank`, { reason: 'It loses data of users.' }),
);
await upload({ id: refused, name: 'Refused' });
await decide('reject', refused, '1.0.0', { note: 'Its description is empty of meaning.' });
await upload({ id: waits, name: 'Waits' });

const bob = await signUpAt(store as never, BOB);
const installId = randomUUID();
const headers = { 'x-svc-install-id': installId };
await done(store.call('GET', `/api/apps/${notes}/versions/1.1.0/bundle`, { headers }));
const review = { rating: 4, title: 'Good for notes', body: 'It keeps them.', installId };
// The store counts installs in batches, and only who installed an app may rate it.
for (let isRated = false; !isRated; await setTimeout(200))
  isRated = (await bob.script('PUT', `/api/apps/${notes}/reviews/mine`, review)).ok;

program.kill('SIGTERM');
await once(program, 'exit');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /^(?:store\.sqlite|blobs|keys)/.test(name) && statSync(join(folder, name)).isFile())
  .sort();
execFileSync('tar', ['--owner=0', '--group=0', '-czf', archive, '-C', folder, ...files]);
