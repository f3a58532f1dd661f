import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';

const NOTES = 'com.example.notes';
const PLAIN = { name: null, title: null, description: null };

describe('bundles, in a real browser', NEEDS_BROWSER, () => {
  it('are made of whole apps or of tools, with own words, and say what is refused', async ({
    desk,
    page,
    visit,
    dialog,
    gone,
  }) => {
    const saved: unknown[] = [];
    const bundles: object[] = [];
    desk.answers['agents.bundles'] = () => ({ bundles: bundles as never });
    desk.answers['agents.saveBundle'] = (input) => {
      saved.push(input);
      bundles.push(input.bundle);
      return {};
    };
    await visit('agents', 'Agents');
    await page.getByRole('button', { name: 'New bundle' }).click();
    await dialog().waitFor();
    const save = page.getByRole('button', { name: 'Save' });
    await save.click({ force: true });
    await page.getByText('Give it a name.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('garden');
    await save.click({ force: true });
    await page.getByText('Choose an app.').waitFor();
    await dialog().getByLabel('Field Notes').selectOption('Some of its tools');
    await dialog().getByLabel('Add a note').check();
    await dialog().getByText('Rename Add a note').click();
    await page.getByLabel('Name for agents').fill('keep_note');
    await page.getByLabel('Description').fill(' Keeps it. ');
    await save.click();
    await gone();
    const tools = [{ ...PLAIN, tool: 'add_note', name: 'keep_note', description: 'Keeps it.' }];
    const bundle = { name: 'garden', apps: [{ appId: NOTES, whole: false, tools }] };
    expect(saved).toEqual([{ bundle, earlier: '' }]);
    await page.getByText('svc connect AGENT --bundle garden').waitFor();
    await page.getByRole('button', { name: 'Change garden' }).click();
    await dialog().getByLabel('Field Notes').selectOption('All of it');
    await page.getByText('Add a note: 2 own texts').click();
    await page.getByLabel('Name for agents').first().fill('');
    await save.click();
    await gone();
    expect(saved[1]).toEqual({
      bundle: {
        name: 'garden',
        apps: [{ appId: NOTES, whole: true, tools: [{ ...tools[0], name: null }] }],
      },
      earlier: 'garden',
    });
  });
});
