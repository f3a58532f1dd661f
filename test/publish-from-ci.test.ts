import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DEEP, ownProgram } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { type RealStore, startRealStore } from '../apps/cli/test/support/real-store.ts';

const ROOT = join(import.meta.dirname, '..');
const ACTION = join(ROOT, '.github/actions/publish');
const SVC = `${process.execPath} ${ownProgram('svc')}`;

type Step = { id?: string; if?: string; run?: string; uses?: string; env?: Record<string, string> };
type Action = { inputs: Record<string, { default?: string }>; runs: { steps: Step[] } };

let store: RealStore;
let token = '';

beforeAll(async () => {
  store = await startRealStore();
  await store.admin('/api/admin/publishers', { slug: 'example', name: 'Example', verified: true });
  ({ token } = (await store.admin('/api/admin/tokens', { publisher: 'example' })) as { token: string });
});

afterAll(() => store.stop());

/** A checkout with a valid app with this id. */
async function checkout(id: string) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-ci-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(ROOT, 'examples/hello-notes'), join(folder, 'app'), { recursive: true });
  await mkdir(join(folder, 'temp'));
  const file = join(folder, 'app/plugin.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  const write = (patch: object) =>
    writeFile(file, JSON.stringify({ ...manifest, publisher: 'example', id, ...patch }));
  await write({});
  return { folder, write };
}

/** A fake of GitHub's API for comments, and the received comments. */
async function fakeGitHub() {
  const comments: { id: number; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const asked = `${request.method} ${request.url}`;
    const isOurs = request.headers.authorization === 'Bearer gh-token';
    if (!isOurs) response.writeHead(403).end('{}');
    else if (asked.startsWith('GET /repos/ann/app/issues/7/comments')) response.end(JSON.stringify(comments));
    else if (asked === 'POST /repos/ann/app/issues/7/comments')
      response.writeHead(201).end(JSON.stringify({ id: comments.push({ id: 1, ...JSON.parse(body) }) }));
    else if (asked === 'PATCH /repos/ann/app/issues/comments/1') {
      Object.assign(comments[0] ?? {}, JSON.parse(body));
      response.end('{}');
    } else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { comments, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const run = async (file: string, args: string[], options: { cwd: string; env: Record<string, string> }) => {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
};

/** Substitutes the inputs in an expression of the action. */
const filledIn = (value: string, inputs: Record<string, string>): string =>
  value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_all, name: string) => inputs[name] ?? '');

/** Runs the shell steps of the action like a runner: each in its own bash, until one fails. */
async function runAction(
  folder: string,
  event: 'push' | 'pull_request',
  given: Record<string, string>,
  github = 'http://127.0.0.1:9',
) {
  const action: Action = parse(await readFile(join(ACTION, 'action.yml'), 'utf8'));
  const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? '']);
  const inputs = { ...Object.fromEntries(defaults), store: store.url, path: 'app', svc: SVC, ...given };
  const outputs = join(folder, 'temp/outputs');
  await writeFile(outputs, '');
  await writeFile(join(folder, 'temp/event.json'), JSON.stringify({ pull_request: { number: 7 } }));
  const runner = {
    PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
    HOME: join(folder, 'temp'),
    RUNNER_TEMP: join(folder, 'temp'),
    GITHUB_ACTION_PATH: ACTION,
    GITHUB_OUTPUT: outputs,
    GITHUB_STEP_SUMMARY: join(folder, 'temp/summary'),
    GITHUB_EVENT_PATH: join(folder, 'temp/event.json'),
    GITHUB_REPOSITORY: 'ann/app',
    GITHUB_API_URL: github,
  };
  let code: number | null = 0;
  let log = '';
  for (const step of action.runs.steps) {
    const isMeant = !step.if?.includes('event_name') || step.if.includes('!=') === (event === 'push');
    if (!step.run || !isMeant || code !== 0) continue;
    const env = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, value]) => [name, filledIn(value, inputs)]),
    );
    const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run];
    const ended = await run('bash', args, { cwd: folder, env: { ...runner, ...env } });
    code = ended.code;
    log += ended.out + ended.err;
  }
  const sarif = await readFile(join(folder, 'temp/svc.sarif'), 'utf8').catch(() => '');
  return { code, log, sarif, outputs: await readFile(outputs, 'utf8') };
}

