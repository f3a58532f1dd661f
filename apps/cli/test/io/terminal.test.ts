import { expect, it } from 'vitest';
import { terminalOf, withoutSecrets } from '../../src/io/terminal.ts';
import { memoryTerminal } from '../support/world.ts';

const stream = (isTTY?: boolean) => ({ write: () => true, ...(isTTY !== undefined && { isTTY }) });

it.each([
  { isTTY: true, env: {}, colour: true },
  { isTTY: true, env: { NO_COLOR: '' }, colour: true },
  { isTTY: true, env: { NO_COLOR: '1' }, colour: false },
  { isTTY: true, env: { TERM: 'dumb' }, colour: false },
  { isTTY: false, env: {}, colour: false },
  { isTTY: undefined, env: { FORCE_COLOR: '1' }, colour: false },
])('gives colour: $colour with $env, a terminal: $isTTY', ({ isTTY, env, colour }) => {
  expect(terminalOf(stream(isTTY), stream(), env).colour).toBe(colour);
});

it('shows neither the secret nor what is shaped like one', () => {
  const { terminal, shown } = memoryTerminal();
  const guarded = withoutSecrets(terminal, 'hunter2-hunter2');
  guarded.out('is hunter2-hunter2 known?');
  guarded.err('--token=svcp_abcDEF123');
  expect(shown).toEqual({ out: 'is [token] known?', err: '--token=[token]' });
});

it('does not garble everything for a secret that is too short to be one', () => {
  const { terminal, shown } = memoryTerminal();
  withoutSecrets(terminal, 'a').out('an apple');
  withoutSecrets(terminal, '').out(' a day');
  expect(shown.out).toBe('an apple a day');
});
