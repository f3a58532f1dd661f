import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Change } from '@svc/contracts';
import { RuntimeError } from '@svc/runtime';
import { SAMPLE_CHANGES } from '@svc/testkit';
import { expect, it } from 'vitest';
import { changeLines } from '../../src/present/changes.ts';
import { appBundle, writeApp } from '../support/app-folder.ts';
import { memoryTerminal, testCli } from '../support/command-context.ts';
import { answering, fakeStore, type Handler } from '../support/fake-store.ts';

const TOKEN = 'svcd_0123456789abcdefghijABCDEFGHIJ12345';

const NO_DIFF = {
  baseVersion: '0.9.0',
  ...Object.fromEntries(
    ['grants', 'domains', 'accounts', 'fileParams', 'requires', 'tools'].flatMap((name) => [
      [`${name}Added`, []],
      [`${name}Removed`, []],
    ]),
  ),
  toolsChanged: [],
  confirmRemoved: [],
  toolAccountsChanged: [],
  fileLimitsRaised: [],
  authEndpointsChanged: [],
  mcpUrlChanged: false,
  widens: false,
  changes: [] as readonly Change[],
};

const RESULT = {
  appId: 'com.example.tidy',
  version: '1.0.0',
  status: 'published',
  reasons: [],
  issues: [],
  permissionDiff: NO_DIFF,
  reviewUrl: 'https://store.test/status',
};

const publishTo = async (handler: Handler, patch = {}, args: string[] = [], given = {}) => {
  const store = await fakeStore(handler);
  const cli = await testCli({ SVC_STORE: store.url, SVC_TOKEN: TOKEN }, given);
  await writeApp(path.join(cli.cwd, 'app'), patch);
  return { ...store, ...(await cli.run('publish', 'app', ...args)) };
};

it('sends the bundle of a folder with the token', async () => {
  const { url, code, out, seen } = await publishTo(answering(RESULT, 201));
  expect({ code, out }).toEqual({
    code: 0,
    out: `published  com.example.tidy 1.0.0\n  Users can install it.\n  page  ${url}/apps/com.example.tidy\n`,
  });
  expect(seen).toMatchObject([
    { method: 'POST', url: '/api/apps/publish', authorization: `Bearer ${TOKEN}` },
  ]);
  expect(seen[0]?.body).toEqual(Buffer.from(appBundle()));
});

it('sends an attestation before the bundle, and refuses a file that is none', async () => {
  const store = await fakeStore(answering(RESULT, 201));
  const cli = await testCli({ SVC_STORE: store.url, SVC_TOKEN: TOKEN });
  await writeApp(path.join(cli.cwd, 'app'), {});
  await writeFile(path.join(cli.cwd, 'build.json'), '{"a":1}');
  expect(await cli.run('publish', 'app', '--attestation', 'build.json')).toMatchObject({ code: 0 });
  expect(store.seen.at(-1)).toMatchObject({ url: '/api/apps/publish?attestation=7' });
  expect(store.seen.at(-1)?.body).toEqual(Buffer.concat([Buffer.from('{"a":1}'), appBundle()]));
  await writeFile(path.join(cli.cwd, 'large.json'), 'x'.repeat(70_000));
  for (const [file, why] of [
    ['none.json', 'cannot be read (ENOENT)'],
    ['large.json', 'is no attestation'],
  ] as const)
    expect(await cli.run('publish', 'app', '--attestation', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining(why),
    });
  expect(store.seen).toHaveLength(1);
});

it('uploads nothing when the local checks find errors', async () => {
  const { code, out, seen } = await publishTo(answering(RESULT, 201), { manifest: { version: '1' } });
  expect(code).toBe(1);
  expect(out).toContain('version.format');
  expect(seen).toEqual([]);
});

