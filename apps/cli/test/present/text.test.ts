import path from 'node:path';
import type { Issue } from '@svc/contracts';
import { runs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  escapeLines,
  escapeText,
  fieldLines,
  headline,
  issueCount,
  issueLines,
  jsonLine,
  sizeOf,
} from '../../src/present/text.ts';
import { writeApp } from '../support/app-folder.ts';
import { memoryKeyring, memoryTerminal, testCli } from '../support/command-context.ts';
import { TOKEN } from '../support/device-store.ts';
import { type Attack, attacksOn, hostileStore } from '../support/hostile-store.ts';

it.each([
  ['\u001b[31m', '\\u001b[31m'],
  ['a\r\nb\tc', 'a\\r\\nb\\tc'],
  ['\u009b2J\u007f', '\\u009b2J\\u007f'],
  ['\u202e\u2066\u200b\ufeff', '\\u202e\\u2066\\u200b\\ufeff'],
  ['\u2028\u2029', '\\u2028\\u2029'],
  ['\ud800x', '\\ud800x'],
  ['\u{e0041}', '\\u{e0041}'],
  ['Grüße, 世界 🎉', 'Grüße, 世界 🎉'],
])('shows %j as %s', (text, shown) => {
  expect(escapeText(text)).toBe(shown);
});

it('limits the length', () => {
  expect(escapeText('a'.repeat(100_000)).length).toBeLessThan(5_000);
});

it('indents each line', () => {
  expect(escapeLines('a\n\u0007b\n', '  ')).toBe('  a\n  \\u0007b\n');
});

it('writes JSON that reads back the same', () => {
  const value = { text: '\u001b\u009b\u202e\u2028\u{e0041}\ud800\n🎉' };
  const line = jsonLine(value);
  expect(JSON.parse(line)).toEqual(value);
  expect(line).not.toMatch(/[^\n\P{C}]|\p{Zl}/u);
  expect(line.match(/\n/g)).toHaveLength(1);
});

