import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSettings, SettingError } from '../../../src/composition/settings.ts';

const SECRET = 'a-very-secret-client-secret';
const ACME = {
  id: 'acme',
  label: 'Acme',
  issuer: 'https://id.acme.example',
  clientId: 'svc',
  clientSecret: SECRET,
};
const GITHUB = { id: 'github', type: 'github', label: 'GitHub', clientId: 'svc', clientSecret: SECRET };

async function read(content: unknown) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sign-in-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'sign-in.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readSettings({ SVC_SIGN_IN_FILE: file }).providers;
}

const NO_RULES = { allowedDomains: null, ssoOnly: false, groups: null, scim: null };

describe('the file of providers', () => {
  it('configures OpenID providers and GitHub', async () => {
    expect(await read([ACME, GITHUB])).toEqual([
      { ...ACME, type: 'openid', groups: null, rules: NO_RULES, params: {} },
      {
        ...GITHUB,
        rules: NO_RULES,
        authorizeUrl: 'https://github.com/login/oauth/authorize',
        tokenUrl: 'https://github.com/login/oauth/access_token',
        apiUrl: 'https://api.github.com',
      },
    ]);
  });

  it('says whom a provider lets in, and what its groups mean', async () => {
    const groups = { roles: { admins: 'administrator' }, publishers: { team: { slug: 'team-a' } } };
    const [provider] = await read([{ ...ACME, allowedDomains: ['Acme.example'], ssoOnly: true, groups }]);
    expect(provider?.rules).toEqual({
      allowedDomains: ['acme.example'],
      ssoOnly: true,
      scim: null,
      groups: {
        allowed: null,
        claim: 'groups',
        ...groups,
        publishers: { team: { slug: 'team-a', role: 'member' } },
      },
    });
  });

  it.each([
    [
      'a domain with a port',
      [{ ...ACME, allowedDomains: ['acme.example:443'] }],
      /allowedDomains 0 must be a domain/,
    ],
    [
      'a parameter that the store sets itself',
      [{ ...ACME, params: { redirect_uri: 'https://evil.example' } }],
      /must not have client_id/,
    ],
    [
      'an unknown role',
      [{ ...ACME, groups: { roles: { a: 'root' } } }],
      /groups roles a must be moderator or/,
    ],
    [
      'no group that may use the store',
      [{ ...ACME, groups: { allowed: [] } }],
      /groups allowed must not be empty/,
    ],
    [
      'a parameter that the store sets itself',
      [{ ...ACME, params: { redirect_uri: 'https://evil.example' } }],
      /params must not have client_id, .*redirect_uri/,
    ],
    ['groups of GitHub', [{ ...GITHUB, groups: {} }], /provider 1: must be an object with id, label/],
    ['invalid JSON', `[{"clientSecret": "${SECRET}"`, /it is not JSON/],
    ['no list', ACME, /it must be a list of providers$/],
    ['an http issuer', [{ ...ACME, issuer: 'http://id.acme.example' }], /issuer must be an https address/],
    ['an issuer with another scheme', [{ ...ACME, issuer: 'ldap://x' }], /issuer must be an https address/],
    ['an id that is not safe in a URL', [{ ...ACME, id: '../x' }], /id must be lower-case/],
    ['a duplicate id', [ACME, ACME], /two providers must not have the same id/],
    ['an unknown field', [{ ...ACME, [SECRET]: SECRET }], /provider 1: must be an object with id, label/],
    ['an entry null', [ACME, null], /provider 2: must be an object with id, label/],
    ['no label', [{ ...ACME, label: undefined }], /provider 1: label must be a text of 1 to 60 characters$/],
    ['an unknown type', [{ ...ACME, type: 'saml' }], /provider 1: type must be openid or github$/],
    ['no secret', [{ ...ACME, clientSecret: '' }], /clientSecret must be a text that is not empty$/],
    [
      'a secret that is not a string',
      [{ ...GITHUB, clientSecret: { SECRET } }],
      /clientSecret must be a text/,
    ],
  ])('with %s stops the store with a one-line message without secrets', async (_what, content, message) => {
    const reading = read(content);
    await expect(reading).rejects.toThrow(SettingError);
    const { message: line } = (await reading.catch((error: unknown) => error)) as Error;
    expect(line).toMatch(/^SVC_SIGN_IN_FILE cannot be used: /);
    expect(line).toMatch(message);
    expect(line).not.toContain(SECRET);
    expect(line).not.toMatch(/\n|Invalid input|Unrecognized|expected/);
  });

  it('stops the store when it is missing', () => {
    expect(() => readSettings({ SVC_SIGN_IN_FILE: '/nowhere/sign-in.json' })).toThrow(/ENOENT/);
  });
});