it('shows a warning once, whether found locally, by the store, or by both', async () => {
  const warning = { level: 'warning', path: 'README.md', message: 'Seen by the store.' };
  const issues = [
    { ...warning, code: 'bundle.readme' },
    { ...warning, code: 'bundle.obfuscated', path: 'ui/a.js' },
  ];
  const { out } = await publishTo(answering({ ...RESULT, issues }, 201), {
    files: { 'README.md': undefined },
  });
  expect(out.match(/warning +bundle\.readme/g)).toHaveLength(1);
  expect(out.match(/bundle\.obfuscated/g)).toHaveLength(1);
});

it('explains the review reasons and the permission changes', async () => {
  const reasons = [
    'permissions-widened',
    'publisher-unverified',
    'flagged:face.changed',
    'flagged:bundle.obfuscated',
    'flagged:check.error',
  ];
  const permissionDiff = { ...NO_DIFF, widens: true, changes: SAMPLE_CHANGES };
  const { code, out } = await publishTo(
    answering({ ...RESULT, status: 'in_review', reasons, permissionDiff }, 201),
  );
  expect(code).toBe(0);
  expect(out).toContain('in review  com.example.tidy 1.0.0');
  expect(out).toContain('The checks found bundle.obfuscated');
  expect(out).toContain(
    'flagged:face.changed: Its name, author, icon, permission texts, approval texts or CI workflow change.',
  );
  expect(out).toContain('svc status com.example.tidy 1.0.0');
  expect(out).toContain(`  Changes from 0.9.0:\n${changeLines(memoryTerminal().terminal, SAMPLE_CHANGES)}`);
});

it('shows other changes of an update that is published, and none for a first version', async () => {
  const changes = SAMPLE_CHANGES.filter(({ path }) => path === '/contributes/tools/find');
  const { out } = await publishTo(answering({ ...RESULT, permissionDiff: { ...NO_DIFF, changes } }, 201));
  expect(out).toContain(
    '  Changes from 0.9.0:\n    Changes what agents read of its tools:\n      + Tool: find\n',
  );
  const first = { ...NO_DIFF, baseVersion: null, widens: true, changes: SAMPLE_CHANGES };
  const { out: said } = await publishTo(answering({ ...RESULT, permissionDiff: first }, 201));
  expect(said).not.toContain('Changes from');
});

it('shows all details of a refusal', async () => {
  const issues = [{ code: 'remote.url', level: 'error', path: '/remote/mcpUrl', message: 'Must be https.' }];
  const envelope = { code: 'rate_limited', message: 'Slow down.', requestId: 'r-7', retryAfter: 30, issues };
  const { code, out, err } = await publishTo(answering(envelope, 429));
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toBe(
    [
      'svc: the store refused the request (rate_limited): Slow down.',
      '  error    remote.url  /remote/mcpUrl  Must be https.',
      '  try again in 30 seconds',
      '  request id: r-7',
      '',
    ].join('\n'),
  );
});

it('hides a token that the store sends back, and escapes control characters', async () => {
  const evil = `\u001b[2J\u001b]0;x\u0007 \u202e you sent ${TOKEN}\nsvc: published`;
  for (const answer of [
    answering({ code: 'internal', message: evil, requestId: evil }, 500),
    answering(
      { ...RESULT, appId: evil, version: evil, status: 'in_review', reasons: ['first-version'] },
      201,
    ),
  ]) {
    const { out, err } = await publishTo(answer);
    expect(out + err).not.toMatch(/[^\n\P{C}]/u);
    expect(out + err).not.toContain(TOKEN);
    expect(out + err).not.toMatch(/^svc: published/m);
  }
});

it.each([
  { env: {}, says: 'SVC_TOKEN' },
  { env: { SVC_TOKEN: 'two words' }, says: 'characters that no token has' },
  { env: { SVC_TOKEN: TOKEN, SVC_STORE: 'http://store.example' }, says: 'Use https' },
  { env: { SVC_TOKEN: TOKEN, SVC_STORE: 'ftp://store.example' }, says: 'http or https' },
])('reports $env as a usage error', async ({ env, says }) => {
  const { run, cwd } = await testCli(env);
  await writeApp(cwd);
  const { code, out, err } = await run('publish', '.');
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(says);
});

