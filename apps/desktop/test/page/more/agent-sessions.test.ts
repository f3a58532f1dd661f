import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';
import { SESSIONS } from '../support/sample-data.ts';

describe('connected agents, in a real browser', NEEDS_BROWSER, () => {
  it('are listed with the tools that they may use, and disconnected after a confirmation', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    let sessions = SESSIONS;
    desk.answers['agents.sessions'] = () => ({ sessions });
    desk.answers['agents.end'] = () => {
      sessions = [];
      return {};
    };
    await visit('agents', 'Agents');
    await page.getByText('Last call: Field Notes, Add a note').waitFor();
    await page.getByText('Can use 1 tool of 1 app in Garden').click();
    await page.getByRole('checkbox', { name: 'Add a note', checked: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Find notes', checked: false }).waitFor();
    await page.getByText('It has not listed tools yet.').waitFor();
    expect(await page.locator('main :is(img, script)').count()).toBe(0);
    await page.getByRole('button', { name: 'End session of claude-code' }).click();
    expect(askedFor('agents.end')).toEqual([]);
    await page.getByRole('group').getByRole('button', { name: 'End session of claude-code' }).click();
    await page.getByText('No agents connected.').waitFor();
    expect(askedFor('agents.end')).toEqual([{ session: 's1' }]);
    sessions = SESSIONS;
    desk.tell({ type: 'agents' });
    await page.getByText('2.1.0').waitFor();
  });
});
