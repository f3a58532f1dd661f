import { describe, expect, it } from 'vitest';
import { didYouMean, isText, namesOf, repairName, show, textFault } from '../src/text.ts';
import { issuesOf } from './support.ts';

describe('show', () => {
  it.each([
    ['plain', '"plain"'],
    ['say "hi" \\', '"say \\"hi\\" \\\\"'],
    ['a\nb\u0000', '"a\\nb\\u0000"'],
    ['\u202egpj.exe', '"\\u202egpj.exe"'],
    ['a\u200bb', '"a\\u200bb"'],
    ['\ud800', '"\\ud800"'],
    ['\u{e0001}', '"\\u{e0001}"'],
    [undefined, 'nothing'],
    [null, 'null'],
    [-0.5, '-0.5'],
    [true, 'true'],
    [[1], 'a list'],
    [{ a: 1 }, 'an object'],
    [() => 1, 'a function'],
  ])('%j', (value, shown) => expect(show(value)).toBe(shown));

  it('cuts long text, and never splits a surrogate pair', () => {
    expect(show('n'.repeat(61))).toBe(`"${'n'.repeat(60)}…"`);
    expect(show('n'.repeat(60))).toBe(`"${'n'.repeat(60)}"`);
    expect(show('😀'.repeat(10_000)).isWellFormed()).toBe(true);
    expect(show(`n${'😀'.repeat(10_000)}`).isWellFormed()).toBe(true);
  });
});

describe('isText', () => {
  it.each(['a', ' a ', '名前', '😀', '?'])('accepts %j', (text) => expect(isText(text, 40)).toBe(true));
  it.each([
    '',
    ' ',
    '\t\n',
    '\u00a0',
    '\u200b',
    '\u3164',
    '\u2800',
    '\u0301',
    '\u202e',
    '\ud800',
    7,
    null,
    undefined,
    ['a'],
  ])('refuses %j', (text) => expect(isText(text, 40)).toBe(false));
  it('counts UTF-16 code units', () => {
    expect(isText('😀', 2)).toBe(true);
    expect(isText('😀', 1)).toBe(false);
  });
});

it('textFault says whether a text is missing, no string, too long or blank', () => {
  expect(textFault('"x"', undefined, 3)).toBe('"x" is missing: write 1 to 3 characters.');
  expect(textFault('"x"', 7, 3)).toBe('"x" must be a string, not 7.');
  expect(textFault('"x"', 'abcd', 3)).toBe('"x" has 4 characters: shorten it to 3 or fewer.');
  expect(textFault('"x"', ' ', 3)).toMatch(/blank/);
});

const NAMES = namesOf(['darwin', 'win32', 'linux'], { macOS: 'darwin', 'mac os x': 'darwin' });

describe('names', () => {
  it('are repaired from another spelling or an alias', () => {
    for (const value of ['Darwin', 'macos', 'MacOS', 'Mac OS X']) {
      expect(repairName(value, NAMES)).toEqual({ put: 'darwin' });
      expect(didYouMean(value, NAMES)).toBe(' Did you mean "darwin"?');
    }
  });

  it('are only suggested when the value is merely similar', () => {
    expect(repairName('linxu', NAMES)).toBeUndefined();
    expect(didYouMean('linxu', NAMES)).toBe(' Did you mean "linux"?');
  });

  it.each(['beos', 'constructor', '__proto__', 'toString', '', 7, null, undefined, ['darwin']])(
    'are not suggested for %j',
    (value) => {
      expect(repairName(value, NAMES)).toBeUndefined();
      expect(didYouMean(value, NAMES)).toBe('');
    },
  );
});

const account = { id: 'notes', label: 'Notes', auth: 'mcp', scopes: [] };
const tool = { id: 'find', name: 'Find', description: 'Finds.' };
const media = (prepare: object) => ({
  contributes: { tools: [{ ...tool, files: { a: { prepare } } }] },
  grants: ['files:receive', 'host:media'],
});

it.each([
  [{ categories: ['meida'] }, '"media"'],
  [{ platforms: ['windows'] }, '"win32"'],
  [{ platforms: ['darwim'] }, '"darwin"'],
  [{ arch: ['x86_64'] }, '"x64"'],
  [{ arch: ['amr64'] }, '"arm64"'],
  [{ grants: ['files:recieve'] }, '"files:receive"'],
  [media({ op: 'resise', width: 1 }), '"resize"'],
  [media({ op: 'convert', format: 'jpg' }), '"jpeg"'],
  [media({ op: 'resize', width: 1, fit: 'contains' }), '"contain"'],
  [media({ op: 'resize', width: 1, gravity: 'left' }), '"west"'],
  [{ accounts: [{ ...account, auth: 'mpc' }] }, '"mcp"'],
  [{ contributes: { panels: [{ id: 'a', title: 'A', component: 'webveiw' }] } }, '"webview"'],
  [{ requires: { providers: ['claude'] } }, '"claude-code"'],
  [{ requires: { providers: ['cusror'] } }, '"cursor"'],
  [{ requires: { apps: [{ id: 'browser_use', reason: 'Looks.' }] } }, '"browser-use"'],
  [{ requires: { apps: [{ id: 'compter-use', reason: 'Looks.' }] } }, '"computer-use"'],
  [{ pluginApiVersion: '3' }, 'the number 3'],
  [{ accounts: [account], contributes: { tools: [{ ...tool, account: 'note' }] } }, '"notes"'],
])('a message about %j suggests %s', (patch, name) => {
  const [issue] = issuesOf(patch);
  expect(issue?.message).toMatch(/[.] Did you mean [^?]+\?$/);
  expect(issue?.message).toContain(`Did you mean ${name}?`);
});

it('suggests grants of built-in apps only in dev mode', () => {
  expect(issuesOf({ grants: ['netwrok'] }, 'dev')[0]?.message).toContain('Did you mean "network"?');
  expect(issuesOf({ grants: ['netwrok'] })[0]?.message).not.toContain('Did you mean');
});

it('escapes a hostile account id in messages', () => {
  const accounts = [{ ...account, id: 'not\u202es' }];
  const issues = issuesOf({ accounts, contributes: { tools: [{ ...tool, account: 'notes' }] } });
  for (const { message } of issues) expect(message).not.toContain('\u202e');
});
