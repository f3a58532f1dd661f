import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bareEnvironment, needs, ownProgram } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { expect, it, onTestFinished } from 'vitest';
import { findChromium, openAppWindow } from '../../src/commands/desktop.ts';
import { tempFolder } from '../support/temp-folder.ts';

const NEEDS_SCRIPTS = needs(process.platform !== 'win32', 'needs programs that are scripts');

/** Creates a fake browser that records its arguments. */
async function browserIn(folder: string): Promise<string> {
  const program = path.join(folder, 'chromium');
  await mkdir(folder, { recursive: true });
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/asked"\n`);
  await chmod(program, 0o755);
  return program;
}

it('opens the page in an app window', NEEDS_SCRIPTS, async () => {
  const home = await tempFolder();
  await browserIn(path.join(home, 'bin'));
  const env = {
    ...bareEnvironment(),
    ...{
      HOME: home,
      SVC_STORE: 'http://127.0.0.1:1',
      DISPLAY: ':0',
      PATH: `${path.join(home, 'bin')}:/usr/bin:/bin`,
    },
  };
  const words = [
    ownProgram('desktop'),
    'desktop',
    '--app',
    '--key-file',
    '--folder',
    path.join(home, 'desktop'),
  ];
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  await eventually(async () => {
    const asked = (await readFile(path.join(home, 'bin', 'asked'), 'utf8')).trim();
    expect(asked).toMatch(/^--app=file:/);
    const page = await readFile(fileURLToPath(asked.replace('--app=', '')), 'utf8');
    expect(page).toContain(`"${/^Desktop: (\S+)$/m.exec(said)?.[1]}"`);
    expect(said).toContain('within 5 minutes');
  });
});

it(
  'ignores relative folders in PATH, and opens no window without a display or a browser',
  NEEDS_SCRIPTS,
  async () => {
    const folder = await tempFolder();
    const program = await browserIn(folder);
    const place = { platform: 'linux', home: folder } as const;
    expect(await findChromium({ ...place, env: { PATH: `.:${folder}` } })).toBe(program);
    expect(await findChromium({ ...place, env: { PATH: '.:bin' } })).toBeUndefined();
    for (const env of [{ PATH: folder }, { DISPLAY: ':0' }])
      expect(await openAppWindow({ ...place, folder, env }, 'http://localhost:1/')).toBe(false);
  },
);
