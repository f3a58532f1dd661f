import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../src/composition/commands/run-command.ts';
import { readSettings, SETTING_NAMES, SettingError } from '../../../src/composition/settings.ts';
import { AMBIENT, filledStore, tempFolder } from '../../support/backup.ts';
import { start } from '../../support/program.ts';

const noSettings = (): never => {
  throw new Error('The settings were read.');
};
const run = (...words: string[]) => runCommand(words, noSettings, AMBIENT);

describe('the command line of the store', () => {
  it.each([['--help'], ['-h'], ['keys', '--help']])('prints the help: %s %s', async (...words) => {
    const said = await run(...words);
    expect(said).toHaveProperty('print', expect.stringContaining('svc-store keys rotate\n'));
  });

  it('prints the help of one command', async () => {
    const said = await run('keys', 'rotate', '--help');
    expect(said).toEqual({ print: expect.stringMatching(/^svc-store keys rotate\n {4}\S.*\n$/) });
  });

  it('prints its version without reading the settings', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(await run('--version')).toEqual({ print: `${version}\n` });
  });

  it.each([['serve'], ['keys'], ['keys', 'rotated'], ['rotate', 'keys'], ['version'], ['']])(
    'rejects the unknown command: %s %s',
    async (...words) => {
      await expect(run(...words)).rejects.toThrow(SettingError);
      await expect(run(...words)).rejects.toThrow('Unknown command.');
    },
  );

  it.each([
    ['too many operands', ['keys', 'rotate', 'now']],
    ['an unknown option', ['keys', 'rotate', '--force']],
  ])('prints the usage of a command for %s', async (_name, words) => {
    await expect(run(...words)).rejects.toThrow('Usage: svc-store keys rotate');
  });

  it('reads the settings to run a command', async () => {
    await expect(run('keys', 'rotate')).rejects.toThrow('The settings were read.');
  });

  it('lists every setting in its help, without Markdown', async () => {
    const said = await run('--help');
    const text = 'print' in said ? said.print : '';
    for (const name of SETTING_NAMES) expect(text).toMatch(new RegExp(`^  ${name} +[^\`[]+$`, 'm'));
  });
});

const ORPHAN = '0'.repeat(64);

async function sweep(dataDir: string, ...options: string[]) {
  const run = start({ SVC_DATA_DIR: dataDir }, ['sweep', ...options]);
  return { exit: await run.exit, said: run.output.err };
}

