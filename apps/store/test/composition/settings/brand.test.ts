import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { png } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSettings, SettingError } from '../../../src/composition/settings.ts';

const nameOf = (text: string) => readSettings({ SVC_STORE_NAME: text }).storeName;

describe('the name of a store', () => {
  it.each([
    ['Acme Apps', 'Acme Apps'],
    ['  Acme  ', 'Acme'],
    ['متجر التطبيقات', 'متجر التطبيقات'],
    ['Cafe\u0301', 'Café'],
    ['😀'.repeat(40), '😀'.repeat(40)],
  ])('is %j', (text, name) => {
    expect(nameOf(text)).toBe(name);
  });

  it.each([
    ['a line break', 'Acme\r\nBcc: all@example.com', /must be one line without control/],
    ['a bidirectional control character', 'Acme \u202Eerots', /direction characters$/],
    ['an invisible character', 'Ac\u200Bme', /invisible/],
    ['only spaces', '   ', /must have 1 to 40 characters$/],
    ['41 characters', 'a'.repeat(41), /must have 1 to 40 characters$/],
  ])('cannot have %s', (_what, text, why) => {
    expect(() => nameOf(text)).toThrow(SettingError);
    expect(() => nameOf(text)).toThrow(why);
    expect(() => nameOf(text)).toThrow(/^SVC_STORE_NAME /);
  });
});

describe('the accent of a store', () => {
  const accentOf = (text: string) => readSettings({ SVC_STORE_ACCENT: text }).storeAccent;

  it('is a colour that can be read on a page', () => {
    expect(accentOf('#0B57B0')).toBe('#0b57b0');
    expect(readSettings({}).storeAccent).toBeNull();
    for (const text of ['blue', '#0b57b', '#0b57b0;}body{display:none', 'url(x)'])
      expect(() => accentOf(text)).toThrow('SVC_STORE_ACCENT must be a colour such as #0b57b0');
    expect(() => accentOf('#f2c063')).toThrow(/contrast of at least 4.5 on #fafaf7, and has 1.6/);
  });
});

async function logoOf(bytes: Uint8Array | string) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-logo-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'logo');
  await writeFile(file, bytes);
  return () => readSettings({ SVC_STORE_LOGO: file }).storeLogo;
}

describe('the logo of a store', () => {
  it('has the format of its bytes, whatever the name of the file', async () => {
    const read = await logoOf(png(256, 256));
    expect(read()).toEqual({ format: 'png', bytes: Buffer.from(png(256, 256)) });
  });

  it.each([
    [
      'an SVG',
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      /the file is an SVG$/,
    ],
    ['an HTML page', '<!doctype html><script>alert(1)</script>', /the file is an HTML page$/],
    ['a truncated picture', png(256, 256).subarray(0, 12), /begins like a PNG, but/],
    [
      'a picture that is not square',
      png(256, 128),
      /a square of 64 to 1024 pixels, and the file has 256 by 128$/,
    ],
    ['too small', png(32, 32), /has 32 by 32$/],
    ['too large', png(2048, 2048), /has 2048 by 2048$/],
    ['too many bytes', Buffer.alloc(256 * 1024 + 1), /at most 256 KiB$/],
    ['empty', '', /the file is empty$/],
  ])('cannot be %s', async (_what, bytes, why) => {
    const read = await logoOf(bytes);
    expect(read).toThrow(SettingError);
    expect(read).toThrow(why);
  });

  it.each(['/', '/no/such/logo.png'])('must be a file, which %s is not', (file) => {
    expect(() => readSettings({ SVC_STORE_LOGO: file })).toThrow('SVC_STORE_LOGO must be a file');
  });
});
