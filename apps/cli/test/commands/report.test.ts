import { expect, it } from 'vitest';
import { testCli } from '../support/command-context.ts';
import { answering, fakeStore } from '../support/fake-store.ts';

const REPORT = {
  id: 'r-1',
  appId: 'com.example.tidy',
  version: '1.0.0',
  category: 'malware',
  evidence: 'It sends notes to another server.',
  state: 'open',
  note: null,
  reportedAt: '2026-03-01T12:00:00.000Z',
  decidedAt: null,
};

const report = async (answer: unknown, ...args: string[]) => {
  const { url, seen } = await fakeStore(answering(answer));
  const { run } = await testCli({ SVC_STORE: url, SVC_TOKEN: 'svcd_token-of-a-test' });
  return { ...(await run('report', 'com.example.tidy', ...args)), seen };
};

it('reports an app', async () => {
  const args = ['--category', 'malware', '--evidence', REPORT.evidence, '--app-version', '1.0.0'];
  const { code, out, seen } = await report(REPORT, ...args);
  expect({ code, out }).toEqual({ code: 0, out: 'open  com.example.tidy 1.0.0  malware\n' });
  expect(seen[0]?.url).toBe('/api/apps/com.example.tidy/reports');
  expect(JSON.parse(String(seen[0]?.body))).toEqual({
    category: 'malware',
    evidence: REPORT.evidence,
    version: '1.0.0',
  });
});

it('shows the state of the reports of an app, with hostile notes escaped', async () => {
  const decided = { ...REPORT, state: 'upheld', note: 'Yanked.\u001b[31m' };
  const { out } = await report({ reports: [decided, { ...REPORT, appId: 'com.example.other' }] });
  expect(out).toContain('upheld  com.example.tidy 1.0.0  malware');
  expect(out).not.toContain('com.example.other');
  expect(out).not.toContain('\u001b[31m');
});

it.each([
  [['--category', 'malware']],
  [['--evidence', 'It is bad.']],
  [['--category', 'ugly', '--evidence', 'x']],
])('refuses %j', async (args) => {
  const { code, seen } = await report(REPORT, ...args);
  expect({ code, seen }).toEqual({ code: 2, seen: [] });
});
