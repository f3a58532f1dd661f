import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { RefusalError } from '../support/fake-desktop.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';
import { CARDS, waiting } from '../support/sample-data.ts';

describe('the queue of cards, in a real browser', NEEDS_BROWSER, () => {
  it('runs a tool with a file after its card is accepted by keyboard, with the binding of the card', async ({
    desk,
    page,
    visit,
    askedFor,
    dialog,
    gone,
  }) => {
    const { promise: approved, resolve: approve } = Promise.withResolvers<void>();
    const answerCall = desk.answers['tools.call'];
    desk.answers['tools.call'] = async (input) => {
      desk.tell({
        type: 'call-progress',
        callId: input.callId,
        progress: { progress: 1, total: 4, message: 'Sending' },
      });
      desk.tell({ type: 'card', card: waiting('card-1', CARDS.approval) });
      await approved;
      if (!answerCall) throw new Error('There is no answer.');
      return answerCall(input);
    };
    desk.answers['cards.answer'] = () => {
      approve();
      return {};
    };
    await visit(`tools/${NOTES}/add_note`, 'Tools');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('This field is required.').waitFor();
    await page.getByLabel('Title').fill('Leaf');
    await page
      .getByLabel('pictures')
      .setInputFiles({ name: 'big.png', mimeType: 'image/png', buffer: Buffer.alloc(1_048_577) });
    await page.getByText('big.png is larger than 1.0 MiB.').waitFor();
    await page
      .getByLabel('pictures')
      .setInputFiles({ name: 'leaf.txt', mimeType: 'text/plain', buffer: Buffer.from('leaf') });
    await page.getByRole('button', { name: 'Run' }).click();
    await dialog().getByText('leaf.png', { exact: true }).first().waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
    // No button has the focus, so an Enter meant for something else does not answer the card.
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Add it', disabled: false }).waitFor();
    await page.keyboard.press('Tab');
    while ((await page.evaluate(() => document.activeElement?.textContent)) !== 'Add it')
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The note is added.').waitFor();
    await gone();
    expect(askedFor('cards.answer')).toEqual([
      { cardId: 'card-1', answer: { accepted: true, binding: 'approval-binding' } },
    ]);
    const [call] = askedFor('tools.call') as { arguments: object; files: Record<string, string[]> }[];
    expect(call?.arguments).toEqual({ title: 'Leaf', stars: 3, tags: ['new'] });
    expect(call?.files.pictures?.map((id) => desk.uploads.get(id))).toEqual(['leaf']);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('note.txt');
    await page.getByRole('button', { name: 'Save to project' }).click();
    await page.getByText('Saved as note.txt.').waitFor();
  });

  it('shows one card after the other, declines on Escape, and shows no card twice', async ({
    desk,
    page,
    startWith,
    askedFor,
    dialog,
    gone,
  }) => {
    await startWith({ cards: [waiting('a', CARDS.connect, 'Claude Code'), waiting('b', CARDS.save)] });
    await dialog().getByText('Requested by Claude Code for Field Notes 1.2.0').waitFor();
    await dialog().getByText('1 more question after this').waitFor();
    // A key that was meant for what the card covers does not decline it.
    await page.evaluate('document.hasFocus = () => false');
    await dialog().getByRole('button', { name: 'Connect', disabled: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate('document.hasFocus = () => true');
    await dialog().getByRole('button', { name: 'Connect', disabled: false }).waitFor();
    expect(askedFor('cards.answer')).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog().getByText('A file with this name already exists.').waitFor();
    desk.tell({ type: 'card', card: waiting('a', CARDS.connect, 'Claude Code') });
    desk.tell({ type: 'card-gone', cardId: 'b' });
    await gone();
    expect(askedFor('cards.answer')).toEqual([{ cardId: 'a', answer: { accepted: false } }]);
    desk.answers['cards.answer'] = () => {
      throw new RefusalError('not_found', 'Nobody waits.', 404);
    };
    desk.tell({ type: 'card', card: waiting('late', CARDS.consent) });
    await dialog().getByRole('button', { name: 'Agree and update' }).click();
    await gone();
  });
});
