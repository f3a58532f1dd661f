import { expect, it } from 'vitest';
import { cleanTerminal, terminalOf } from '../../src/io/terminal.ts';
import { memoryTerminal } from '../support/command-context.ts';

const stream = (isTTY?: boolean, columns?: number) => ({
  write: () => true,
  ...(isTTY !== undefined && { isTTY }),
  ...(columns !== undefined && { columns }),
});

it.each([
  { isTTY: true, env: {}, colour: true },
  { isTTY: true, env: { NO_COLOR: '' }, colour: true },
  { isTTY: true, env: { NO_COLOR: '1' }, colour: false },
  { isTTY: true, env: { TERM: 'dumb' }, colour: false },
  { isTTY: false, env: {}, colour: false },
  { isTTY: undefined, env: { FORCE_COLOR: '1' }, colour: false },
])('sets colour to $colour with $env and isTTY $isTTY', ({ isTTY, env, colour }) => {
  expect(terminalOf(stream(isTTY), stream(), env).colour).toBe(colour);
});

it.each([
  { isTTY: true, env: {}, isScreen: true },
  { isTTY: true, env: { TERM: 'dumb' }, isScreen: false },
  { isTTY: false, env: {}, isScreen: false },
])('sets isScreen to $isScreen with $env and isTTY $isTTY', ({ isTTY, env, isScreen }) => {
  expect(terminalOf(stream(isTTY), stream(), env).isScreen).toBe(isScreen);
});

it.each([
  { columns: 132, is: 132 },
  { columns: 0, is: 80 },
  { columns: undefined, is: 80 },
])('uses $is columns when the terminal reports $columns', ({ columns, is }) => {
  expect(terminalOf(stream(true, columns), stream(), {}).columns).toBe(is);
});

it.each([
  { env: { LANG: 'en_GB.UTF-8' }, unicode: true },
  { env: { LANG: 'de_DE.utf8' }, unicode: true },
  { env: { LC_ALL: 'C', LANG: 'en_GB.UTF-8' }, unicode: false },
  { env: { LC_ALL: '', LC_CTYPE: 'C.UTF-8' }, unicode: true },
  { env: {}, unicode: false },
  { env: { WT_SESSION: 'x' }, unicode: true },
])('sets unicode to $unicode with $env', ({ env, unicode }) => {
  expect(terminalOf(stream(), stream(), env).unicode).toBe(unicode);
});

it('hides the given token, and text that looks like a token', () => {
  const { terminal, shown } = memoryTerminal();
  const quiet = cleanTerminal(terminal, 'hunter2-hunter2');
  quiet.out('is hunter2-hunter2 known?');
  quiet.err('--token=svcp_abcDEF123');
  expect(shown).toEqual({ out: 'is [token] known?', err: '--token=[token]' });
});

it('does not replace a given token that is too short', () => {
  const { terminal, shown } = memoryTerminal();
  cleanTerminal(terminal, 'a').out('an apple');
  cleanTerminal(terminal, '').out(' a day');
  expect(shown.out).toBe('an apple a day');
});

it('escapes all control characters except those that svc writes', () => {
  const evil = '\u001b[2J\u001b]0;x\u0007\r\u009b31m\u202e\n';
  const { terminal, shown } = memoryTerminal();
  cleanTerminal(terminal, undefined).out(evil);
  expect(shown.out).toBe('\\u001b[2J\\u001b]0;x\\u0007\\r\\u009b31m\\u202e\n');
  const coloured = memoryTerminal(true);
  cleanTerminal(coloured.terminal, undefined).out(`\u001b[32mgood\u001b[39m\r\u001b[K\u001b]8;;x`);
  expect(coloured.shown.out).toBe('\u001b[32mgood\u001b[39m\r\u001b[K\\u001b]8;;x');
});
