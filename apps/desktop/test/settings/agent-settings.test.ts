import { chmod, mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defaultSystem } from '@svc/runtime';
import { expect, it } from 'vitest';
import { openAgentSettings } from '../../src/settings/agent-settings.ts';
import type { AgentChoices } from '../../src/wire/views.ts';
import { tempFolder } from '../support/temp-folder.ts';

const open = (folder: string, started: AgentChoices['approvals'] | null = null) =>
  openAgentSettings(defaultSystem, folder, started);
const fileIn = (folder: string) => path.join(folder, 'agent-settings.json');

it('asks in agents and lists tools by their number until somebody says otherwise', async () => {
  const folder = await tempFolder();
  const settings = open(folder);
  expect(settings.choicesFor(['codex'])).toEqual({ approvals: 'agent', tools: 'auto' });
  expect(settings.show()).toEqual({
    all: { approvals: 'agent', tools: 'auto' },
    agents: {},
    started: null,
    fault: null,
  });
  await settings.saveForAll({ approvals: 'page', tools: 'search' });
  await settings.saveFor('codex', { approvals: null, tools: 'all' });
  expect(open(folder).choicesFor([])).toEqual({ approvals: 'page', tools: 'search' });
  expect(open(folder).choicesFor(['codex'])).toEqual({ approvals: 'page', tools: 'all' });
  expect((await stat(fileIn(folder))).mode & 0o777).toBe(0o600);
});

it('takes the strictest of all that an agent may be', async () => {
  const settings = open(await tempFolder());
  await settings.saveFor('claude-code', { approvals: 'page', tools: null });
  expect(settings.choicesFor(['cursor']).approvals).toBe('agent');
  // Its address says one thing, and it itself another.
  for (const names of [['cursor', 'claude-code'], ['claude-code', 'cursor'], ['claude-code']])
    expect(settings.choicesFor(names).approvals).toBe('page');
  // No name makes looser what holds for all.
  await settings.saveForAll({ approvals: 'page', tools: 'auto' });
  await settings.saveFor('claude-code', { approvals: null, tools: null });
  for (const names of [['claude-code'], ['__proto__'], ['constructor'], []])
    expect(settings.choicesFor(names).approvals).toBe('page');
});

it('goes by how the run was started, and says so, without keeping that', async () => {
  const folder = await tempFolder();
  const started = open(folder, 'page');
  expect(started.show()).toMatchObject({ all: { approvals: 'agent' }, started: 'page' });
  expect(started.choicesFor(['codex']).approvals).toBe('page');
  await started.saveFor('codex', { approvals: 'page', tools: null });
  expect(open(folder, 'agent').choicesFor(['codex']).approvals).toBe('agent');
  expect(open(folder).choicesFor(['codex']).approvals).toBe('page');
});

it('is changed by several processes at once without losing anything', async () => {
  const folder = await tempFolder();
  const [one, other] = [open(folder), open(folder)];
  const own = { approvals: 'page', tools: null } as const;
  const ids = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'cursor'] as const;
  await Promise.all(ids.map((id, i) => (i % 2 === 0 ? one : other).saveFor(id, own)));
  expect(Object.keys(one.show().agents).sort()).toEqual([...ids].sort());
});

const LOOSE = { approvals: 'agent', tools: 'auto' };

it.each([
  ['an empty file', ''],
  ['half a file', '{"version":1,"all":{"approvals":"ag'],
  ['a list', '[]'],
  ['a later version', JSON.stringify({ version: 2, all: LOOSE, agents: {} })],
  [
    'a place that there is not',
    JSON.stringify({ version: 1, all: { ...LOOSE, approvals: 'none' }, agents: {} }),
  ],
  ['an agent that loosens', JSON.stringify({ version: 1, all: LOOSE, agents: { codex: LOOSE } })],
  [
    'an agent that nobody knows',
    JSON.stringify({ version: 1, all: LOOSE, agents: { evil: { approvals: 'page', tools: null } } }),
  ],
  ['a field too many', JSON.stringify({ version: 1, all: { ...LOOSE, more: 1 }, agents: {} })],
])('asks everything on the page while it cannot read what was set: %s', async (_, text) => {
  const folder = await tempFolder();
  await writeFile(fileIn(folder), text);
  // No start makes it looser either.
  for (const started of [null, 'agent', 'page'] as const) {
    const settings = open(folder, started);
    expect(settings.choicesFor(['codex'])).toEqual({ approvals: 'page', tools: 'auto' });
    expect(settings.show().fault).toMatch(/Until you reset them/);
  }
  // Looking leaves it as it is; what is chosen again builds on the strictest.
  expect(await readFile(fileIn(folder), 'utf8')).toBe(text);
  const settings = open(folder);
  await settings.saveFor('codex', { approvals: null, tools: 'search' });
  expect(settings.show()).toMatchObject({ all: { approvals: 'page' }, fault: null });
  expect(settings.choicesFor(['cursor']).approvals).toBe('page');
});

it('notices a file that is torn or shut while it runs', async () => {
  const folder = await tempFolder();
  const settings = open(folder);
  await settings.saveForAll({ approvals: 'agent', tools: 'all' });
  expect(settings.choicesFor([]).approvals).toBe('agent');
  await truncate(fileIn(folder), 30);
  expect(settings.choicesFor([]).approvals).toBe('page');
  await settings.saveForAll({ approvals: 'agent', tools: 'all' });
  expect(settings.choicesFor([]).approvals).toBe('agent');
  await chmod(fileIn(folder), 0o000);
  // Whoever is root reads it all the same.
  expect(settings.choicesFor([]).approvals).toBe(process.getuid?.() === 0 ? 'agent' : 'page');
});

it('takes what is no file for what cannot be read', async () => {
  const folder = await tempFolder();
  await mkdir(fileIn(folder));
  expect(open(folder, 'agent').choicesFor([]).approvals).toBe('page');
});

it('tells of changes', async () => {
  const settings = open(await tempFolder());
  let told = 0;
  const stop = settings.listen(() => {
    told += 1;
  });
  await settings.saveForAll({ approvals: 'page', tools: 'auto' });
  stop();
  await settings.saveForAll({ approvals: 'agent', tools: 'auto' });
  expect(told).toBe(1);
});
