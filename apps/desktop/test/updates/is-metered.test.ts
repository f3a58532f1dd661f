import { expect, it } from 'vitest';
import { runProgram } from '../../src/links/links.ts';
import { isMetered } from '../../src/updates/is-metered.ts';

const SYSTEMS = {
  linux: 'busctl --system --timeout=5 get-property org.freedesktop.NetworkManager ',
  win32: 'D:\\Win\\System32\\WindowsPowerShell\\v1.0\\powershell.exe -NoProfile -NonInteractive -Command ',
};

/** A system that answers the question of this program. */
const saying =
  (question: string, stdout: string): typeof runProgram =>
  async (program, args) => {
    expect([program, ...args].join(' ')).toContain(question);
    return { stdout };
  };

it.each([
  ['linux', 'u 1\n', true],
  ['linux', 'u 3\n', true],
  ['linux', 'u 2\n', false],
  ['linux', 'u 4\n', false],
  ['linux', 'u 0\n', false],
  ['linux', 'u 11\n', false],
  ['linux', '', false],
  ['win32', 'Fixed\r\n', true],
  ['win32', 'Variable\r\n', true],
  ['win32', 'Unrestricted\r\n', false],
  ['win32', 'Unknown\r\n', false],
] as const)('of %s: the answer %j says %s', async (platform, said, expected) => {
  const run = saying(SYSTEMS[platform], said);
  expect(await isMetered(platform, { SystemRoot: 'D:\\Win' }, run)).toBe(expected);
});

it('is false where the system does not say: without the program, when it fails, and on macOS', async () => {
  const missing: typeof runProgram = (_program, args) => runProgram('no-such-program', args);
  const failing: typeof runProgram = () => runProgram(process.execPath, ['-e', 'process.exit(1)']);
  for (const run of [missing, failing]) expect(await isMetered('linux', {}, run)).toBe(false);
  const unasked: typeof runProgram = async () => expect.fail('It asks nothing.');
  expect(await isMetered('darwin', {}, unasked)).toBe(false);
});