it('prints only the response of the store with --json', async () => {
  const { code, out } = await publishTo(answering(RESULT, 201), { files: { 'README.md': undefined } }, [
    '--json',
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual(RESULT);
});

const STATUS = { appId: 'com.example.tidy', version: '1.0.0', issues: [], notes: '', retracted: false };

/** Accepts an upload for review, then returns these states in turn. */
const inReview = (...states: string[]): Handler => {
  const left = [...states];
  return (request, response) => {
    const isUpload = request.method === 'POST';
    const body = isUpload
      ? { ...RESULT, status: 'in_review', reasons: ['first-version'] }
      : { ...STATUS, status: left.length > 1 ? left.shift() : left[0] };
    response
      .writeHead(isUpload ? 201 : 200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(body));
  };
};

it.each([
  { last: 'published', code: 0 },
  { last: 'rejected', code: 1 },
])('waits with --wait until it is $last', async ({ last, code }) => {
  const ended = await publishTo(inReview('in_review', 'in_review', 'approved', last), {}, [
    '--wait',
    '--json',
  ]);
  const [first, ...rest] = ended.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(ended.code).toBe(code);
  expect(first).toMatchObject({ status: 'in_review' });
  expect(rest).toMatchObject([{ status: last }]);
  expect(ended.seen).toHaveLength(5);
});

it('shows every state once with --watch', async () => {
  const { out } = await publishTo(inReview('in_review', 'in_review', 'approved', 'published'), {}, [
    '--watch',
    '--json',
  ]);
  const states = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).status);
  expect(states).toEqual(['in_review', 'in_review', 'approved', 'published']);
});

it('exits with 130 on Ctrl-C', async () => {
  const interrupted = () => AbortSignal.abort();
  const { code, err } = await publishTo(inReview('in_review'), {}, ['--wait', '--no-live'], { interrupted });
  expect({ code, err }).toEqual({
    code: 130,
    err: 'svc: Stopped waiting; com.example.tidy 1.0.0 is not decided yet.\n',
  });
});

it('shows with --dry-run what it would publish, also to a store that shows its apps to members only', async () => {
  const refusal = { code: 'unauthorized', message: 'Send a token.', requestId: '1' };
  const store = await fakeStore(answering(refusal, 401));
  const cli = await testCli({ SVC_STORE: store.url });
  await writeApp(path.join(cli.cwd, 'app'), {});
  const { code, out, err } = await cli.run('publish', 'app', '--dry-run');
  expect(code).toBe(0);
  expect(out).toContain('would publish  com.example.tidy 1.0.0');
  expect(err).toContain('scope read');
  expect(store.seen.every(({ method, authorization }) => method === 'GET' && !authorization)).toBe(true);
});

it('refuses --wait with --dry-run', async () => {
  const { code, seen } = await publishTo(answering(RESULT, 201), {}, ['--dry-run', '--wait']);
  expect({ code, seen }).toEqual({ code: 2, seen: [] });
});

it('uploads the same bytes when it shows progress', async () => {
  const terminal = { isScreen: true };
  const large = { files: { 'assets/noise.bin': randomBytes(400_000) } };
  const { out, seen } = await publishTo(answering(RESULT, 201), large, [], { terminal });
  expect(out).toContain('uploading ');
  expect(out).toContain('100 %');
  expect(seen[0]?.body).toEqual(Buffer.from(appBundle(large)));
});

