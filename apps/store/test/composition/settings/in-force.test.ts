import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSettings, SETTING_NAMES } from '../../../src/composition/settings.ts';
import { openTestStore } from '../../support/test-store.ts';

const SECRETS = {
  SVC_ADMIN_TOKEN: 'very-secret-automation',
  DATABASE_URL: 'postgres://svc:very-secret@db/svc',
  SVC_SMTP_URL: 'smtp://me:very-secret@mail.example:587',
  AWS_ACCESS_KEY_ID: 'very-secret-id',
  AWS_SECRET_ACCESS_KEY: 'very-secret-key',
};

const byName = (environment: Record<string, string>) =>
  new Map(readSettings(environment).settingsInForce.map((setting) => [setting.name, setting]));

function fileOf(name: string, content: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('the current settings', () => {
  it('list every setting, and whether it has its default', () => {
    const settings = byName({ PORT: '9000' });
    expect([...settings.keys()]).toEqual(expect.arrayContaining([...SETTING_NAMES]));
    expect(settings.get('PORT')).toEqual({
      ...{ name: 'PORT', value: '9000', secret: false, given: true },
      about: 'port to listen on; `0` takes a free one, which differs at each start',
    });
    expect(settings.get('LOG_LEVEL')).toMatchObject({ value: 'info', given: false });
    expect(settings.get('policy.reviewDays')).toMatchObject({ value: '3', given: false });
    expect(settings.get('policy.retentionDays')?.value).toBe(
      'addresses 365, sessions 60, reports 365, mails 3',
    );
  });

  it('show only whether secrets are set', () => {
    const environment = { ...SECRETS, SVC_MAIL_FROM: 'store@example.com', SVC_BLOBS: 's3://apps' };
    const settings = byName(environment);
    for (const name of Object.keys(SECRETS)) {
      expect(settings.get(name)).toMatchObject({ name, value: 'set', secret: true, given: true });
      expect(byName({}).get(name)).toMatchObject({ value: 'not set', given: false });
    }
    expect(JSON.stringify([...settings.values()])).not.toContain('very-secret');
  });

  it('include the policy and the providers, without credentials', () => {
    const policy = fileOf('policy.json', { reviewDays: 2, skipReview: ['acme'] });
    const provider = {
      id: 'work',
      label: 'Work',
      issuer: 'https://id.example',
      clientId: 'very-secret-client',
    };
    const signIn = fileOf('sign-in.json', [{ ...provider, clientSecret: 'very-secret' }]);
    const settings = byName({ SVC_POLICY_FILE: policy, SVC_SIGN_IN_FILE: signIn });
    expect(settings.get('policy.reviewDays')).toMatchObject({ value: '2', given: true });
    expect(settings.get('policy.skipReview')).toMatchObject({ value: 'acme', given: true });
    expect(settings.get('policy.flaggedCodes')).toMatchObject({
      value: 'bundle.obfuscated, accounts.hosts, lookalike.name, lookalike.icon, lookalike.id',
      given: false,
    });
    expect(settings.get('providers')).toMatchObject({ value: 'Work (work)', given: true });
    expect(JSON.stringify([...settings.values()])).not.toContain('very-secret');
  });

  it('are shown only to administrators, and not cached', async () => {
    const store = await openTestStore({
      environment: { SVC_SMTP_URL: SECRETS.SVC_SMTP_URL, SVC_MAIL_FROM: 'a@b.example' },
    });
    const answer = await store.admin('GET', '/api/admin/settings');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const text = await answer.text();
    expect(text).toContain('SVC_SMTP_URL');
    expect(text).not.toMatch(/very-secret|automation-0123456789/);
    const session = await store.signedIn('anna', { role: 'moderator' });
    expect((await store.call('GET', '/api/admin/settings', { session })).status).toBe(403);
  });
});
