import { describe, expect, it } from 'vitest';
import { cautionOf } from '../../src/files/file-caution.ts';

const at = (path: string, content: string | Buffer = 'text', project: string | null = '/projects/app') =>
  cautionOf({
    ...{ name: path.split('/').at(-1) ?? '', bytes: Buffer.from(content) },
    origin: { path, project },
  });
const chosen = (name: string, content: string | Buffer = 'text') =>
  cautionOf({ name, bytes: Buffer.from(content) });

const RSA = '-----BEGIN RSA PRIVATE KEY-----\nMIIE';

describe('cautionOf', () => {
  it.each([
    'notes.txt',
    'src/keyboard.ts',
    'a.b/c.md5',
    'monkey.png',
    'README',
    'tokens.css',
    'public/id.svg',
  ])('is null for %s of the project', (path) => {
    expect(at(`/projects/app/${path}`)).toBe(null);
  });

  it.each(['.eslintrc', '.git/config', 'a/.npmrc', '.github/x.yml', 'a/.b/c.txt'])(
    'is hidden for %s',
    (path) => {
      expect(at(`/projects/app/${path}`)).toBe('hidden');
    },
  );

  it.each([
    ...['id_rsa', 'id_ed25519.pub', 'a/server.PEM', 'tls.key', 'cert.p12', 'x.pfx', 'store.jks', 'my.kdbx'],
    ...[
      '.env',
      'prod.env',
      'credentials',
      'aws-credentials.csv',
      'client_secret_1.json',
      'secrets.yaml',
      'passwords.txt',
    ],
    ...['service-account.json', 'terraform.tfstate', 'terraform.tfstate.backup', 'known_hosts', 'a.ovpn'],
  ])('is secret for the name %s', (path) => {
    expect([at(`/projects/app/${path}`), chosen(path)]).toEqual(['secret', 'secret']);
  });

  it.each([
    ['PEM', RSA],
    ['PEM after other text', `${'x'.repeat(100_000)}${RSA}`],
    ['an encrypted key', '-----BEGIN ENCRYPTED PRIVATE KEY-----'],
    ['OpenSSH', '-----BEGIN OPENSSH PRIVATE KEY-----'],
    ['OpenPGP', '-----BEGIN PGP PRIVATE KEY BLOCK-----'],
    ['PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519'],
    ['age', 'AGE-SECRET-KEY-1QQ'],
    ['a cloud account', '{"type":"service_account","private_key":"x"}'],
    ['KeePass', Buffer.from([3, 0xd9, 0xa2, 0x9a, 1])],
    ['UTF-16', Buffer.from(`\ufeff${RSA}`, 'utf16le')],
    ['UTF-16 without a mark', Buffer.from(RSA, 'utf16le')],
  ])('is secret for %s under a harmless name', (_what, content) => {
    expect([at('/projects/app/notes.txt', content), chosen('notes.txt', content)]).toEqual([
      'secret',
      'secret',
    ]);
  });

  it.each([
    ['/projects/other/a.txt', '/projects/app'],
    ['/projects/app-other/a.txt', '/projects/app'],
    ['/projects/a.txt', '/projects/app'],
    ['/projects/a.txt', null],
  ])('is outside for %s and the project %s', (path, project) => {
    expect(at(path, 'text', project)).toBe('outside');
  });

  it('counts every folder of a path outside, and both names of a linked file', () => {
    expect(at('/home/ada/.ssh/config')).toBe('hidden');
    expect(
      cautionOf({
        ...{ name: 'id_rsa', bytes: Buffer.from('x') },
        origin: { path: '/projects/app/a.txt', project: '/projects/app' },
      }),
    ).toBe('secret');
    expect(at('/projects/.hidden/app/a.txt', 'text', '/projects/.hidden/app')).toBe(null);
  });
});
