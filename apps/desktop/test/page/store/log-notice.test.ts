import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';

describe('the notice about the log of the store, in a real browser', NEEDS_BROWSER, () => {
  it('names the file with the evidence of two histories until it is closed, and says that there is no log', async ({
    desk,
    page,
    startWith,
    askedFor,
  }) => {
    let log = { evidence: null as string | null, isMissing: true };
    desk.answers['log.show'] = () => log;
    desk.answers['log.close'] = () => {
      log = { evidence: null, isMissing: false };
      return {};
    };
    await startWith({ apps: [] });
    await page.getByText('The store has no log of what it publishes').waitFor();
    const evidence = '/home/ada/.local/share/svc/evidence/log-20260101000000000-5.txt';
    log = { evidence, isMissing: true };
    desk.tell({ type: 'runtime', event: { type: 'log-forked', store: desk.origin, evidence } });
    const notice = page.getByRole('alert').filter({ hasText: 'The store showed two histories' });
    await notice.waitFor();
    expect(await notice.textContent()).toContain(evidence);
    await page.getByRole('button', { name: 'Close' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(askedFor('log.close')).toHaveLength(1);
  });
});
