import { describe, expect } from 'vitest';
import type { ChatMessage } from '../../../src/wire/chat.ts';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';
import { CHAT, call, message, text } from '../support/sample-chats.ts';
import { inChat, plain } from '../support/thread-cards.ts';

/** A conversation that is longer than the window, with an answer in progress. */
const LONG: readonly ChatMessage[] = Array.from({ length: 20 }, (_, at) =>
  message(at + 1, at % 2 === 0 ? 'user' : 'assistant', [text(`Line ${at + 1}\n\n`.repeat(6))], {
    status: at === 19 ? 'running' : 'done',
  }),
);

/** Whether the lower edge of an element is inside the thread. */
const IS_VISIBLE = (selector: string) => `(() => {
  const place = document.querySelector('.thread').getBoundingClientRect();
  const edge = [...document.querySelectorAll(${JSON.stringify(selector)})].at(-1)?.getBoundingClientRect().bottom;
  return edge > place.top && edge <= place.bottom + 1;
})()`;

/** Whether the card is inside the thread from its title to its buttons, with a margin. */
const CARD_IS_WHOLE = `(() => {
  const [place, box] = ['.thread', '.inline-card'].map((one) => document.querySelector(one)?.getBoundingClientRect());
  return Boolean(box) && box.top >= place.top + 4 && box.bottom <= place.bottom - 4;
})()`;

const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

