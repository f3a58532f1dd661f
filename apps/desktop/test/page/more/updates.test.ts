import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';
import { DETAIL } from '../support/sample-data.ts';

const AT = '2026-03-01T10:00:00.000Z';
const FINE = { refused: null, signedAt: AT, stale: false, ahead: false };

const STATEMENTS = [
  ['The list is up to date.', FINE],
  ['The store cannot be reached. The current list is recent', { ...FINE, refused: 'store-unreachable' }],
  ['there is no recent list', { ...FINE, refused: 'store-unreachable', stale: true }],
  ['there is no recent list', { ...FINE, refused: 'store-unreachable', signedAt: null }],
  ['The new list was not accepted: bad-signature', { ...FINE, refused: 'bad-signature', stale: true }],
  ['The list is signed in the future', { ...FINE, ahead: true }],
  ['The list is too old to rely on', { ...FINE, stale: true }],
] as const;

describe('updates, in a real browser', NEEDS_BROWSER, () => {
  it('list the installed apps with their versions before a check', async ({ desk, page, visit }) => {
    const apps = (await desk.answers['apps.list']?.({ project: '' }))?.apps ?? [];
    await visit('updates', 'Updates');
    const section = page.getByRole('region', { name: 'Updates', exact: true });
    await section.locator('summary', { hasText: 'up to date' }).click();
    const rows = section.getByRole('listitem');
    await rows.filter({ hasText: /Field Notes\s+1\.2\.0/ }).waitFor();
    // Updates come from the store: apps of a folder, a connector or the client have none.
    expect(await rows.count()).toBe(apps.filter(({ source }) => source.kind === 'store').length);
  });

  it('fold the apps that are up to date, until one has an update', async ({ desk, page, visit }) => {
    await visit('updates', 'Updates');
    const section = page.getByRole('region', { name: 'Updates', exact: true });
    await section.getByText('3 apps up to date').waitFor();
    expect(await section.getByText('Field Notes').isVisible()).toBe(false);
    const { appId, version, to } = { appId: NOTES, version: '1.2.0', to: '1.3.0' };
    const waiting = [{ appId, version, to, outcome: 'waiting', why: 'asks' } as const];
    desk.answers['apps.updates'] = () => ({ installs: true, installsNow: true, checkedAt: AT, waiting });
    desk.tell({ type: 'runtime', event: { type: 'update-waiting', appId, version, to } });
    await section.getByText('2 apps up to date').waitFor();
    await section.getByRole('listitem').filter({ hasText: 'Field Notes' }).waitFor();
  });

  it('say that an app is deprecated, what replaces it, and that the list of its versions is too old', async ({
    desk,
    page,
    visit,
  }) => {
    const stale = {
      store: 'https://s.example',
      appId: NOTES,
      signedAt: AT,
      receivedAt: '2026-03-01T15:00:00.000Z',
    };
    desk.answers['apps.stale'] = () => ({ stale: [stale] });
    const deprecation = { note: 'It moved.', replacement: 'com.example.newer' };
    desk.answers['store.deprecations'] = () => ({ apps: [{ appId: NOTES, deprecation, versions: {} }] });
    desk.answers['store.app'] = () => ({ ...DETAIL, deprecation });
    await visit('updates', 'Updates');
    await page
      .getByRole('note')
      .filter({ hasText: 'https://s.example offered an old list of versions.' })
      .waitFor();
    const note = page.getByRole('note').filter({ hasText: 'Deprecated' });
    expect(await note.innerText()).toBe('Deprecated by its publisher: It moved. See com.example.newer');
    await note.getByRole('link').click();
    await page.getByRole('note').filter({ hasText: 'It moved.' }).waitFor();
    expect(page.url()).toContain('/store/com.example.newer');
  });

  it('say which of them wait and for what, and are installed by themselves until the user says otherwise', async ({
    desk,
    page,
    visit,
  }) => {
    let installs = true;
    const waiting = (why: 'asks' | 'in-use') =>
      [{ appId: NOTES, version: '1.2.0', outcome: 'waiting', to: '1.3.0', why }] as const;
    const answer = (why: 'asks' | 'in-use', checkedAt: string | null) => () => ({
      ...{ installs, installsNow: installs, checkedAt },
      waiting: waiting(why),
    });
    desk.answers['apps.updates'] = () => answer('asks', AT)();
    desk.answers['apps.installUpdates'] = ({ on }) => {
      installs = on;
      return {};
    };
    const { appId, version, to } = waiting('asks')[0];
    const found = () => desk.tell({ type: 'runtime', event: { type: 'update-waiting', appId, version, to } });
    await visit('updates', 'Updates');
    found();
    const section = page.getByRole('region', { name: 'Updates', exact: true });
    await section.getByText('1.3.0 is available. It asks for your agreement.').waitFor();
    await section.getByText('Last checked').waitFor();
    // The store listed the installed version when the page asked it last.
    await section.getByRole('button', { name: 'Update to 1.3.0' }).waitFor();
    const box = section.getByRole('checkbox', { name: 'Install updates by themselves' });
    await box.click();
    await expect.poll(() => installs).toBe(false);
    await expect.poll(() => box.isChecked()).toBe(false);
    desk.answers['apps.updates'] = () => answer('in-use', null)();
    found();
    await section.getByText('once no call, sign-in or panel of the app is open').waitFor();
  });

  it('say in the row what the update changes: what it asks for beyond what was agreed, and the words of its publisher', async ({
    desk,
    page,
    visit,
  }) => {
    const [last] = DETAIL.versions;
    const next = { ...last, version: '1.3.0', changelog: '- Finds notes in pictures' };
    const domains = [...DETAIL.domains, 'pictures.example.com'];
    desk.answers['store.app'] = () => ({
      ...DETAIL,
      ...({ version: '1.3.0', domains, versions: [next, ...DETAIL.versions] } as Partial<typeof DETAIL>),
    });
    await visit('updates', 'Updates');
    const row = page.getByRole('listitem').filter({ hasText: 'Field Notes' }).first();
    await row.getByRole('button', { name: 'Update to 1.3.0' }).waitFor();
    await row.getByText('Finds notes in pictures').waitFor();
    await row.getByText('Asks for more than 1.2.0:').waitFor();
    expect(await row.locator('dd').allInnerTexts()).toEqual(['pictures.example.com']);
    expect(await row.getByText('Better search').count()).toBe(0);
  });

  it('show exactly one message about the list of yanked versions, in every state', async ({
    desk,
    page,
    visit,
  }) => {
    await visit('updates', 'Updates');
    const section = page.getByRole('region', { name: 'Yanked versions' });
    await section.locator('summary').click();
    for (const [text, checked] of STATEMENTS) {
      desk.answers['apps.checkRevocations'] = () => checked as never;
      await section.getByRole('button', { name: 'Check for yanked versions' }).click();
      const said = () => section.locator('.good, .mild, .fault:not([hidden])').allInnerTexts();
      await expect.poll(said).toEqual([expect.stringContaining(text)]);
    }
  });

  it('show only the result of the last check', async ({ desk, page, visit }) => {
    desk.answers['apps.checkRevocations'] = () => FINE as never;
    const refused = { reason: 'store-unreachable', message: 'The store cannot be reached.' } as const;
    desk.answers['apps.update'] = () => ({
      outcomes: [{ appId: NOTES, version: '1.0.0', outcome: 'refused', ...refused }],
    });
    await visit('updates', 'Updates');
    await page.locator('summary', { hasText: 'Yanked versions' }).click();
    const check = (title: string) =>
      page
        .getByRole('region', { name: title, exact: true })
        .getByRole('button', { name: /^Check for/ })
        .click();
    // Apps that a yank switched off are no result of a check.
    const off = page.getByRole('heading', { name: 'Switched off' });
    const shown = page
      .getByRole('region')
      .filter({ hasNot: off })
      .locator(':is(.good, .mild, .fault):not([hidden])');
    await check('Yanked versions');
    await page.getByText('The list is up to date.').waitFor();
    await check('Updates');
    await page.getByText('The store cannot be reached.').waitFor();
    expect(await shown.allInnerTexts()).toEqual(['Stays at 1.0.0: The store cannot be reached.']);
    await check('Yanked versions');
    await page.getByText('The list is up to date.').waitFor();
    expect(await shown.allInnerTexts()).toEqual(['The list is up to date.']);
  });
});
