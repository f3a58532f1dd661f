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

it('allows a tool only under every name of the agent, in its project, as it was approved, and revokes it', async () => {
  const settings = open(await tempFolder());
  const tool = { agent: 'codex', project: 'p', appId: 'com.example.notes', tool: 'clear' } as const;
  await Promise.all([settings.preApprove(tool, 'old'), settings.preApprove({ ...tool, tool: 'other' }, 'x')]);
  await settings.preApprove(tool, 'key');
  expect(settings.preApproved()).toHaveLength(2);
  expect(settings.isPreApproved(['codex'], 'p', 'key')).toBe(true);
  for (const [names, project, key] of [
    [[], 'p', 'key'],
    [['codex', 'cursor'], 'p', 'key'],
    [['cursor'], 'p', 'key'],
    [['codex'], 'q', 'key'],
    [['codex'], 'p', 'old'],
  ] as const)
    expect(settings.isPreApproved(names, project, key)).toBe(false);
  const time = expect.stringMatching(/^\d{4}-.*Z$/);
  await expect.poll(() => settings.preApproved().at(-1)).toMatchObject({ since: time, usedAt: time });
  await settings.revokePreApproval(tool);
  expect(settings.isPreApproved(['codex'], 'p', 'key')).toBe(false);
});

it('has defaults, and saves changes in a file that only its owner can read', async () => {
  const folder = await tempFolder();
  const settings = open(folder);
  expect(settings.choicesFor(['codex'])).toEqual({ approvals: 'agent', tools: 'auto', searchFrom: 60 });
  expect(settings.show()).toEqual({
    all: { approvals: 'agent', tools: 'auto', searchFrom: 60 },
    agents: {},
    askAboutTools: false,
    started: null,
    fault: null,
  });
  await settings.saveAskAboutTools(true);
  expect(open(folder).askAboutTools()).toBe(true);
  await settings.saveForAll({ approvals: 'page', tools: 'search', searchFrom: 60 });
  await settings.saveFor('codex', { approvals: null, tools: 'all' });
  expect(open(folder).choicesFor([])).toEqual({ approvals: 'page', tools: 'search', searchFrom: 60 });
  expect(open(folder).choicesFor(['codex'])).toEqual({ approvals: 'page', tools: 'all', searchFrom: 60 });
  expect((await stat(fileIn(folder))).mode & 0o777).toBe(0o600);
});

it('applies the strictest settings of all names of an agent', async () => {
  const settings = open(await tempFolder());
  await settings.saveFor('claude-code', { approvals: 'page', tools: null });
  expect(settings.choicesFor(['cursor']).approvals).toBe('agent');
  // The URL of the agent has one name, and the agent itself gives another.
  for (const names of [['cursor', 'claude-code'], ['claude-code', 'cursor'], ['claude-code']])
    expect(settings.choicesFor(names).approvals).toBe('page');
  // No name loosens the settings for all agents.
  await settings.saveForAll({ approvals: 'page', tools: 'auto', searchFrom: 60 });
  await settings.saveFor('claude-code', { approvals: null, tools: null });
  for (const names of [['claude-code'], ['__proto__'], ['constructor'], []])
    expect(settings.choicesFor(names).approvals).toBe('page');
});

it('is overridden by the start option, which it shows but does not save', async () => {
  const folder = await tempFolder();
  const started = open(folder, 'page');
  expect(started.show()).toMatchObject({ all: { approvals: 'agent' }, started: 'page' });
  expect(started.choicesFor(['codex']).approvals).toBe('page');
  await started.saveFor('codex', { approvals: 'page', tools: null });
  expect(open(folder, 'agent').choicesFor(['codex']).approvals).toBe('agent');
  expect(open(folder).choicesFor(['codex']).approvals).toBe('page');
});

it('loses no change when two instances write concurrently', async () => {
  const folder = await tempFolder();
  const [one, other] = [open(folder), open(folder)];
  const own = { approvals: 'page', tools: null } as const;
  const ids = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'cursor'] as const;
  await Promise.all(ids.map((id, i) => (i % 2 === 0 ? one : other).saveFor(id, own)));
  expect(Object.keys(one.show().agents).sort()).toEqual([...ids].sort());
});

const LOOSE = { approvals: 'agent', tools: 'auto', searchFrom: 60 };

it.each([
  ['an empty file', ''],
  ['half a file', '{"version":1,"all":{"approvals":"ag'],
  ['a list', '[]'],
  ['a later version', JSON.stringify({ version: 2, all: LOOSE, agents: {} })],
  [
    'an unknown value of approvals',
    JSON.stringify({ version: 1, all: { ...LOOSE, approvals: 'none' }, agents: {} }),
  ],
  ['an agent with looser settings', JSON.stringify({ version: 1, all: LOOSE, agents: { codex: LOOSE } })],
  [
    'an unknown agent',
    JSON.stringify({ version: 1, all: LOOSE, agents: { evil: { approvals: 'page', tools: null } } }),
  ],
  ['an unknown field', JSON.stringify({ version: 1, all: { ...LOOSE, more: 1 }, agents: {} })],
])('uses the strictest settings while the file is invalid: %s', async (_, text) => {
  const folder = await tempFolder();
  await writeFile(fileIn(folder), text);
  // No start option loosens the settings either.
  for (const started of [null, 'agent', 'page'] as const) {
    const settings = open(folder, started);
    expect(settings.choicesFor(['codex'])).toEqual({ approvals: 'page', tools: 'auto', searchFrom: 60 });
    expect(settings.show().fault).toMatch(/Until you reset them/);
  }
  // Reading does not change the file; the next change starts from the strictest settings.
  expect(await readFile(fileIn(folder), 'utf8')).toBe(text);
  const settings = open(folder);
  await settings.saveFor('codex', { approvals: null, tools: 'search' });
  expect(settings.show()).toMatchObject({ all: { approvals: 'page' }, fault: null });
  expect(settings.choicesFor(['cursor']).approvals).toBe('page');
});

it('uses the strictest settings when the file becomes truncated or unreadable at run time', async () => {
  const folder = await tempFolder();
  const settings = open(folder);
  await settings.saveForAll({ approvals: 'agent', tools: 'all', searchFrom: 60 });
  expect(settings.choicesFor([]).approvals).toBe('agent');
  await truncate(fileIn(folder), 30);
  expect(settings.choicesFor([]).approvals).toBe('page');
  await settings.saveForAll({ approvals: 'agent', tools: 'all', searchFrom: 60 });
  expect(settings.choicesFor([]).approvals).toBe('agent');
  await chmod(fileIn(folder), 0o000);
  // root can still read it.
  expect(settings.choicesFor([]).approvals).toBe(process.getuid?.() === 0 ? 'agent' : 'page');
});

it('uses the strictest settings when the file is a folder', async () => {
  const folder = await tempFolder();
  await mkdir(fileIn(folder));
  expect(open(folder, 'agent').choicesFor([]).approvals).toBe('page');
});

it('notifies listeners of changes until they unsubscribe', async () => {
  const settings = open(await tempFolder());
  let told = 0;
  const stop = settings.listen(() => {
    told += 1;
  });
  await settings.saveForAll({ approvals: 'page', tools: 'auto', searchFrom: 60 });
  stop();
  await settings.saveForAll({ approvals: 'agent', tools: 'auto', searchFrom: 60 });
  expect(told).toBe(1);
});