describe('svc-store sweep', () => {
  it('removes blobs that no version refers to while the store is running', DEEP, async () => {
    const { store } = await filledStore();
    const kept = (await store.filesUnder('blobs')).sort();
    await mkdir(join(store.folder, 'blobs', '00'), { recursive: true });
    await writeFile(join(store.folder, 'blobs', '00', ORPHAN), 'left behind');
    expect(await sweep(store.folder)).toMatchObject({
      exit: 0,
      said: expect.stringContaining('Removed 0 blobs'),
    });
    expect(await sweep(store.folder, '--older-than', '0')).toEqual({
      exit: 0,
      said: 'svc-store: Removed 1 blobs that no version refers to.\n',
    });
    expect((await store.filesUnder('blobs')).sort()).toEqual(kept);
  });

  it.each(['soon', '-1', '1.5', ''])('refuses %o minutes', DEEP, async (minutes) => {
    expect(await sweep(await tempFolder(), `--older-than=${minutes}`)).toEqual({
      exit: 2,
      said: 'svc-store: --older-than takes a number of minutes.\n',
    });
  });
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'svc-prepare-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

it('creates the key once, and changes neither the key nor the data folder afterwards', async () => {
  const dataDir = await folder();
  const key = join(await folder(), 'keys', 'key.pem');
  const said: string[] = [];
  for (let times = 0; times < 2; times += 1) {
    const run = start({ SVC_DATA_DIR: dataDir, SVC_SIGNING_KEY_FILE: key }, ['prepare']);
    expect(await run.exit).toBe(0);
    said.push(run.output.err);
  }
  expect(said[0]).toMatch(/^svc-store: .* It signs with ed25519-[0-9a-f]{16}\.\n$/);
  expect(said[1]).toBe(said[0]);
  expect(await readdir(dataDir)).toEqual([]);
});

it('creates no key when the bucket cannot be created, and reports that in one line', DEEP, async () => {
  const keys = await folder();
  const environment = {
    SVC_SIGNING_KEY_FILE: join(keys, 'key.pem'),
    SVC_BLOBS: 's3://apps?endpoint=http://127.0.0.1:2',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  };
  const run = start(environment, ['prepare']);
  expect(await run.exit).toBe(1);
  expect(run.output.err).toMatch(/^svc-store: The store was not prepared: [^\n]+\n$/);
  expect(await readdir(keys)).toEqual([]);
});

describe('config', () => {
  const config = (what: string, environment: Record<string, string>) =>
    runCommand(['config', what], () => readSettings(environment), AMBIENT);

  function settingsFile(content: string, mode = 0o600): string {
    const folder = mkdtempSync(join(tmpdir(), 'svc-config-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'settings.env');
    writeFileSync(file, content);
    chmodSync(file, mode);
    return file;
  }

  describe('svc-store config', () => {
    it('check accepts valid settings, and warns about a file that other users can read', async () => {
      expect(await config('check', {})).toEqual({ line: 'The settings are valid.' });
      const own = settingsFile('PORT=1');
      expect(await config('check', { SVC_SETTINGS_FILE: own })).toEqual({ line: 'The settings are valid.' });
      const open = settingsFile('PORT=1', 0o644);
      const checked = await config('check', { SVC_SETTINGS_FILE: open });
      expect(checked).toEqual({
        line: expect.stringContaining(`Other users of this machine can read ${open}`),
      });
    });

    it('check rejects invalid settings', async () => {
      await expect(config('check', { PORT: 'x' })).rejects.toThrow(SettingError);
      const file = settingsFile('SVC_BLOBS=s3://apps');
      await expect(config('check', { SVC_SETTINGS_FILE: file })).rejects.toThrow(/^SVC_BLOBS needs AWS_/);
    });

    it('print shows each setting with its source, without secrets', async () => {
      const file = settingsFile('PORT=9000\nLOG_LEVEL=warn\nSVC_ADMIN_TOKEN=very-secret-of-the-file');
      const printed = await config('print', {
        SVC_SETTINGS_FILE: file,
        LOG_LEVEL: 'error',
        DATABASE_URL: 'postgres://svc:very-secret@db/svc',
      });
      const text = 'print' in printed ? printed.print : '';
      expect(text).toContain('PORT=9000  # settings file\n');
      expect(text).toContain('LOG_LEVEL=error  # given\n');
      expect(text).toContain('SVC_ADMIN_TOKEN=set  # settings file\n');
      expect(text).toContain('DATABASE_URL=set  # given\n');
      expect(text).toContain('SVC_LOCAL_APPS=0  # default\n');
      expect(text).toContain('policy.reviewDays=3  # default\n');
      for (const name of SETTING_NAMES) expect(text).toMatch(new RegExp(`^${name}=`, 'm'));
      expect(text).not.toContain('very-secret');
    });
  });
});

describe('mail test', () => {
  const mailTest = (address: string, environment: Record<string, string>) =>
    runCommand(['mail-test', address], () => readSettings(environment), AMBIENT);

  /** A mail server that answers RCPT as given (RFC 5321 section 4.2), and what it was told. */
  async function mailServer(rcpt: string) {
    const told: string[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.write('220 mail.example.com\r\n');
      socket.on('data', (data) => {
        const line = data.toString();
        told.push(line);
        if (line.startsWith('RCPT')) socket.write(`${rcpt}\r\n`);
        else if (line.startsWith('DATA')) socket.write('354 go on\r\n');
        else if (line.startsWith('QUIT')) socket.end('221 bye\r\n');
        else socket.write('250 ok\r\n');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    return {
      told,
      environment: { SVC_SMTP_URL: `smtp://127.0.0.1:${port}`, SVC_MAIL_FROM: 'store@example.com' },
    };
  }

  describe('svc-store mail-test', () => {
    it('sends one mail, and says what the server answered', async () => {
      const { told, environment } = await mailServer('250 ok');
      expect(await mailTest('you@example.com', environment)).toEqual({
        line: expect.stringMatching(/^127\.0\.0\.1:\d+ took the mail to you@example\.com/),
      });
      expect(told.join('')).toContain('can send mail');
      const refusing = await mailServer('550 no such mailbox');
      await expect(mailTest('you@example.com', refusing.environment)).rejects.toThrow(/refuses the mail/);
    });

    it('says what to set, and what it takes', async () => {
      await expect(mailTest('you@example.com', {})).rejects.toThrow(/SVC_SMTP_URL/);
      await expect(mailTest('you', {})).rejects.toThrow(/email address/);
      const away = { SVC_SMTP_URL: 'smtp://u:geheim@127.0.0.1:1', SVC_MAIL_FROM: 'store@example.com' };
      const refused = await mailTest('you@example.com', away).catch((error: Error) => error.message);
      expect(refused).toMatch(/127\.0\.0\.1:1 did not take the mail/);
      expect(refused).not.toContain('geheim');
    });
  });
});