it('sends the tools of the server, and reports those that it does not have', async () => {
  const tools = [{ name: 'tidy-up', inputSchema: { type: 'object' } }];
  const manifest = { contributes: { tools: [{ id: 'tidy_up', name: 'Tidy', description: 'Tidies.' }] } };
  const listTools = async () => ({ tools, ttlMs: 0 });
  const waits = { ...RESULT, status: 'in_review' };
  const { code, out, seen } = await publishTo(answering(waits, 201), { manifest }, [], { listTools });
  expect(code).toBe(0);
  expect(out).toContain('tools.served');
  expect(seen[1]).toMatchObject({
    method: 'PUT',
    url: '/api/apps/com.example.tidy/versions/1.0.0/served-tools',
    authorization: `Bearer ${TOKEN}`,
  });
  expect(JSON.parse(String(seen[1]?.body))).toEqual({ tools });
  // Without a review no moderator would see them: the store lists the server itself.
  const published = await publishTo(answering(RESULT, 201), { manifest }, [], { listTools });
  expect(published).toMatchObject({ code: 0, seen: { length: 1 } });
});

it('publishes without them when the server requires a sign-in, and says how to send them', async () => {
  const listTools = async () => {
    throw new RuntimeError('not-connected');
  };
  const { code, err, seen } = await publishTo(answering(RESULT, 201), {}, [], { listTools });
  expect(code).toBe(0);
  expect(err).toContain('set SVC_MCP_TOKEN to a token of a user');
  expect(seen).toHaveLength(1);
});

/** A store that trusts the job with one ID token, and GitHub's server of ID tokens at another path. */
const trusting: Handler = (request, response, body) => {
  const [path, query] = (request.url ?? '').split('?');
  const answer = (status: number, value: unknown) => answering(value, status)(request, response, body);
  if (path === '/id-token') answer(200, { value: `token for ${new URLSearchParams(query).get('audience')}` });
  else if (
    path === '/api/developer/ci/token' &&
    !JSON.parse(String(body)).idToken.startsWith('token for http')
  )
    answer(403, {
      code: 'forbidden',
      message: 'The job is not the trusted one.',
      requestId: 'r',
      claims: [{ claim: 'repository_id', expected: '1', received: '2' }],
    });
  else if (path === '/api/developer/ci/token')
    answer(201, {
      ...{ id: 't', name: 'GitHub', kind: 'ci', scopes: [], token: TOKEN },
      ...{ createdAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-01T00:15:00.000Z' },
    });
  else answer(201, RESULT);
};

it('publishes from a trusted job with a token for its ID token, unless SVC_TOKEN is set', async () => {
  const store = await fakeStore(trusting);
  const job = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${store.url}/id-token?a=1`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'github',
  };
  const cli = await testCli({ SVC_STORE: store.url, ...job });
  await writeApp(path.join(cli.cwd, 'app'), {});
  const { code, out, err } = await cli.run('publish', 'app', '--no-live');
  expect([code, err]).toEqual([0, '']);
  expect(out + err).not.toContain(TOKEN);
  const [asked, exchanged, sent] = store.seen.filter(({ url }) => !url.startsWith('/api/store'));
  expect(asked).toMatchObject({
    url: `/id-token?a=1&audience=${encodeURIComponent(store.url)}`,
    authorization: 'Bearer github',
  });
  expect(JSON.parse(String(exchanged?.body))).toEqual({
    ...{ idToken: `token for ${store.url}`, publisher: 'example', appId: 'com.example.tidy' },
  });
  expect(exchanged?.authorization).toBeUndefined();
  expect(sent).toMatchObject({ url: '/api/apps/publish', authorization: `Bearer ${TOKEN}` });
});

it('shows expected and received claim of a job that the store does not trust', async () => {
  const store = await fakeStore(trusting);
  const cli = await testCli({ SVC_STORE: store.url, SVC_ID_TOKEN: 'of a GitLab job' });
  await writeApp(path.join(cli.cwd, 'app'), {});
  const { code, err } = await cli.run('publish', 'app');
  expect(code).toBe(1);
  expect(err).toContain('repository_id: expected 1, received 2');
});
