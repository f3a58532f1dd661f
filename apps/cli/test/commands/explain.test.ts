import { RULES } from '@svc/validator';
import { expect, it } from 'vitest';
import { testCli } from '../support/command-context.ts';

it('shows level, reason, message, and an incorrect and a correct example', async () => {
  const { run } = await testCli();
  const { code, out, err } = await run('explain', 'version.format');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain('Error: the app cannot be published');
  expect(out).toContain('rules of semver');
  expect(out).toMatch(/incorrect\n {2}In plugin\.json:\n {4}\{\n {6}"version": "v1\.0"\n {4}\}\n/);
  expect(out).toMatch(/message, at \/version\n {2}"version" must be a semantic version/);
  expect(out).toMatch(/\ncorrect\n {2}In plugin\.json:\n {4}\{\n {6}"version": "1\.0\.0"/);
});

it('has a page of fewer than 90 lines for every code', async () => {
  const { run } = await testCli();
  for (const { code } of RULES) {
    const { code: exitCode, out } = await run('explain', code);
    expect(exitCode).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(90);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(out).not.toMatch(/[^\n\P{C}]|\p{Default_Ignorable_Code_Point}/u);
  }
});

it('lists every code by family', async () => {
  const { run } = await testCli();
  const { code, out } = await run('explain');
  expect(code).toBe(0);
  const lines = out.split('\n');
  for (const rule of RULES) expect(lines.some((line) => line.startsWith(`  ${rule.code} `))).toBe(true);
  expect(out).toContain('\narch\n  arch.format ');
  expect(out).toMatch(new RegExp(`\\n${RULES.length} codes; svc explain CODE`));
});

it.each([
  { code: 'version.fromat', says: 'Unknown code: version.fromat. Did you mean version.format?' },
  { code: 'nothing.like.it', says: 'Unknown code: nothing.like.it. svc explain lists all codes.' },
  { code: '\u001b[2J', says: 'Unknown code: \\u001b[2J.' },
])('reports $code as a usage error', async ({ code, says }) => {
  const { run } = await testCli();
  const { code: exitCode, out, err } = await run('explain', code);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  expect(err).toContain(says);
});
