import { expect, it } from 'vitest';
import { testCli } from '../support/command-context.ts';
import { answering, fakeStore } from '../support/fake-store.ts';

const YANKED = {
  appId: 'com.example.tidy',
  version: '1.0.0',
  status: 'yanked',
  issues: [],
  notes: 'Broken.',
};

const yank = async (reason: string, ...args: string[]) => {
  const { url, seen } = await fakeStore(answering(YANKED));
  const { run } = await testCli({ SVC_STORE: url, SVC_TOKEN: 'svcd_token-of-a-test' });
  return { ...(await run('yank', 'com.example.tidy', '1.0.0', '--reason', reason, ...args)), seen };
};

it('yanks with the given reason', async () => {
  const { code, out, seen } = await yank(' Broken. ');
  expect(code).toBe(0);
  expect(out).toContain('yanked  com.example.tidy 1.0.0');
  expect(JSON.parse(String(seen[0]?.body))).toEqual({ reason: 'Broken.' });
});

it('prints the record with --json', async () => {
  expect((await yank('Broken.', '--json')).out).toBe(`${JSON.stringify(YANKED)}\n`);
});

it('retracts a version in review', async () => {
  const { url, seen } = await fakeStore(answering({ ...YANKED, status: 'rejected' }));
  const { run } = await testCli({ SVC_STORE: url, SVC_TOKEN: 'svcd_token-of-a-test' });
  const { code, out } = await run('retract', 'com.example.tidy', '1.1.0');
  expect({ code, path: seen[0]?.url }).toMatchObject({ code: 0 });
  expect(out).toContain('rejected  com.example.tidy 1.0.0');
});

it.each(['', '   ', 'a'.repeat(2_001)])('refuses a blank or too long reason', async (reason) => {
  const { code, seen } = await yank(reason);
  expect({ code, seen }).toEqual({ code: 2, seen: [] });
});