describe('a hostile store', () => {
  const ESCAPE = '\u001b';
  /** Line breaks, cursor movement, a window title, direction overrides, colours and hidden characters. */
  const EVIL = '\nEVIL\r\u001b[2J\u001b]0;x\u0007\u009b31m\u001b[7mEVIL\u202e\u2028\u200b\u{e0041}\u0085';

  // The store's own attempt is inverse, which svc never writes.
  const OWN_COLOURS = new RegExp(`${ESCAPE}\\[(?!7m)[0-9;]*m`, 'g');

  const COMMANDS: Readonly<Record<string, readonly string[][]>> = {
    list: [[], ['tidy', '--mine'], ['--json']],
    doctor: [[], ['--json']],
    info: [['com.example.tidy'], ['com.example.tidy', '--json']],
    status: [
      ['com.example.tidy', '1.0.0'],
      ['com.example.tidy', '1.0.0', '--json'],
    ],
    yank: [['com.example.tidy', '1.0.0', '--reason', 'x']],
    retract: [['com.example.tidy', '1.0.0']],
    publish: [['app']],
    report: [['com.example.tidy'], ['com.example.tidy', '--json']],
    emergency: [
      ['com.example.tidy', '--dry-run'],
      ['com.example.tidy', '--dry-run', '--json'],
    ],
    verify: [['com.example.tidy@1.0.0']],
    log: [[], ['--json']],
    whoami: [[], ['--json']],
    login: [[]],
    logout: [[]],
    init: [
      [
        'new',
        '--yes',
        '--name',
        'New',
        '--id',
        'com.example.new',
        '--publisher',
        'example',
        '--description',
        'New.',
        '--mcp-url',
        'https://mcp.example.com/',
      ],
    ],
  };
  /** Commands that contact no store; those of the desktop have their own tests. */
  const WITHOUT_STORE = [
    'validate',
    'pack',
    'explain',
    'version',
    'completion',
    'desktop',
    'install',
    'links',
    'updates',
    'dev',
    'gateway',
    'connect',
    'help',
  ];

  async function ran(command: string, args: readonly string[], attack: Attack | null, colour: boolean) {
    const { url, seen } = await hostileStore(attack, EVIL);
    const { keyring } = memoryKeyring();
    const { run, cwd } = await testCli(
      { SVC_STORE: url, ...(command !== 'login' && command !== 'logout' && { SVC_TOKEN: TOKEN }) },
      { keyring, terminal: { colour } },
    );
    if (command === 'publish') await writeApp(path.join(cwd, 'app'));
    if (command === 'logout') await run('login');
    const shown = await run(command, ...args);
    return { ...shown, urls: seen.map(({ url: asked }) => asked.split('?')[0] ?? '') };
  }

  it('is contacted by all other commands', async () => {
    const { out } = await (await testCli()).run('--help');
    const named = [...out.matchAll(/^ {2}([a-z]+)(?= )/gm)].map(([, name = '']) => name);
    expect(new Set(named)).toEqual(new Set([...Object.keys(COMMANDS), ...WITHOUT_STORE]));
  });

  it.each(
    Object.entries(COMMANDS).flatMap(([command, lines]) =>
      lines.map((args) => ({ command, args, line: [command, ...args].join(' ') })),
    ),
  )('can output only plain text through "svc $line"', async ({ command, args }) => {
    const { urls } = await ran(command, args, null, false);
    const all = attacksOn(urls);
    // Each attack is in another field of a response. Of many, `npm test` tries an evenly spread sample.
    const stride = Math.ceil(all.length / runs(all.length));
    const attacks = all.filter((_attack, at) => at % stride === 0);
    if (command !== 'init') expect(all.length).toBeGreaterThan(5);
    for (const colour of [false, true]) {
      for (const attack of attacks) {
        const { out, err } = await ran(command, args, attack, colour);
        const what = JSON.stringify(attack);
        const text = colour ? (out + err).replace(OWN_COLOURS, '') : out + err;
        // Line feeds come only from svc: no line begins with text of the store.
        expect(text, what).not.toMatch(/^EVIL/m);
        expect(text, what).not.toMatch(/[^\n\P{C}]|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/u);
      }
    }
  });
});

it('aligns values, and leaves out missing ones', () => {
  const { terminal } = memoryTerminal();
  const lines = fieldLines(terminal, [
    ['a', 'one\n'],
    ['long', ['x', 'y']],
    ['none', []],
    ['gone', undefined],
  ]);
  expect(lines).toBe('  a     one\\n\n  long  x, y\n  none  none\n');
});

it('uses colours only when enabled', () => {
  expect(headline(memoryTerminal(true).terminal, 'bad', 'rejected', 'x')).toContain('\u001b[31m');
  expect(headline(memoryTerminal(false).terminal, 'bad', 'rejected', 'x')).toBe('rejected  x\n');
});

it.each([
  [0, '0 bytes'],
  [1_536, '1.5 KiB (1,536 bytes)'],
  [26_214_400, '25.0 MiB (26,214,400 bytes)'],
])('writes %d bytes as %s', (bytes, shown) => {
  expect(sizeOf(bytes)).toBe(shown);
});

const ISSUES: Issue[] = [
  { code: 'a.b', level: 'error', path: '/x', message: 'Bad.' },
  { code: 'long.code', level: 'warning', path: `ui/${'a'.repeat(60)}.js`, message: 'Odd.' },
];

it('writes one line per issue, and one long path does not change the columns of the others', () => {
  const { terminal } = memoryTerminal();
  expect(issueLines(terminal, ISSUES)).toBe(
    `  error    a.b        /x  Bad.\n  warning  long.code  ui/${'a'.repeat(60)}.js  Odd.\n`,
  );
});

it('counts errors and warnings', () => {
  expect(issueCount(ISSUES)).toBe('1 error, 1 warning');
  expect(issueCount([])).toBe('no problems');
});
