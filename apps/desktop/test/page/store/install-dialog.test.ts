import { changesOf, describeAllowed } from '@svc/permissions';
import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';
import { app, CARDS, PICTURES, sheet, WIDENED, waiting } from '../support/sample-data.ts';

describe('installing, in a real browser', NEEDS_BROWSER, () => {
  it('finds an app, shows its permissions, installs it, and offers to connect its account in one card', async ({
    desk,
    page,
    startWith,
    askedFor,
    dialog,
  }) => {
    await startWith({ apps: [], connected: false });
    const install = desk.answers['store.install'];
    desk.answers['store.install'] = async (input) => {
      desk.tell({ type: 'card', card: waiting('c', CARDS.connect) });
      return install?.(input) ?? expect.fail();
    };
    await page.getByLabel('Search apps').fill('field');
    await page.getByText('1 app', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Field Notes' }).click();
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await dialog().getByText('svc will allow').waitFor();
    // Three lines are visible: where data goes, what the app may do, and with which scopes.
    const shown = dialog().locator('dl.allowed dt:visible');
    expect(await shown.allInnerTexts()).toEqual(['Contacts', 'May', 'Scope of the account']);
    await dialog().getByText('In the words of the publisher, Example & Sons.').waitFor();
    // Less important facts are in the details.
    expect(await dialog().innerText()).not.toContain('key-2026');
    await dialog().getByText('Details', { exact: true }).click();
    // Every permission is shown once, in the words of @svc/permissions.
    const labels = new Set(describeAllowed(changesOf(null, sheet().footprint)).map(({ label }) => label));
    expect((await shown.allInnerTexts()).toSorted()).toEqual([...labels].toSorted());
    const said = await dialog().innerText();
    for (const words of [
      'Reads the notes',
      '*.notes.example.com',
      'notes.read',
      'add_note.pictures: 1 MiB',
      'If you decline, nothing is installed.',
      'missing',
      '47.1 KiB',
      'ab'.repeat(32),
      'key-2026',
    ]) {
      expect(said).toContain(words);
    }
    await dialog().getByRole('button', { name: 'Install' }).click();
    const card = dialog().filter({ hasText: 'Connect Example Notes' });
    await card.getByRole('button', { name: 'Connect', exact: true, disabled: false }).click();
    await card.waitFor({ state: 'detached' });
    // It ends in a conversation with the app, not in a dialog.
    await page.getByRole('heading', { name: 'Field Notes is installed' }).waitFor();
    expect(await dialog().count()).toBe(0);
    const chips = page.getByRole('list', { name: 'Apps of this conversation' });
    await chips.getByRole('button', { name: 'Field Notes', pressed: true }).waitFor();
    await page.getByRole('button', { name: 'Can you add a note for me?' }).click();
    const field = page.getByLabel('Message', { exact: true });
    expect(await field.inputValue()).toBe('Can you add a note for me?');
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(askedFor('store.install')).toEqual([
      { sheetId: 's1', answer: { accepted: true, binding: 'sheet-binding' } },
    ]);
    expect(askedFor('cards.answer')).toMatchObject([{ cardId: 'c', answer: { accepted: true } }]);
    expect(askedFor('accounts.connect')).toEqual([]);
    await page.getByRole('link', { name: 'Open app' }).click();
    await page.getByRole('heading', { name: 'Field Notes', level: 1 }).waitFor();
  });

  it('compares an update with the accepted permissions, and installs nothing when it is declined', async ({
    desk,
    page,
    startWith,
    visit,
    askedFor,
    dialog,
    gone,
  }) => {
    await startWith({ apps: [app({ version: '1.1.0' })] });
    desk.answers['store.prepare'] = () => ({
      sheetId: 's2',
      sheet: sheet({ widened: WIDENED, replaces: '1.1.0', pictures: PICTURES }),
    });
    await visit(`store/${NOTES}`, 'Field Notes');
    await page.getByRole('button', { name: 'Update to 1.2.0' }).click();
    // The question has the name that the user knows; the new name is among the changes.
    await dialog().getByText('Update Pocket Notes from 1.1.0 to 1.2.0?').waitFor();
    expect(await dialog().locator('.widens li').allInnerTexts()).toHaveLength(3);
    expect(await dialog().locator('.face li').allInnerTexts()).toHaveLength(2);
    expect(await dialog().locator('.other li').innerText()).toContain('old.example.com');
    // The details show unchanged permissions, and do not repeat the changes.
    const changed = await dialog().locator('.changes .subject').allInnerTexts();
    await dialog().getByText('Details', { exact: true }).click();
    await dialog().getByText('Unchanged').waitFor();
    const same = await dialog().locator('dl.allowed dd li').allInnerTexts();
    expect(same).toContain('mcp.example.com');
    expect(same.filter((line) => changed.includes(line))).toEqual([]);
    await page.keyboard.press('Escape');
    await gone();
    expect(askedFor('store.install')).toEqual([]);
  });

  it('says from which store a carried app comes, and nothing of the kind of any other', async ({
    desk,
    page,
    startWith,
    visit,
    dialog,
    pressEscape,
  }) => {
    await startWith({ apps: [] });
    // The name is the store's own word: it must not turn the line around it, nor look like another host.
    const carriedBy = 'Corp\u202e Example';
    desk.answers['store.prepare'] = () => ({
      sheetId: 's4',
      sheet: sheet({ origin: { store: 'https://apps.example.org', carriedBy } }),
    });
    await visit(`store/${NOTES}`, 'Field Notes');
    const install = page.getByRole('button', { name: 'Install', exact: true });
    await install.click();
    const line = dialog().getByText(/^From apps\.example\.org, carried by /);
    await line.waitFor();
    const text = await line.innerText();
    expect(text).toMatch(/Both signed it\.$/);
    expect(text).not.toContain('\u202e');
    await pressEscape();
    desk.answers['store.prepare'] = () => ({ sheetId: 's5', sheet: sheet() });
    await install.click();
    await dialog().getByText('svc will allow').waitFor();
    expect(
      await dialog()
        .getByText(/carried by/)
        .count(),
    ).toBe(0);
  });
});