describe('the GitHub action', () => {
  it('publishes from a push, and reports the result', DEEP, async () => {
    const { folder } = await checkout('com.example.pushed');
    const { code, outputs, sarif, log } = await runAction(folder, 'push', { token });
    expect(code, log).toBe(0);
    expect(outputs).toContain('status=in_review\n');
    expect(JSON.parse(sarif).runs[0].results).toEqual([]);
    expect(log).not.toContain(token);
  });

  it('fails for an app with errors, and writes them as SARIF', DEEP, async () => {
    const { folder, write } = await checkout('com.example.faulty');
    await write({ version: 'one' });
    const { code, sarif, outputs } = await runAction(folder, 'push', { token });
    expect(code).toBe(1);
    expect(JSON.parse(sarif).runs[0].results).toMatchObject([{ ruleId: 'version.format' }]);
    expect(outputs).toMatch(/^sarif=.*svc\.sarif\n$/);
  });

  it('fails when the store refuses the token', DEEP, async () => {
    const { folder } = await checkout('com.example.refused');
    const { code, log } = await runAction(folder, 'push', { token: 'svcc_wrong' });
    expect(code).toBe(1);
    expect(log).toContain('unauthorized');
  });

  it('sends an attestation along', async () => {
    const { folder } = await checkout('com.example.attested');
    const svc = join(folder, 'temp/svc.mjs');
    await writeFile(svc, 'console.log(JSON.stringify({ status: JSON.stringify(process.argv.slice(2)) }));');
    const given = { attestation: 'temp/my $(touch injected).json', svc: `${process.execPath} ${svc}` };
    const { code, outputs } = await runAction(folder, 'push', given);
    expect(code).toBe(0);
    expect(outputs).toContain('["publish","app","--json","--attestation=temp/my $(touch injected).json"]');
    expect(await readdir(folder)).toEqual(['app', 'temp']);
  });

  it('fails when the store refuses the attestation', DEEP, async () => {
    const { folder } = await checkout('com.example.forged');
    await writeFile(join(folder, 'forged.json'), '{}');
    const { code, log } = await runAction(folder, 'push', { token, attestation: 'forged.json' });
    expect(code).toBe(1);
    expect(log).toContain('invalid_attestation');
  });

  it('writes one comment with a preview on a pull request, and publishes nothing', DEEP, async () => {
    const { folder } = await checkout('com.example.proposed');
    const github = await fakeGitHub();
    for (let round = 0; round < 2; round += 1) {
      const given = { 'github-token': 'gh-token' };
      const { code, log } = await runAction(folder, 'pull_request', given, github.url);
      expect(code, log).toBe(0);
    }
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain('would publish  com.example.proposed');
    const status = await fetch(`${store.url}/api/apps/com.example.proposed/versions/1.0.0/status`);
    expect(status.status).toBe(404);
  });

  it('continues when it may not comment', DEEP, async () => {
    const { folder } = await checkout('com.example.forked');
    const github = await fakeGitHub();
    const { code, log } = await runAction(folder, 'pull_request', { 'github-token': 'other' }, github.url);
    expect(code).toBe(0);
    expect(log).toContain('::warning::The preview could not be written');
  });

  it('does not execute text in inputs', async () => {
    const { folder } = await checkout('com.example.injected');
    const { code } = await runAction(folder, 'push', {
      token,
      path: 'app"; touch injected; "$(touch injected)',
    });
    expect(code).not.toBe(0);
    expect(await readdir(folder)).toEqual(['app', 'temp']);
  });
});

describe('the GitLab template', () => {
  type Job = { extends: string; script: string[] };

  async function runJob(folder: string, name: 'svc:validate' | 'svc:publish', env: Record<string, string>) {
    const template = parse(await readFile(join(ROOT, 'deploy/gitlab/publish.yml'), 'utf8'));
    const job = template[name] as Job;
    const script = [...template[job.extends].before_script, ...job.script].join('\n');
    const variables = { ...template.variables, SVC_STORE: store.url, SVC_PATH: 'app', SVC, ...env };
    const runner = { PATH: process.env.PATH ?? '', HOME: join(folder, 'temp'), CI: 'true' };
    // The shell of the runner stops at the first line that fails.
    return run('bash', ['-eo', 'pipefail', '-c', script], { cwd: folder, env: { ...runner, ...variables } });
  }

  it('checks, previews and publishes', DEEP, async () => {
    const { folder } = await checkout('com.example.gitlab');
    const checked = await runJob(folder, 'svc:validate', {});
    expect(checked.code, checked.err).toBe(0);
    expect(checked.out).toContain('would publish  com.example.gitlab');
    const published = await runJob(folder, 'svc:publish', { SVC_TOKEN: token });
    expect(published.code, published.err).toBe(0);
    expect(JSON.parse(await readFile(join(folder, 'svc-result.jsonl'), 'utf8'))).toMatchObject({
      status: 'in_review',
    });
  });

  it('fails when the store refuses the token', DEEP, async () => {
    const { folder } = await checkout('com.example.gitlabno');
    expect((await runJob(folder, 'svc:publish', { SVC_TOKEN: 'svcc_wrong' })).code).toBe(1);
  });
});
