import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEEP, freePort } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { expect, it, onTestFinished } from 'vitest';
import { ANNA } from '../apps/store/test/support/browser.ts';
import { ROOT } from '../tools/release/targets.ts';
import { cloneHere } from './support/clone.ts';
import { fieldsOf, openBrowser } from './support/company/browser.ts';

/** The commands of a page's shell blocks, without their comments. */
const commandsIn = (page: string): string[] =>
  [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '');

/** Starts a program whose output can be waited for. */
function begin(file: string, words: readonly string[], cwd: string, env: Record<string, string>) {
  const program = spawn(file, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void program.kill('SIGTERM'));
  let said = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (chunk) => (said += chunk));
  const ended = once(program, 'exit').then(([code]) => ({ code, said }));
  const says = (wanted: RegExp) =>
    eventually(async () => {
      const found = wanted.exec(said);
      return found ? (found[1] ?? found[0]) : Promise.reject(new Error(said.slice(-2_000)));
    });
  const stop = async () => {
    program.kill('SIGTERM');
    await ended;
  };
  return { ended, says, stop };
}

it(
  'the README leads from a clone to an app in an agent, with its own commands in their order',
  DEEP,
  async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const clone = await cloneHere();
    const home = join(clone, 'home');
    const prefix = join(home, 'npm');
    await mkdir(prefix, { recursive: true });
    const ports = [await freePort(), await freePort(), await freePort()];
    const port = String(ports[0]);
    const url = `http://localhost:${port}`;
    const env = {
      HOME: home,
      PATH: `${join(prefix, 'bin')}:${process.env.PATH}`,
      PORT: port,
      npm_config_prefix: prefix,
      // The cache of the user: without a registry npm leaves optional packages out at once.
      npm_config_cache: execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim(),
      npm_config_fetch_retries: '0',
    };
    const browser = openBrowser(url, '', '');
    const run = async (file: string, ...words: string[]) => {
      const { code, said } = await begin(file, words, clone, env).ended;
      expect(code, said).toBe(0);
      return said;
    };
    const app = 'com.example.hello-notes';
    const steps: Record<string, () => Promise<unknown>> = {
      'npm run demo': async () => {
        const [store, pinboard, desktop] = ports.map(String);
        const named = [
          '--store-port',
          `${store}`,
          '--app-port',
          `${pinboard}`,
          '--desktop-port',
          `${desktop}`,
        ];
        const demo = begin('npm', ['run', 'demo', '--', '--no-open', ...named], clone, env);
        await demo.says(new RegExp(`http://localhost:${desktop}/#key=`));
        await demo.stop();
      },
      'npm start': async () => {
        const store = begin('npm', ['start'], clone, env);
        const setup = new URL(await store.says(/(http:\/\/localhost:\d+\/setup\?key=[\w-]+)/));
        await browser.go(setup.pathname + setup.search);
        await browser.go('/setup', { form: { key: setup.searchParams.get('key') ?? '', ...ANNA } });
        // What the README says to do on the pages: the publisher, with the default that its creator publishes for it.
        await browser.go('/admin/publishers');
        await browser.call('POST', '/api/admin/publishers', {
          slug: 'example',
          name: 'Example',
          owner: 'me',
        });
      },
      'npm install --global http://localhost:8787/cli.tgz': () =>
        run('npm', 'install', '--global', `${url}/cli.tgz`),
      'svc login': async () => {
        const login = begin('svc', ['login', '--no-browser'], clone, env);
        const code = (await login.says(/\|\s+((?:[A-Z] ){4}- (?:[A-Z] ){4})\s+\|/)).replaceAll(' ', '');
        await browser.go('/device');
        const { text } = await browser.go('/device', { form: { code } });
        const form = { ...fieldsOf(text), answer: 'approve' };
        expect((await browser.go('/device/answer', { form })).status).toBe(200);
        expect(await login.ended).toMatchObject({ code: 0 });
      },
      'svc validate examples/hello-notes': () => run('svc', 'validate', 'examples/hello-notes'),
      'svc publish examples/hello-notes': async () => {
        const said = await run('svc', 'publish', 'examples/hello-notes');
        for (const line of /^```\n(in review[\s\S]*?)^```$/m.exec(readme)?.[1]?.trim().split('\n') ?? [''])
          expect(said).toContain(line.trim());
        await browser.go('/moderation');
        await browser.call('POST', `/api/moderation/apps/${app}/versions/1.0.0/approve`, {});
      },
      [`svc verify ${app}@1.0.0`]: () => run('svc', 'verify', `${app}@1.0.0`),
      'svc desktop': async () => {
        const desktop = begin('svc', ['desktop', '--no-open'], clone, env);
        await desktop.says(/Desktop: http/);
        await desktop.stop();
      },
      'svc connect claude-code': async () => {
        expect(await run('svc', 'connect', 'claude-code', '--yes')).toContain('Claude Code is connected.');
      },
    };
    const commands = commandsIn(readme);
    expect(commands).toEqual(Object.keys(steps));
    for (const command of commands) await steps[command]?.();
  },
);
