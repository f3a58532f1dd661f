import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';
import { TOOL } from '../support/sample-data.ts';

const UNKNOWN = { ...TOOL, inputSchema: { type: 'object' }, schema: 'unknown' } as const;

describe('tools as forms, in a real browser', NEEDS_BROWSER, () => {
  it('are shown before the account is connected, with a note that arguments are unknown', async ({
    desk,
    state,
    page,
    visit,
    askedFor,
  }) => {
    state.connected = false;
    desk.answers['tools.known'] = () => ({ tools: [UNKNOWN] });
    desk.answers['tools.list'] = () => ({
      tools: state.connected ? [TOOL] : [UNKNOWN],
      fault: null,
      repairs: [],
    });
    await visit(`tools/${NOTES}/add_note`, 'Tools');
    await page.getByText('not known until the account is connected').waitFor();
    await page.getByText('Running the tool asks you to connect it.').waitFor();
    await page.getByLabel('Arguments as a JSON object').waitFor();
    await page.getByLabel('pictures', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Connect Example Notes' }).click();
    await page.getByLabel('Title *').fill('Leaf');
    expect(await page.getByText('not known until the account').count()).toBe(0);
    await page.getByRole('button', { name: 'Run' }).click();
    await expect
      .poll(() => askedFor('tools.call'))
      .toMatchObject([{ tool: 'add_note', arguments: { title: 'Leaf', stars: 3, tags: ['new'] } }]);
  });

  it('are shown while the server is queried and when it does not answer, and keep typed values', async ({
    desk,
    page,
    visit,
  }) => {
    const asked = Promise.withResolvers<void>();
    desk.answers['tools.known'] = () => ({ tools: [{ ...TOOL, schema: 'last' }] });
    desk.answers['tools.list'] = async () => {
      await asked.promise;
      return { tools: [{ ...TOOL, schema: 'last' }], fault: 'The server does not answer.', repairs: [] };
    };
    await visit(`tools/${NOTES}/add_note`, 'Tools');
    await page.getByLabel('Title *').fill('Leaf');
    asked.resolve();
    await page.getByText('did not list its tools: The server does not answer.').waitFor();
    await page.getByText('from the server’s last list').waitFor();
    expect(await page.getByLabel('Title *').inputValue()).toBe('Leaf');
  });

  it('are found among those of all apps, and have the last arguments again', async ({ page, visit }) => {
    await visit('tools', 'Tools');
    const search = page.getByLabel('Search tools and apps');
    await search.fill('field note add');
    const group = page.getByRole('region', { name: 'Field Notes' });
    await group.getByRole('link', { name: 'Add a note' }).click();
    await page.getByRole('heading', { name: 'Field Notes: Add a note' }).waitFor();
    await page.getByLabel('Title *').fill('Leaf');
    await page.getByRole('link', { name: 'All tools' }).click();
    await search.fill('no such tool');
    await page.getByText('No tool matches.').waitFor();
    await search.fill('');
    await group.getByRole('link', { name: 'Add a note' }).click();
    await expect.poll(() => page.getByLabel('Title *').inputValue()).toBe('Leaf');
  });
});
