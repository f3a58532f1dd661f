import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSettings, SettingError } from '../../src/composition/settings.ts';

describe('settings', () => {
  it('have defaults', () => {
    expect(readSettings({})).toMatchObject({
      port: 8787,
      baseUrl: 'http://localhost:8787',
      adminToken: null,
      databaseUrl: null,
      logLevel: 'info',
      flaggedCodes: [
        'bundle.obfuscated',
        'accounts.hosts',
        'lookalike.name',
        'lookalike.icon',
        'lookalike.id',
      ],
      skipReview: [],
      reviewDays: 3,
      cannedReasons: [],
    });
  });

  it.each([undefined, 'http://localhost:1', 'http://127.0.0.1:8787', 'http://[::1]:8787'])(
    'allow local apps with SVC_LOCAL_APPS for a store at %s',
    (base) => {
      const given = { SVC_LOCAL_APPS: '1', ...(base && { SVC_BASE_URL: base }) };
      expect(readSettings(given).localApps).toBe(true);
      expect(readSettings({ ...given, SVC_LOCAL_APPS: '' }).localApps).toBe(false);
    },
  );

  it.each([
    'https://apps.example',
    'http://localhost.evil.example',
    'http://192.168.1.7:8787',
    'http://0.0.0.0:8787',
    'http://localhost@apps.example',
  ])('do not allow local apps for a store at %s', (base) => {
    const read = () => readSettings({ SVC_LOCAL_APPS: '1', SVC_BASE_URL: base });
    expect(read).toThrow(SettingError);
    expect(read).toThrow(/^SVC_LOCAL_APPS=1 is for a store on your own machine: [^\n]+$/);
  });

  it('treat an empty variable as not set, and remove a trailing slash of the URL', () => {
    expect(readSettings({ PORT: '', SVC_BASE_URL: 'https://apps.example/' })).toMatchObject({
      port: 8787,
      baseUrl: 'https://apps.example',
    });
  });

  it('ignore the variables of other programs', () => {
    const others = { SVC_TOKEN: 'x', SVC_STORE: 'http://localhost:1', SVC_STORE_SERVICE_HOST: '10.0.0.1' };
    expect(readSettings({ ...others, SVC_STORE_PORT: 'tcp://10.0.0.1:80' })).toMatchObject({ port: 8787 });
  });

  it.each([
    [{ PORT: 'eighty' }, /^PORT must be a whole number from 0 to 65535$/],
    [{ PORT: '70000' }, /^PORT must be a whole number from 0 to 65535$/],
    [{ PORT: '80.5' }, /^PORT must be a whole number from 0 to 65535$/],
    [{ PORT: '-1' }, /^PORT must be a whole number from 0 to 65535$/],
    [{ SVC_BASE_URL: 'apps.example' }, /^SVC_BASE_URL must be an http or https address$/],
    [{ SVC_BASE_URL: 'ftp://apps.example' }, /^SVC_BASE_URL must be an http or https address$/],
    [{ SVC_BASE_URL: 'https://apps.example/store' }, /^SVC_BASE_URL must not have a path: /],
    [{ SVC_BASEURL: 'https://apps.example' }, /^SVC_BASEURL is not a setting: did you mean SVC_BASE_URL\?$/],
    [{ SVC_ADMIN_TOKN: 'short' }, /^SVC_ADMIN_TOKN is not a setting: did you mean SVC_ADMIN_TOKEN\?$/],
    [{ SVC_BASE_URL: 'https://apps.example/?a=1' }, /^SVC_BASE_URL must not have a query$/],
    [{ SVC_LOCAL_APPS: 'yes' }, /^SVC_LOCAL_APPS must be 1 or 0$/],
    [{ SVC_ADMIN_TOKEN: 'short' }, /^SVC_ADMIN_TOKEN must have at least 16 characters$/],
    [{ SVC_ADMIN_TOKEN: 'with spaces in between' }, /^SVC_ADMIN_TOKEN must be printable/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of trace, .*silent$/],
    [{ SVC_TRUSTED_PROXIES: '1' }, /^SVC_TRUSTED_PROXIES must be addresses and networks/],
    [
      { SVC_TRUSTED_PROXIES: '10.0.0.0/8,::/0' },
      /^SVC_TRUSTED_PROXIES must be .* must not include every address$/,
    ],
    [{ DATABASE_URL: 'mysql://svc:short@db/svc' }, /^DATABASE_URL must be postgres:\/\/user:password@/],
    [{ DATABASE_URL: 'host=db password=short' }, /^DATABASE_URL must be postgres:/],
    [{ SVC_BLOBS: '/var/blobs' }, /^SVC_BLOBS must be s3:/],
    [{ SVC_BLOBS: 's3://short:short@apps' }, /^SVC_BLOBS must not hold keys/],
    [{ SVC_BLOBS: 's3://apps' }, /^SVC_BLOBS needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/],
    [{ SVC_BLOBS: 's3://apps', AWS_SECRET_ACCESS_KEY: 'short' }, /^SVC_BLOBS needs AWS_ACCESS_KEY_ID/],
    [{ SVC_SMTP_URL: 'smtp://user:short@' }, /^SVC_SMTP_URL must be smtp:/],
    [{ SVC_SMTP_URL: 'https://user:short@mail.example' }, /^SVC_SMTP_URL must be smtp:/],
    [{ SVC_SMTP_URL: 'smtp://u:short@mail.example' }, /^SVC_SMTP_URL needs SVC_MAIL_FROM to be set\.$/],
    [{ SVC_MAIL_FROM: 'the store' }, /^SVC_MAIL_FROM must be an address/],
    [{ SVC_MAIL_FROM: 'a@b.example\r\nBcc: c@d.example' }, /^SVC_MAIL_FROM must be an address/],
    [{ SVC_MAIL_FROM: 'a@b.example, c@d.example' }, /^SVC_MAIL_FROM must be an address/],
    [{ SVC_POLICY_FILE: '/does/not/exist' }, /^SVC_POLICY_FILE cannot be read/],
    [{ SVC_SETTINGS_FILE: '/does/not/exist' }, /^SVC_SETTINGS_FILE cannot be read: ENOENT$/],
  ])('reject %o with one line without secrets', (environment, line) => {
    const read = () => readSettings(environment);
    expect(read).toThrow(SettingError);
    expect(read).toThrow(line);
    try {
      read();
    } catch (error) {
      expect((error as Error).message).not.toMatch(/\n|short|with spaces in between/);
    }
  });

  it('contain a bucket with its keys, or null', () => {
    const keys = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' };
    expect(readSettings(keys).s3).toBeNull();
    expect(readSettings({ ...keys, SVC_BLOBS: 's3://apps/live?endpoint=http://minio:9000' }).s3).toEqual({
      endpoint: 'http://minio:9000',
      region: 'us-east-1',
      bucket: 'apps',
      prefix: 'live/',
      accessKeyId: 'AKID',
      secretAccessKey: 'secret',
    });
  });

  it('contain a mail server and a sender, or null', () => {
    const sender = { SVC_MAIL_FROM: 'App store <store@example.com>' };
    expect(readSettings(sender).smtp).toBeNull();
    expect(readSettings({ ...sender, SVC_SMTP_URL: 'smtps://u:p@mail.example' }).smtp).toEqual({
      host: 'mail.example',
      port: 465,
      secure: true,
      login: { user: 'u', pass: 'p' },
      from: 'App store <store@example.com>',
    });
  });

  it('trust only the given proxies, and none by default', () => {
    const proxies = { SVC_TRUSTED_PROXIES: '10.0.0.0/8, fd00::1' };
    expect(readSettings(proxies).trustedProxies.check('10.1.2.3')).toBe(true);
    expect(readSettings(proxies).trustedProxies.check('fd00::2', 'ipv6')).toBe(false);
    expect(readSettings({}).trustedProxies.check('127.0.0.1')).toBe(false);
  });

  it('contain the review policy from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-policy-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const policyFile = (content: string) => {
      const file = join(folder, 'policy.json');
      writeFileSync(file, content);
      return { SVC_POLICY_FILE: file };
    };
    const read = readSettings(policyFile('{"reservedNames":["acme"],"flaggedCodes":["bundle.readme"]}'));
    expect(read).toMatchObject({ reservedNames: ['acme'], flaggedCodes: ['bundle.readme'] });
    const reason = { id: 'no-licence', title: 'No licence', text: 'Add one.' };
    const review = { skipReview: ['example'], reviewDays: 0.5, cannedReasons: [reason] };
    expect(readSettings(policyFile(JSON.stringify(review)))).toMatchObject(review);
    for (const [policy, line] of [
      [
        { skipReview: ['*'] },
        /^SVC_POLICY_FILE cannot be used: skipReview\.0 is not valid: skipReview must be a list of short names/,
      ],
      [
        { skipReview: 'example' },
        /^SVC_POLICY_FILE cannot be used: skipReview must be a list of short names of publishers$/,
      ],
      [{ reviewDays: 0 }, /^SVC_POLICY_FILE cannot be used: reviewDays must be a number of days above 0/],
      [{ retentionDays: { mails: 31 } }, /retentionDays.mails is not valid: retentionDays must be an object/],
      [{ uploadQuota: { uploads: 0 } }, /uploadQuota.uploads is not valid: uploadQuota must be an object/],
      [{ reviewDays: '3' }, /^SVC_POLICY_FILE cannot be used: reviewDays must be a number of days above 0/],
      [
        { cannedReasons: [reason, reason] },
        /^SVC_POLICY_FILE cannot be used: cannedReasons must be a list .* each id is unique/,
      ],
      [
        { cannedReasons: [{ ...reason, id: 'No licence' }] },
        /: cannedReasons\.0\.id is not valid: cannedReasons must be a list/,
      ],
      [
        { cannedReasons: [{ ...reason, text: ' ' }] },
        /: cannedReasons\.0\.text is not valid: cannedReasons must be a list/,
      ],
    ] as const) {
      expect(() => readSettings(policyFile(JSON.stringify(policy)))).toThrow(line);
    }
    expect(() => readSettings(policyFile('{"reserved":[]}'))).toThrow(
      /^SVC_POLICY_FILE cannot be used: "reserved" is not a key of the policy/,
    );
    expect(() => readSettings(policyFile('nonsense'))).toThrow(/^SVC_POLICY_FILE cannot be read/);
  });

  const settingsFile = (content: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'svc-store.env');
    writeFileSync(file, content);
    return { SVC_SETTINGS_FILE: file };
  };

  it('can be in a file, which the environment overrides', () => {
    const lines = [
      '# The store',
      '',
      'PORT=9000',
      'SVC_BASE_URL="https://apps.example"',
      "LOG_LEVEL='warn' # loud",
    ];
    const file = settingsFile(`${lines.join('\r\n')}\nSVC_ADMIN_TOKEN=\n`);
    expect(readSettings({ ...file, PORT: '9001', LOG_LEVEL: '' })).toMatchObject({
      port: 9001,
      baseUrl: 'https://apps.example',
      logLevel: 'warn',
      adminToken: null,
    });
  });

  it.each([
    ['PORT 8787', /^SVC_SETTINGS_FILE cannot be used: line 1 must be NAME=value$/],
    ['PORT=1\nexport secret-password', /^SVC_SETTINGS_FILE cannot be used: line 2 must be NAME=value$/],
    ['PORT=1\nPORT=2', /^SVC_SETTINGS_FILE cannot be used: line 2 sets PORT again$/],
    [
      'PROT=1',
      /^SVC_SETTINGS_FILE cannot be used: PROT is not a setting that a file can have: did you mean PORT\?$/,
    ],
    [
      'SVC_TOKEN=secret-password',
      /^SVC_SETTINGS_FILE cannot be used: SVC_TOKEN is not a setting that a file can have$/,
    ],
    [
      'SVC_SETTINGS_FILE=other',
      /^SVC_SETTINGS_FILE cannot be used: SVC_SETTINGS_FILE is not a setting that a file can have$/,
    ],
    ['SVC_ADMIN_TOKEN=secret', /^SVC_ADMIN_TOKEN must have at least 16 characters$/],
  ])('reject a file with %j', (content, line) => {
    const reading = () => readSettings(settingsFile(content));
    expect(reading).toThrow(SettingError);
    expect(reading).toThrow(line);
    expect(reading).not.toThrow(/secret/);
  });
});

describe('how long sessions last', () => {
  const provider = {
    ...{
      id: 'acme',
      label: 'Acme',
      issuer: 'https://login.acme.example',
      clientId: 'svc',
      clientSecret: 's'.repeat(40),
    },
    allowedDomains: ['acme.example'],
  };
  const roles = { admins: 'administrator' };
  const publishers = { team: { slug: 'team-a' } };

  it.each([
    [null, {}, [2_160, 2_160]],
    [{ roles }, {}, [168, 24]],
    [{ publishers }, {}, [168, 168]],
    [{ roles }, { SVC_SESSION_HOURS: '8' }, [8, 8]],
    [{ roles }, { SVC_SESSION_HOURS: '720', SVC_ROLE_SESSION_HOURS: '12' }, [720, 12]],
    [null, { SVC_ROLE_SESSION_HOURS: '12' }, [2_160, 12]],
  ])('follows from the groups %j and from %j', (groups, environment, [session, role]) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'sign-in.json');
    writeFileSync(file, JSON.stringify([{ ...provider, ...(groups && { groups }) }]));
    const settings = readSettings({ SVC_SIGN_IN_FILE: file, ...environment });
    expect([settings.sessionHours, settings.roleSessionHours]).toEqual([session, role]);
  });
});
