import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { RefusalError } from '../support/fake-desktop.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';
import { HOSTILE, PROJECTS } from '../support/sample-data.ts';

const file = (n: number, name: string) => ({
  ...{ id: String(n).repeat(24), name, bytes: n * 1_024 },
  keptAt: `2026-03-0${n}T10:00:00.000Z`,
});

describe('the files that an app keeps, in a real browser', NEEDS_BROWSER, () => {
  it('are listed by project, opened in place, downloaded, and deleted after a confirmation', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    let kept = [file(3, 'sheet.txt'), file(2, HOSTILE), file(1, 'old.txt')];
    desk.answers['files.list'] = () => ({ files: kept });
    desk.answers['files.open'] = ({ id }) => ({
      file: {
        id: 'view-1',
        name: 'sheet.txt',
        type: 'text/plain',
        bytes: 4,
        sha256: id.repeat(3).slice(0, 64),
      },
    });
    desk.answers['files.remove'] = ({ id }) => {
      kept = kept.filter((one) => one.id !== id);
      return {};
    };
    await visit(`apps/${NOTES}`, 'Field Notes');
    await page.getByRole('link', { name: 'Files' }).click();
    const rows = page.locator('main ul.rows > li:visible');
    await rows.first().waitFor();
    const listed = await rows.allInnerTexts();
    expect(listed[0]).toMatch(/^sheet\.txt 3\.0 KiB, Mar 3, 2026/);
    expect(listed).toHaveLength(3);
    // A hostile name is shown as text.
    expect(await page.locator('main ul.rows img, main ul.rows script').count()).toBe(0);

    await page.getByRole('button', { name: 'Open sheet.txt' }).click();
    await page.getByText('text/plain, 4 B').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('sheet.txt');
    await page.getByRole('button', { name: 'Close sheet.txt' }).click();
    await page.getByRole('button', { name: 'Open sheet.txt' }).waitFor();
    expect(await page.getByRole('button', { name: 'Download' }).count()).toBe(0);

    const oldest = rows.filter({ hasText: 'old.txt' });
    await oldest.getByRole('button', { name: 'Delete' }).click();
    await oldest.getByText('Delete this file?').waitFor();
    await oldest.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(askedFor('files.remove')).toEqual([]);
    await oldest.getByRole('button', { name: 'Delete' }).click();
    await oldest.getByRole('group').getByRole('button', { name: 'Delete' }).click();
    await oldest.waitFor({ state: 'detached' });
    const which = { appId: NOTES, project: PROJECTS[0]?.id };
    expect(askedFor('files.remove')).toEqual([{ ...which, id: '1'.repeat(24) }]);
    expect(askedFor('files.open')).toEqual([{ ...which, id: '3'.repeat(24) }]);
    // Another project has its own files.
    await page.locator('label.project select').selectOption({ index: 1 });
    await expect
      .poll(() => askedFor('files.list').at(-1))
      .toEqual({ appId: NOTES, project: PROJECTS[1]?.id });
  });

  it('show an error for a missing file, and a message when there are no files', async ({
    desk,
    page,
    visit,
  }) => {
    desk.answers['files.open'] = () => {
      throw new RefusalError('unknown-file', 'There is no such file here.', 404);
    };
    await visit(`apps/${NOTES}/files`, 'Field Notes');
    await page.getByRole('button', { name: 'Open report.txt' }).click();
    await page.getByRole('alert').getByText('There is no such file here.').waitFor();
    desk.answers['files.list'] = () => ({ files: [] });
    await page.reload();
    await page.getByText('This app has no files in this project.').waitFor();
  });
});
