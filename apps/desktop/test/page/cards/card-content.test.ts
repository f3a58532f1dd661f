import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { RefusalError } from '../support/fake-desktop.ts';
import { pageTest as it } from '../support/page-test.ts';
import { app, CARDS, DETAIL, HOSTILE, SHA, waiting } from '../support/sample-data.ts';

describe('cards, in a real browser', NEEDS_BROWSER, () => {
  it('show the app that asks, with the verified domain of its publisher', async ({
    desk,
    startWith,
    dialog,
    pressEscape,
  }) => {
    const publisher = { ...DETAIL.publisher, verified: true, verifiedHost: 'notes.example.com' };
    desk.answers['store.app'] = () => ({ ...DETAIL, publisher });
    await startWith({ apps: [app()] });
    for (const [kind, card] of Object.entries(CARDS).filter(([, one]) => one.kind !== 'local-connector')) {
      desk.tell({ type: 'card', card: waiting(kind, card) });
      const head = dialog().locator('.consent-head');
      // The four facts of the version that is installed on the sheet, the verdict on the other cards.
      await head.getByText('Verified · notes.example.com', { exact: true }).waitFor();
      expect(await head.locator('summary').count(), kind).toBe(kind === 'consent' ? 4 : 0);
      expect(await head.innerText(), kind).toContain('com.example.notes');
      expect(await dialog().getByText('com.example.notes').count(), kind).toBe(1);
      await pressEscape();
      await dialog().waitFor({ state: 'detached' });
    }
  });

  it('take no label of an app that is longer than a button', async ({ desk, startWith, dialog }) => {
    await startWith({ apps: [app()] });
    desk.tell({ type: 'card', card: waiting('long', { ...CARDS.approval, action: 'a'.repeat(41) }) });
    await dialog().getByRole('button', { name: 'Approve', exact: true }).waitFor();
  });

  it('show no badge when the store names another publisher, or when the store is unreachable', async ({
    desk,
    startWith,
    dialog,
    askedFor,
    pressEscape,
  }) => {
    const other = { ...DETAIL.publisher, slug: 'other', verified: true, verifiedHost: 'notes.example.com' };
    const answers = [
      () => ({ ...DETAIL, publisher: other }),
      () => {
        throw new RefusalError('store-unreachable', 'No.');
      },
    ];
    for (const [n, answer] of answers.entries()) {
      desk.answers['store.app'] = answer;
      await startWith({ apps: [app()] });
      desk.tell({ type: 'card', card: waiting(`badge-${n}`, CARDS.consent) });
      await dialog().getByText('Publisher:').waitFor();
      await expect.poll(() => askedFor('store.app').length).toBeGreaterThan(n);
      expect(await dialog().locator('.seal').count()).toBe(0);
      await pressEscape();
      await dialog().waitFor({ state: 'detached' });
    }
  });

  it('show the sentences of the app next to the requested scopes of an account', async ({
    desk,
    dialog,
    page,
  }) => {
    desk.tell({
      type: 'card',
      card: waiting('c', {
        ...CARDS.connect,
        tokenHost: 'tokens.example.net',
        permissions: ['Reads the notes of your account.', HOSTILE],
      }),
    });
    await dialog().getByText('Your browser opens auth.example.com.').waitFor();
    await dialog().getByText('Another site issues the access tokens: tokens.example.net.').waitFor();
    await dialog().getByText('notes.read', { exact: true }).waitFor();
    await dialog().getByText('Reads the notes of your account.').waitFor();
    await dialog()
      .getByText('In the words of the publisher, Example & Sons. svc does not check them.')
      .waitFor();
    expect(await dialog().locator('.app-words').innerText()).toContain('⟨U+202E⟩gnp.exe');
    expect(await dialog().locator('script, img[src="x"]').count()).toBe(0);
    expect(await page.title()).not.toContain('owned');
  });

  it('show where an account signs in and where its tokens are issued, before an install, if these are two hosts', async ({
    desk,
    dialog,
    pressEscape,
  }) => {
    const { footprint } = CARDS.consent;
    for (const [host, isShown] of [
      ['auth.example.com', false],
      ['tokens.example.net', true],
    ] as const) {
      const endpoints = footprint.endpoints.map((one) => ({
        ...one,
        authorizeUrl: 'https://auth.example.com/authorize',
        tokenUrl: `https://${host}/token`,
      }));
      const card = { ...CARDS.consent, widened: null, footprint: { ...footprint, endpoints } };
      desk.tell({ type: 'card', card: waiting(host, card) });
      await dialog().getByText('svc will allow').waitFor();
      const shown = await dialog().locator('dl.allowed dt:visible').allInnerTexts();
      const addresses = ['Sign-in page of the account', 'Token address of the account'];
      expect(shown.filter((label) => addresses.includes(label))).toEqual(isShown ? addresses : []);
      expect(await dialog().getByText(`https://${host}/token`).isVisible()).toBe(isShown);
      await pressEscape();
      await dialog().waitFor({ state: 'detached' });
    }
  });

  it('show the pictures and texts to send, their originals, and an explanation of the hashes', async ({
    desk,
    dialog,
    askedFor,
  }) => {
    desk.tell({ type: 'card', card: waiting('a', CARDS.approval) });
    const picture = dialog().getByAltText('Image to send: leaf.png');
    await picture.waitFor();
    await expect
      .poll(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth))
      .toBeGreaterThan(0);
    await dialog().getByText('Original: leaf.heic, image/heic, 4.0 MiB').waitFor();
    // A text file is requested when it is opened, and its markup is not interpreted.
    expect(askedFor('card-file')).toEqual(['/card-files/a/0']);
    await dialog().getByText('Show text').click();
    await dialog().getByText('<img src=x onerror=').waitFor();
    expect(askedFor('card-file')).toEqual(['/card-files/a/0', '/card-files/a/1']);
    await dialog().getByText('Sends to mcp.example.com as Example Notes').waitFor();
    await dialog().getByText('In the words of Field Notes.').waitFor();
    expect(await dialog().locator('.app-says').innerText()).toContain('It is shown to everybody.');
    expect(await dialog().innerText()).not.toContain(SHA);
    await dialog().getByText('Details', { exact: true }).click();
    await dialog().getByText('A SHA-256 hash identifies exact bytes.').waitFor();
    await dialog().getByText('Example Notes (notes)').waitFor();
    const said = await dialog().innerText();
    for (const hash of [SHA, 'cd'.repeat(32), 'approval-binding']) expect(said).toContain(hash);
  });

  it('send the values of a question, once all required ones are there', async ({
    desk,
    dialog,
    askedFor,
  }) => {
    desk.tell({ type: 'card', card: waiting('q', CARDS.question) });
    await dialog().getByText('Do not enter passwords').waitFor();
    expect(await dialog().locator('.app-says').innerText()).toBe('Which room?\nIt must be free.');
    const send = dialog().getByRole('button', { name: 'Send' });
    await send.click();
    await dialog().getByText('This field is required.').waitFor();
    expect(askedFor('cards.answer')).toEqual([]);
    await dialog().getByLabel('Room *').fill('Blue');
    await dialog().getByLabel('Size').selectOption('Small');
    await dialog().getByLabel('Monday').check();
    await send.click();
    const content = { room: 'Blue', size: 's', days: ['mo'], quiet: true };
    await expect
      .poll(() => askedFor('cards.answer'))
      .toEqual([{ cardId: 'q', answer: { accepted: true, binding: 'question-binding', content } }]);
  });

  it('open the page that a server asks for, and show its whole address', async ({
    desk,
    page,
    dialog,
    askedFor,
  }) => {
    desk.tell({ type: 'card', card: waiting('p', CARDS.page) });
    await dialog().getByText('https://pay.example.com/room?id=7', { exact: true }).waitFor();
    const popup = page.waitForEvent('popup');
    await dialog().getByRole('button', { name: 'Open pay.example.com' }).click();
    expect(await (await popup).evaluate(() => window.opener)).toBeNull();
    await expect
      .poll(() => askedFor('cards.answer'))
      .toEqual([{ cardId: 'p', answer: { accepted: true, binding: 'page-binding' } }]);
  });
});
