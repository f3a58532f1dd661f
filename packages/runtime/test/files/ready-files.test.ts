import type { FileRule, Tool } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { cautionOf, type Prepare, readyFiles, withFiles } from '../../src/files/ready-files.ts';
import { refused } from '../support/refused.ts';

const { signal } = new AbortController();

const PNG = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000049444154',
  'hex',
);
const PDF = Buffer.from('%PDF-1.7 hello');

const toolWith = (rule: FileRule): Tool => ({
  id: 'send',
  name: 'Send',
  description: 'Sends.',
  files: { file: rule },
});
const never: Prepare = () => Promise.reject(new Error('nothing is prepared'));

const ready = (
  rule: FileRule,
  files: { name: string; bytes: Uint8Array }[],
  { grants = ['files:receive', 'host:media'], prepare = never, param = 'file' } = {},
) => readyFiles(toolWith(rule), { [param]: files }, { grants, prepare, signal });

describe('the rule of a file parameter', () => {
  it.each<[string[] | undefined, string, Uint8Array, boolean]>([
    [undefined, 'x', PDF, true],
    [['image/png'], 'x.png', PNG, true],
    [['image/*'], 'x', PNG, true],
    [['IMAGE/PNG; q=1'], 'x', PNG, true],
    [['*/*'], 'x', PDF, true],
    [['image/*'], 'innocent.png', PDF, false],
    [['image/png'], 'x.png', Buffer.from('MZ\u0090\u0000'), false],
    [['image/*'], 'x.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').fill(0), false],
    [['image/jpeg'], 'x.jpg', PNG, false],
    [['imag'], 'x.png', PNG, false],
    [[], 'x.png', PNG, false],
    [['text/csv'], 'x.csv', Buffer.from('a,b\n1,2'), true],
    [['text/csv'], 'x.csv', PDF, false],
    [['application/json'], 'x.json', Buffer.from('{"a":1}'), true],
    [['application/json'], 'x.json', Buffer.from('{"a":'), false],
  ])('with the accepted types %j checks the content of %s', async (accept, name, bytes, taken) => {
    const result = ready({ ...(accept && { accept }) }, [{ name, bytes }]);
    if (taken) expect(await result).toHaveLength(1);
    else await expect(result).rejects.toEqual(refused('file-refused'));
  });

  it('accepts one file, or up to 20 files if it allows several', async () => {
    const file = { name: 'a.pdf', bytes: PDF };
    expect(await ready({}, [file])).toHaveLength(1);
    expect(await ready({ multiple: true }, [file, file])).toHaveLength(2);
    for (const [rule, files] of [
      [{}, []],
      [{}, [file, file]],
      [{ multiple: true }, []],
      [{ multiple: true }, Array(21).fill(file)],
    ] as const) {
      await expect(ready(rule, [...files])).rejects.toEqual(refused('file-refused'));
    }
  });

  it('limits the size of each file, and of all files of a call', async () => {
    const bytes = (length: number) => ({ name: 'x', bytes: Buffer.alloc(length) });
    expect(await ready({ maxBytes: 10 }, [bytes(10)])).toHaveLength(1);
    await expect(ready({ maxBytes: 10 }, [bytes(11)])).rejects.toEqual(refused('too-large'));
    await expect(ready({}, [bytes(20 * 2 ** 20 + 1)])).rejects.toEqual(refused('too-large'));
    const many = Array.from({ length: 4 }, () => bytes(17 * 2 ** 20));
    await expect(ready({ multiple: true }, many)).rejects.toEqual(refused('too-large'));
  });

  it('checks the size and the type of a file after the file was prepared', async () => {
    const prepare: Prepare = async () => ({ bytes: PNG, type: 'image/png' });
    const rule: FileRule = { accept: ['image/png'], maxBytes: 50, prepare: { op: 'convert', format: 'png' } };
    const large = {
      name: 'holiday.jpeg',
      bytes: Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.alloc(1_000)]),
    };
    expect(await ready(rule, [large], { prepare })).toMatchObject([
      {
        ...{ name: 'holiday.png', type: 'image/png' },
        was: { name: 'holiday.jpeg', type: 'image/jpeg', bytes: 1_003 },
      },
    ]);
    const [asItIs] = await ready({}, [large]);
    expect(asItIs).not.toHaveProperty('was');
    const other: Prepare = async () => ({ bytes: PDF, type: 'application/pdf' });
    await expect(ready(rule, [large], { prepare: other })).rejects.toEqual(refused('file-refused'));
    const grown: Prepare = async () => ({ bytes: Buffer.alloc(51), type: 'image/png' });
    await expect(ready(rule, [large], { prepare: grown })).rejects.toEqual(refused('too-large'));
  });

  it('accepts no file without the grants, and none for an undeclared parameter', async () => {
    const file = { name: 'a.pdf', bytes: PDF };
    await expect(ready({}, [file], { grants: [] })).rejects.toEqual(refused('file-refused'));
    const prepared: FileRule = { prepare: { op: 'trim', end: 1 } };
    await expect(ready(prepared, [file], { grants: ['files:receive'] })).rejects.toEqual(
      refused('file-refused'),
    );
    for (const param of ['other', '__proto__', 'constructor']) {
      await expect(ready({}, [file], { param })).rejects.toEqual(refused('file-refused'));
    }
  });
});

it('passes files to the tool by name, type and bytes, and several of them as a list', async () => {
  const files = [{ name: '../../etc/passwd', bytes: PDF }];
  const handed = { name: 'passwd', mimeType: 'application/pdf', data: PDF.toString('base64') };
  const single = toolWith({});
  expect(withFiles(single, { a: 1 }, await ready({}, files))).toEqual({ a: 1, file: handed });
  const several = toolWith({ multiple: true });
  expect(withFiles(several, {}, await ready({ multiple: true }, files))).toEqual({ file: [handed] });
});

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
