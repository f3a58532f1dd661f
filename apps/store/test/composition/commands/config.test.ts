import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../src/composition/commands/run-command.ts';
import { readSettings, SETTING_NAMES, SettingError } from '../../../src/composition/settings.ts';

const ambient = {
  clock: () => new Date(),
  random: (n: number) => new Uint8Array(n),
  newId: () => 'id',
  fetch,
  log: { info() {}, warn() {}, error() {} },
};

const config = (what: string, environment: Record<string, string>) =>
  runCommand(['config', what], () => readSettings(environment), ambient);

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
