import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { apiRequest } from '@svc/contracts/client';
import { automationOf, bareEnvironment, DEEP, freePort, ownProgram, sampleBundle } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';

const TOKEN = 'automation-0123456789';
const APPS = 8;

/** Runs a command of a store, which is killed after some time. @returns its exit code; null when it was killed */
async function run(env: NodeJS.ProcessEnv, words: string[], killMs = 120_000) {
  const child = spawn(process.execPath, [ownProgram('store'), ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), killMs);
  const [said, , [code]] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')]);
  clearTimeout(timer);
  return { code: code as number | null, said };
}

/** Runs a command again and again, each time for longer, until it is done. @returns how often it was killed */
async function runKilled(
  env: NodeJS.ProcessEnv,
  words: string[],
  between: () => Promise<void>,
): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    const { code, said } = await run(env, words, 1_200 * 1.3 ** kills);
    if (code === 0) return kills;
    expect(code, said).toBeNull();
    await between();
  }
}

/** A store in a process of its own. */
async function startStore(folder: string, name: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...bareEnvironment(),
    PORT: String(port),
    SVC_DATA_DIR: join(folder, name),
    SVC_BASE_URL: url,
    SVC_ADMIN_TOKEN: TOKEN,
    SVC_PROBE_SERVERS: 'off',
    LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, [ownProgram('store')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of child.stderr) if (String(line).includes('The store is at')) break;
  return { env, url, automation: automationOf(url, TOKEN) };
}

it(
  'an export and an import that are killed again and again go on, and nothing is half carried',
  DEEP,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-air-gap-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const origin = await startStore(folder, 'public');
    await origin.automation.addPublisher({ slug: 'example', name: 'Example', verified: true });
    const bundles = Array.from({ length: APPS }, (_, n) =>
      sampleBundle(
        { id: `com.example.app${n}`, name: `Notes ${n}` },
        { 'assets/data.txt': 'a note\n'.repeat(200_000) },
      ),
    );
    for (const bundle of bundles) await origin.automation.publish(bundle);
    const inside = await startStore(folder, 'inside');
    const file = join(folder, '1.svcx');
    await runKilled(origin.env, ['upstream', 'export', origin.url, '--out', file], async () => {});
    const { keyId } = await origin.automation.ask(apiRequest('GET /api/apps/public-key'));
    const added = await run(inside.env, [
      'upstream',
      'add',
      file,
      '--key',
      keyId,
      '--which',
      'all',
      '--how',
      'all',
    ]);
    expect(added.code, added.said).toBe(0);
    /** What is listed can be installed: its bundle is there, with both signatures. */
    const listed = async (): Promise<number> => {
      const { apps } = await inside.automation.ask(
        apiRequest('GET /api/apps/catalog', { query: { limit: 100 } }),
      );
      for (const { appId, version } of apps) {
        const answer = await fetch(`${inside.url}/api/apps/${appId}/versions/${version}/bundle`);
        const bytes = Buffer.from(await answer.arrayBuffer());
        expect(bundles.some((one) => bytes.equals(one))).toBe(true);
        expect(answer.headers.get('x-svc-origin')).not.toBeNull();
      }
      return apps.length;
    };
    let before = 0;
    await runKilled(inside.env, ['upstream', 'import', file], async () => {
      const now = await listed();
      expect(now).toBeGreaterThanOrEqual(before);
      before = now;
    });
    await expect.poll(listed).toBe(APPS);
    const { upstreams } = await inside.automation.ask(apiRequest('GET /api/admin/upstreams'));
    expect(upstreams).toMatchObject([{ failure: null, apps: { carried: APPS, refused: 0 } }]);
  },
);
