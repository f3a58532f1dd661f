import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';

const OTHER = 'https://other.example';

describe('links of web pages, in a real browser', NEEDS_BROWSER, () => {
  it('asks about a store that is new before anything of it is shown, and shows the sheet of its own store', async ({
    desk,
    page,
    startWith,
    askedFor,
    dialog,
    gone,
  }) => {
    await startWith({ apps: [] });
    const turned: boolean[] = [];
    desk.answers['links.show'] = () => ({
      links: { isOn: false, isAsked: turned.length > 0, install: null },
    });
    desk.answers['links.turn'] = ({ isOn }) => {
      turned.push(isOn);
      return {};
    };
    desk.answers['links.open'] = ({ isAgreed }) => ({ link: isAgreed ? `${desk.origin}/#/apps` : null });
    await page.goto(`${desk.origin}/#/store/${NOTES}/install/${encodeURIComponent(OTHER)}`);
    await dialog().getByText('Open the store other.example?').waitFor();
    await dialog().getByText('svc has not used other.example on this computer').waitFor();
    expect([askedFor('store.app'), askedFor('store.prepare')]).toEqual([[], []]);
    await dialog().getByRole('button', { name: 'Open store' }).click();
    await page.getByRole('heading', { name: 'Apps', level: 1 }).waitFor();
    expect(askedFor('links.open').at(-1)).toEqual({
      ...{ action: 'install', appId: NOTES, store: OTHER, isAgreed: true },
    });
    // The question about links is asked once.
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('button', { name: 'Not now' }).waitFor({ state: 'detached' });
    expect(turned).toEqual([false]);
    await page.goto(`${desk.origin}/#/store/${NOTES}/install`);
    await dialog().getByText('svc will allow').waitFor();
    await page.keyboard.press('Escape');
    await gone();
    expect(askedFor('store.install')).toEqual([]);
  });
});
