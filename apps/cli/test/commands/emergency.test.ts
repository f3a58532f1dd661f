import { expect, it } from 'vitest';
import { testCli } from '../support/command-context.ts';
import { answering, fakeStore } from '../support/fake-store.ts';

const REACH = { apps: 2, versions: 3, installs: 40, members: 1, tokens: 1, sessions: 1, dependants: [] };
const DONE = {
  id: 'e-1',
  state: 'done',
  publisher: 'acme',
  appId: null,
  acts: { yank: true, suspend: true, revokeTokens: true, endSessions: false },
  reason: 'It lies.',
  reach: REACH,
  effects: { versionsYanked: 3, suspended: true, tokensRevoked: 1, sessionsEnded: 0 },
  startedBy: 'automation',
  startedAt: '2026-03-01T12:00:00.000Z',
  decidedBy: 'automation',
  decidedAt: '2026-03-01T12:00:00.000Z',
  undoneBy: null,
  undoneAt: null,
};

const emergency = async (answer: unknown, ...args: string[]) => {
  const { url, seen } = await fakeStore(answering(answer));
  const { run } = await testCli({ SVC_STORE: url, SVC_TOKEN: 'automation-of-a-test' });
  return { ...(await run('emergency', ...args)), seen };
};

it('stops a publisher with the chosen acts', async () => {
  const args = [
    'acme',
    '--reason',
    'It lies.',
    '--advice',
    'rotate-keys',
    '--no-sessions',
    '--suspend-members',
    'ann,bob',
  ];
  const { code, out, seen } = await emergency(DONE, ...args);
  expect({ code, out }).toEqual({
    code: 0,
    out: 'done  e-1: 3 versions yanked, 1 token revoked, 0 sessions ended\n',
  });
  expect(JSON.parse(String(seen[0]?.body))).toEqual({
    publisher: 'acme',
    reason: 'It lies.',
    advice: ['rotate-keys'],
    yank: true,
    suspend: true,
    revokeTokens: true,
    endSessions: false,
    suspendMembers: ['ann', 'bob'],
  });
});

it('shows what it reaches with --dry-run, and sends nothing else', async () => {
  const people = [{ id: 'ann', name: 'Ann\u001b[2J', role: 'owner', suspended: false }];
  const answer = { name: 'Acme\u001b[2J', reach: REACH, needsSecond: true, people };
  const { code, out, seen } = await emergency(answer, 'com.acme.notes', '--dry-run');
  expect(code).toBe(0);
  expect(out).toContain('publisher  Acme\\u001b[2J\n');
  expect(out).toContain('installs   40');
  expect(out).toContain('member     ann  owner, Ann\\u001b[2J\n');
  expect(out).toContain('A second administrator must confirm.');
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /api/admin/emergencies/preview?appId=com.acme.notes',
  ]);
});

it('undoes', async () => {
  const { out, seen } = await emergency({ ...DONE, state: 'undone' }, 'acme', '--undo', 'e-1');
  expect(out).toMatch(/^undone/);
  expect(seen[0]?.url).toBe('/api/admin/emergencies/e-1/undo');
});

it.each([[['acme']], [['acme', '--reason', ' ']], [['acme', '--reason', 'x', '--advice', 'run']]])(
  'refuses %j',
  async (args) => {
    const { code, seen } = await emergency(DONE, ...args);
    expect({ code, seen }).toEqual({ code: 2, seen: [] });
  },
);
