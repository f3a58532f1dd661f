import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';
import { app } from '../support/sample-data.ts';

describe('the list of apps, in a real browser', NEEDS_BROWSER, () => {
  it('has a Remove button only for an app whose version was yanked', async ({
    page,
    startWith,
    visit,
    askedFor,
  }) => {
    const yanked = { reason: 'It leaked.', at: '2026-03-01T10:00:00.000Z', comesBack: true };
    await startWith({
      apps: [app({ yanked, on: false }), app({ appId: 'com.example.ledger' })],
      connected: false,
    });
    await visit('apps', 'Apps');
    await page.getByText('This version was yanked: It leaked.').waitFor();
    // Nothing that it can do needs an account.
    await visit(`apps/${NOTES}`, 'Field Notes');
    await page.getByText('not connected').waitFor();
    expect(await page.getByRole('button', { name: 'Connect Example Notes' }).count()).toBe(0);
    await visit('apps', 'Apps');
    const remove = page.getByRole('button', { name: 'Remove' });
    expect(await remove.count()).toBe(1);
    await remove.click();
    expect(askedFor('apps.remove')).toEqual([]);
    await page.getByRole('group').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Field Notes was removed.').waitFor();
    // Access that the server did not revoke is reported here too.
    await page.getByText('Account notes: Disconnected on this computer.').waitFor();
    expect(askedFor('apps.remove')).toEqual([{ appId: NOTES }]);
    expect(await remove.count()).toBe(0);
  });

  it('says what happens to a yanked app when the store undoes that, and that it is on again', async ({
    page,
    startWith,
    visit,
    askedFor,
  }) => {
    const yanked = { reason: 'It leaked.', at: '2026-03-01T10:00:00.000Z', comesBack: true };
    await startWith({
      apps: [
        app({ yanked, on: false }),
        app({ appId: 'com.example.back', restoredAt: '2026-03-02T10:00:00.000Z' }),
      ],
      connected: false,
    });
    await visit('apps', 'Apps');
    await page.getByText('If the store undoes the yank, the app is switched on again.').waitFor();
    await page.getByText('the store undid the yank of this version').waitFor();
    await page.getByRole('button', { name: 'Keep off Field Notes' }).click();
    await expect.poll(() => askedFor('apps.switch')).toMatchObject([{ appId: NOTES, on: false }]);
  });
});
