import { describe, expect } from 'vitest';
import type { AgentSettingsView } from '../../../src/wire/calls.ts';
import type { ActivityEntry } from '../../../src/wire/views.ts';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { RefusalError } from '../support/fake-desktop.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';
import { ACTIVITY, HOSTILE, STORE } from '../support/sample-data.ts';

const SHA = 'ab'.repeat(32);

describe('activity, app details and agent settings, in a real browser', NEEDS_BROWSER, () => {
  it('lists new activity immediately, loads older entries on demand, and clears them after a confirmation', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    const [first] = ACTIVITY;
    if (!first) throw new Error('There is no entry.');
    const named = (id: number, name: string): ActivityEntry => ({
      ...{ ...first, id, name, ms: 12_000, waitedMs: 10_000 },
    });
    let entries = [named(3, HOSTILE), named(2, 'second'), named(1, 'oldest')];
    const apps = [NOTES, 'com.example.maps'];
    desk.answers['activity.list'] = ({ before = 9, appId }) => {
      const found = entries.filter(({ id }) => id < before && (appId ?? NOTES) === NOTES);
      const [known, outcomes] = entries.length > 0 ? [apps, ['answered']] : [[], []];
      return { entries: found.slice(0, 2), more: found.length > 2, apps: known, outcomes, askers: ['codex'] };
    };
    desk.answers['activity.clear'] = () => {
      entries = [];
      return {};
    };
    await visit('activity', 'Activity');
    await page.getByText('second').waitFor();
    expect(await page.locator('main ul.rows > li:visible').allInnerTexts()).toEqual([
      expect.stringMatching(/began .+; 2.0 s, and waited 10.0 s for you/),
      expect.anything(),
    ]);
    expect(await page.locator('main li img, main li script').count()).toBe(0);
    await page.getByRole('button', { name: 'Show older' }).click();
    await page.getByText('oldest').waitFor();
    expect(askedFor('activity.list').at(-1)).toEqual({ before: 2 });
    entries = [named(4, 'newest'), ...entries];
    const { id: _, kind: _kind, name: tool, ...call } = named(4, 'newest');
    desk.tell({ type: 'call-log', log: 'a', ...call, tool, asker: 'codex' });
    await page.getByText('newest').waitFor();
    // Older entries that were loaded stay.
    await page.getByText('oldest').waitFor();
    await page.getByLabel('Search activity').fill(' notes ');
    await expect.poll(() => askedFor('activity.list').at(-1)).toEqual({ text: 'notes' });
    await page.getByLabel('Search activity').fill('');
    await page.getByLabel('Outcome').selectOption('done');
    await expect.poll(() => askedFor('activity.list').at(-1)).toEqual({ outcome: 'answered' });
    await page.getByLabel('Outcome').selectOption('All outcomes');
    await page.getByLabel('Asked by').selectOption('codex');
    await page.getByLabel('From', { exact: true }).fill('2026-03-01');
    await page.getByLabel('To', { exact: true }).fill('2026-03-02');
    await expect
      .poll(() => askedFor('activity.list').at(-1))
      .toMatchObject({ asker: 'codex', from: expect.any(String), to: expect.any(String) });
    const { from = '', to = '' } = (askedFor('activity.list').at(-1) ?? {}) as { from?: string; to?: string };
    // Both days, whole.
    expect([Date.parse(String(to)) - Date.parse(String(from)), String(from) < '2026-03-02']).toEqual([
      2 * 86_400_000,
      true,
    ]);
    await page.getByLabel('From', { exact: true }).fill('');
    await page.getByLabel('To', { exact: true }).fill('');
    await page.getByLabel('Asked by').selectOption('All callers');
    await page.getByRole('combobox', { name: 'App', exact: true }).selectOption('Field Notes');
    await page.getByRole('button', { name: 'Clear activity of Field Notes' }).click();
    await page.getByText('Clear all activity of Field Notes? This cannot be undone.').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(askedFor('activity.clear')).toEqual([]);
    await page.getByRole('button', { name: 'Clear activity of Field Notes' }).click();
    await page.getByRole('group').getByRole('button', { name: 'Clear activity of Field Notes' }).click();
    await page.getByText('No activity yet').waitFor();
    expect(askedFor('activity.clear')).toEqual([{ appId: NOTES }]);
  });

  it('leads from each entry that was interrupted to where it is repeated', async ({ desk, page, visit }) => {
    const [first] = ACTIVITY;
    if (!first) throw new Error('There is no entry.');
    const left = { ...first, outcome: 'interrupted', asker: 'desktop', chat: null };
    const entries: ActivityEntry[] = [
      { ...left, id: 5, chat: 'c1' },
      { ...left, id: 4 },
      { ...left, id: 3, asker: 'codex' },
      { ...left, id: 2, asker: null, kind: 'account', name: 'notes' },
      { ...left, id: 1, kind: 'install', name: '1.0.0' },
    ];
    desk.answers['activity.list'] = () => ({ entries, more: false, apps: [NOTES], outcomes: [], askers: [] });
    await visit('activity', 'Activity');
    const rows = page.locator('li.activity-entry');
    await rows.first().waitFor();
    const steps = await rows.evaluateAll((all) =>
      all.map((row) => row.querySelector('a[aria-label^="Retry "]')?.getAttribute('href') ?? row.textContent),
    );
    expect(steps).toEqual([
      '#/chat/c1',
      `#/tools/${NOTES}/${first.name}`,
      expect.stringContaining('Ask codex to make this call again.'),
      `#/apps/${NOTES}`,
      `#/store/${NOTES}`,
    ]);
  });

  it('shows the hash, key and date of the verified bundle, copies the whole hash, and says where the key of the vault is', async ({
    desk,
    page,
    visit,
  }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit(`apps/${NOTES}/about`, 'Field Notes');
    const said = await page.locator('main').innerText();
    for (const words of [SHA, 'key-2026', 'Mar 2, 2026', STORE]) expect(said).toContain(words);
    await page.getByRole('button', { name: 'Copy SHA-256' }).click();
    await page.getByRole('status').getByText('Copied', { exact: true }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(SHA);
    // A connector has no signature.
    await visit('apps/connector.mcp-example-com/about', 'mcp.example.com');
    await page.getByText('Not signed: you added').waitFor();
    expect(await page.getByRole('button', { name: 'Copy SHA-256' }).count()).toBe(0);
    desk.tell({ type: 'runtime', event: { type: 'vault-key-in-file', file: '/home/anna/\u202Evault.key' } });
    const notice = page.locator('.banner', { hasText: 'No keyring is available' });
    await notice.getByText('/home/anna/⟨U+202E⟩vault.key').waitFor();
    await notice.getByRole('button', { name: 'Close' }).click();
    await notice.waitFor({ state: 'detached' });
  });

  it('sets where agents ask for approval, for all and stricter for one, and shows what overrides it', async ({
    desk,
    page,
    visit,
  }) => {
    let kept: AgentSettingsView = {
      all: { approvals: 'page', tools: 'auto', searchFrom: 60 },
      agents: {},
      askAboutTools: true,
      ...{ started: 'agent', fault: 'It cannot be read. Choose again.' },
    };
    desk.answers['agents.settings'] = () => kept;
    desk.answers['agents.saveForAll'] = (all) => {
      kept = { ...kept, all, fault: null };
      return kept;
    };
    desk.answers['agents.saveFor'] = ({ agent, ...own }) => {
      kept = { ...kept, agents: { ...kept.agents, [agent]: own } };
      return kept;
    };
    await visit('settings/approvals', 'Settings');
    await page.getByRole('alert').getByText('Choose again.').waitFor();
    await page.getByRole('button', { name: 'Reset and always ask' }).click();
    await page.getByText('svc desktop was started with approvals in agents’ dialogs').waitFor();
    expect(await page.getByText('Choose again.').count()).toBe(0);
    await page.getByLabel('Tools').first().selectOption('search');
    await expect.poll(() => kept.all).toEqual({ approvals: 'page', tools: 'search', searchFrom: 60 });
    await page.getByText('Settings per agent').click();
    const codex = page.getByRole('group', { name: 'Codex' });
    expect(await codex.getByLabel('Approvals').locator('option').allInnerTexts()).toEqual([
      'Same as for all agents',
      'Always on this page',
    ]);
    await codex.getByLabel('Approvals').selectOption('page');
    await expect.poll(() => kept.agents.codex).toEqual({ approvals: 'page', tools: null });
    await codex.getByLabel('Tools').selectOption('all');
    await expect.poll(() => kept.agents.codex).toEqual({ approvals: 'page', tools: 'all' });
    desk.answers['agents.saveForAll'] = () => {
      throw new RefusalError('internal', 'The disk is full.', 500);
    };
    await page.getByLabel('Approvals').first().selectOption('agent');
    await page.getByText('The disk is full.').waitFor();
    expect(await page.getByLabel('Approvals').first().inputValue()).toBe('page');
  });
});
