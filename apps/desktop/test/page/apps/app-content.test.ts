import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';

const CONNECTOR = 'connector.mcp-example-com';

describe('resources and prompts of a connector, in a real browser', NEEDS_BROWSER, () => {
  it('are shown as text, and requested only when the user clicks', async ({ page, visit, askedFor }) => {
    await visit(`apps/${CONNECTOR}/content`, 'mcp.example.com');
    const of = { appId: CONNECTOR, project: 'p1' };
    await page.getByText('Not all entries are shown.').waitFor();
    expect(askedFor('resources.read')).toEqual([]);
    await page.getByRole('button', { name: 'Read First note' }).click();
    await page.getByText('note://one: <b>Hello</b>⟨U+202E⟩').waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download leaf.png' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('leaf.png');
    await page.getByRole('combobox', { name: 'name', exact: true }).fill('two');
    await page.getByRole('button', { name: 'Read Any note' }).click();
    await page.getByText('{"name":"two"}: <b>Hello</b>').waitFor();
    expect(askedFor('resources.read')).toEqual([
      { ...of, uri: 'note://one' },
      { ...of, uriTemplate: 'note://{name}', arguments: { name: 'two' } },
    ]);
    await page.getByLabel('who').fill('Ada');
    await page.getByRole('button', { name: 'Get prompt Greet' }).click();
    await page.getByText('Greet Ada', { exact: true }).waitFor();
    expect(askedFor('prompts.get')).toEqual([{ ...of, id: 'greet', arguments: { who: 'Ada' } }]);
  });

  it('are available for connectors only', async ({ page, visit, askedFor }) => {
    await visit(`apps/${NOTES}/content`, 'Field Notes');
    await page.getByText('Only connectors have resources and prompts.').waitFor();
    expect(await page.getByRole('link', { name: 'Resources and prompts' }).count()).toBe(0);
    expect(askedFor('resources.list')).toEqual([]);
  });
});