describe('the thread, in a real browser', NEEDS_BROWSER, () => {
  it('follows what grows, counts what arrives while the user reads above, and shows own messages and cards', async ({
    desk,
    page,
    visit,
  }) => {
    const last = LONG.at(-1) ?? expect.fail();
    const asks = { id: 'k1', card: plain, state: 'waiting' as const };
    const running = (id: string, cards: (typeof asks)[] = []) =>
      call({ id, state: 'running', text: '', ms: null, cards });
    let rev = 0;
    const tell = (one: ChatMessage) => {
      rev += 1;
      desk.tell({ type: 'chat-message', chat: 'c1', rev, message: one });
    };
    desk.answers['chats.open'] = () => ({
      chat: { ...CHAT, running: true },
      messages: [...LONG],
      more: false,
      rev: 0,
    });
    await visit('chat/c1', 'Chat');
    await expect.poll(() => page.evaluate(IS_VISIBLE('.message:last-child'))).toBe(true);
    tell({ ...last, parts: [...last.parts, text('grows\n\n'.repeat(9))] });
    await page.getByText('grows').last().waitFor();
    await expect.poll(() => page.evaluate(IS_VISIBLE('.message:last-child'))).toBe(true);
    const jump = page.getByRole('button', { name: 'Jump to latest' });
    expect(await jump.count()).toBe(0);

    await page.locator('.thread').hover();
    await page.mouse.wheel(0, -1_500);
    await jump.waitFor();
    tell(message(21, 'assistant', [text('Another')], { parent: 20 }));
    await expect.poll(() => jump.innerText()).toContain('1 new');
    await jump.click();
    await expect.poll(() => page.evaluate(IS_VISIBLE('.message:last-child'))).toBe(true);

    await page.mouse.wheel(0, -1_500);
    await jump.waitFor();
    tell(message(22, 'user', [text('Mine')], { parent: 21 }));
    await expect.poll(() => page.evaluate(IS_VISIBLE('.message:last-child'))).toBe(true);

    await page.mouse.wheel(0, -1_500);
    await jump.waitFor();
    tell(message(23, 'assistant', [running('x1', [asks])], { parent: 22, status: 'running' }));
    desk.tell({ type: 'card', card: inChat('k1') });
    await expect.poll(() => page.evaluate(IS_VISIBLE('.inline-card .buttons'))).toBe(true);
    expect(await page.title()).toBe('(1) Chat: svc desktop');
  });

  it('follows what grows after it became higher, which moves its end and is no scrolling up', async ({
    desk,
    page,
    visit,
  }) => {
    const last = LONG.at(-1) ?? expect.fail();
    desk.answers['chats.open'] = () => ({
      chat: { ...CHAT, running: true },
      messages: [...LONG],
      more: false,
      rev: 0,
    });
    await page.setViewportSize({ width: 390, height: 600 });
    await visit('chat/c1', 'Chat');
    await expect.poll(() => page.evaluate(IS_VISIBLE('.message:last-child'))).toBe(true);
    for (const [rev, height] of [700, 640, 800].entries()) {
      // As a window whose edge is dragged, and by one step.
      for (const step of rev === 1 ? [60, 45, 30, 15, 0] : [0])
        await page.setViewportSize({ width: 390, height: height - step });
      await page.waitForFunction(`innerHeight === ${height}`);
      await page.evaluate(TWO_FRAMES);
      const grown = [...last.parts, text(`grows ${rev}\n\n`.repeat(20 * (rev + 1)))];
      desk.tell({ type: 'chat-message', chat: 'c1', rev: rev + 1, message: { ...last, parts: grown } });
      await page.getByText(`grows ${rev}`).last().waitFor();
      await expect.poll(() => page.evaluate(IS_VISIBLE('.message:last-child'))).toBe(true);
    }
  });

  it('keeps its end in view while the list of prompts takes its place, at 390 pixels', async ({
    desk,
    page,
    visit,
  }) => {
    const prompts = Array.from({ length: 8 }, (_, at) => ({
      ...{ id: `p${at}`, name: `Prompt ${at}`, description: 'What it does', arguments: [] },
    }));
    desk.answers['prompts.list'] = () => ({ prompts: { entries: prompts, isComplete: true } });
    desk.answers['chats.open'] = () => ({ chat: CHAT, messages: [...LONG], more: false, rev: 0 });
    await page.setViewportSize({ width: 390, height: 800 });
    await visit('chat/c1', 'Chat');
    const field = page.getByLabel('Message', { exact: true });
    const jump = page.getByRole('button', { name: 'Jump to latest' });
    await expect.poll(() => page.evaluate(IS_VISIBLE('.message:last-child'))).toBe(true);
    const whole = await page.locator('.thread').evaluate((one) => one.clientHeight);
    await field.pressSequentially('/');
    await page.getByRole('option').nth(7).waitFor();
    expect(await page.locator('.thread').evaluate((one) => one.clientHeight)).toBeLessThan(whole - 100);
    await expect.poll(() => page.evaluate(IS_VISIBLE('.message:last-child'))).toBe(true);
    expect(await jump.count()).toBe(0);
    // Where the user reads above, the button is over the thread, and the list over nothing.
    await page.locator('.thread').hover();
    await page.mouse.wheel(0, -1_500);
    await jump.waitFor();
    const [button, list] = await Promise.all([jump.boundingBox(), page.getByRole('listbox').boundingBox()]);
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(list?.y ?? 0);
    // By keyboard: the button goes away, and the field has the focus again.
    await jump.press('Enter');
    await expect.poll(() => page.evaluate(IS_VISIBLE('.message:last-child'))).toBe(true);
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    // What has the focus by keyboard stays in view when the thread becomes lower.
    await page.evaluate(`(() => {
      const thread = document.querySelector('.thread');
      const { top } = thread.getBoundingClientRect();
      const inView = (one) => one.getBoundingClientRect().top >= top;
      Object.assign(Array.from(thread.querySelectorAll('p')).find(inView), { tabIndex: 0 }).focus();
    })()`);
    await page.setViewportSize({ width: 390, height: 560 });
    await page.waitForFunction('innerHeight === 560');
    await expect
      .poll(() => page.locator('.thread').evaluate((one) => one.clientHeight))
      .toBeLessThan(whole - 100);
    await page.evaluate(TWO_FRAMES);
    await expect.poll(() => page.evaluate(IS_VISIBLE('.thread :focus-visible'))).toBe(true);
  });

  it('asks for parallel calls on one card with a tick each, and leaves their cards waiting on other pages', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    const asking = message(
      2,
      'assistant',
      ['k1', 'k2'].map((id) =>
        call({
          id: `of-${id}`,
          state: 'running',
          text: '',
          ms: null,
          cards: [{ id, card: plain, state: 'waiting' }],
        }),
      ),
      { status: 'running' },
    );
    const messages = [message(1, 'user', [text('Both')]), asking];
    desk.answers['chats.open'] = () => ({ chat: { ...CHAT, running: true }, messages, more: false, rev: 0 });
    await visit('activity', 'Activity');
    for (const id of ['k1', 'k2']) desk.tell({ type: 'card', card: inChat(id) });
    const review = page.getByRole('link', { name: 'Review' });
    await review.waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /^Chat/ }).getByText('2').waitFor();
    expect(askedFor('cards.answer')).toEqual([]);
    await page.setViewportSize({ width: 390, height: 700 });
    await review.click();
    const card = page.getByRole('region', { name: 'Run 2 calls: Add a note?' });
    await expect.poll(() => page.evaluate(CARD_IS_WHOLE)).toBe(true);
    // The end of the thread is where the card is in view: what grows, and an answer that scrolls to its end, leave it there.
    desk.tell({
      type: 'chat-message',
      chat: 'c1',
      rev: 1,
      message: { ...asking, parts: [...asking.parts, text('More\n\n'.repeat(20))] },
    });
    await page.getByText('More').last().waitFor({ state: 'attached' });
    await page.setViewportSize({ width: 390, height: 690 });
    await page.waitForFunction('innerHeight === 690');
    await page.setViewportSize({ width: 390, height: 700 });
    await page.waitForFunction('innerHeight === 700');
    await page.evaluate(TWO_FRAMES);
    await expect.poll(() => page.evaluate(CARD_IS_WHOLE)).toBe(true);
    await card.getByRole('checkbox').last().uncheck();
    await card.getByRole('button', { name: 'Allow 1 of 2', disabled: false }).click();
    await expect
      .poll(() => askedFor('cards.answer'))
      .toEqual([
        { cardId: 'k1', answer: { accepted: true, binding: 'approval-binding' } },
        { cardId: 'k2', answer: { accepted: false } },
      ]);
  });

  it('asks on a card that keys reach and answer, that Escape in the message field does not decline, and whose focus goes on', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    const asks = { id: 'k1', card: plain, state: 'waiting' as const };
    const running = call({ id: 'x1', state: 'running', text: '', ms: null, cards: [asks] });
    const messages = [
      message(1, 'user', [text('Do')]),
      message(2, 'assistant', [running], { status: 'running' }),
    ];
    desk.answers['chats.open'] = () => ({ chat: { ...CHAT, running: true }, messages, more: false, rev: 0 });
    await visit('chat/c1', 'Chat');
    desk.tell({ type: 'card', card: inChat('k1') });
    const card = page.getByRole('region', { name: 'Add this note with 1 picture?' });
    const approve = card.getByRole('button', { name: 'Add it', exact: true });
    await approve.waitFor();
    const hasFocus = (one: typeof card) => one.evaluate((element) => element === document.activeElement);
    expect(await hasFocus(page.getByLabel('Message', { exact: true }))).toBe(true);
    await page.keyboard.press('Escape');
    // Behind another window nothing can be approved, and Tab does not pass the button by.
    await page.evaluate('document.hasFocus = () => false');
    await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('true');
    for (let presses = 0; presses < 9 && !(await hasFocus(approve)); presses += 1)
      await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.evaluate('document.hasFocus = () => true');
    await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('false');
    expect([askedFor('cards.answer'), askedFor('chats.stop'), await hasFocus(approve)]).toEqual([
      [],
      [],
      true,
    ]);
    await page.keyboard.press('Enter');
    await card.waitFor({ state: 'detached' });
    expect(askedFor('cards.answer')).toMatchObject([{ cardId: 'k1', answer: { accepted: true } }]);
    expect(await hasFocus(page.getByLabel('Message', { exact: true }))).toBe(true);
  });

  it('keeps the place of the reader and of the focus when earlier messages are shown', async ({
    desk,
    page,
    visit,
  }) => {
    desk.answers['chats.open'] = ({ before }) => ({
      chat: CHAT,
      messages: before === undefined ? LONG.slice(10) : LONG.slice(0, 10),
      more: before === undefined,
      rev: 0,
    });
    await visit('chat/c1', 'Chat');
    const earlier = page.getByRole('button', { name: 'Show earlier messages' });
    await expect.poll(() => page.evaluate(IS_VISIBLE('.message:last-child'))).toBe(true);
    await earlier.press('Enter');
    await earlier.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(`document.activeElement.className`)).toBe('thread');
    // The message that was the first is at the upper edge again.
    await expect
      .poll(() =>
        page.evaluate(() => {
          const top = (selector: string) =>
            document.querySelector(selector)?.getBoundingClientRect().top ?? 0;
          return Math.abs(top('.message:nth-child(11)') - top('.thread')) < 60;
        }),
      )
      .toBe(true);
  });

  it('keeps 60 % of a low window, folds the list into a drawer, and never scrolls the page', async ({
    page,
    visit,
  }) => {
    await visit('chat/c1', 'Chat');
    for (const [width, height] of [
      [640, 430],
      [390, 800],
      [1000, 700],
    ] as const) {
      await page.setViewportSize({ width, height });
      const { thread, over } = await page.evaluate(() => ({
        thread: (document.querySelector('.thread')?.clientHeight ?? 0) / innerHeight,
        over: document.documentElement.scrollHeight - innerHeight,
      }));
      expect([over, thread >= 0.6]).toEqual([0, true]);
    }
    const list = page.getByRole('button', { name: 'Conversations' });
    const search = page.getByRole('searchbox', { name: 'Search conversations' });
    expect(await search.isVisible()).toBe(false);
    await list.press('Enter');
    await search.fill('none of these');
    await page.getByText('No conversation matches.').waitFor();
    // The first press empties a search field in Chromium.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'hidden' });
    expect(await list.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: 'More' }).first().click();
    await page.getByRole('button', { name: 'Rename' }).click();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Title');
    await page.mouse.click(200, 400);
    await page.getByRole('button', { name: 'Export' }).waitFor({ state: 'hidden' });
  });
});
