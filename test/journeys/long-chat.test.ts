import { once } from 'node:events';
import path from 'node:path';
import { DEEP } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../apps/desktop/test/support/chat-desktop.ts';
import { type DesktopProcess, startDesktop } from '../../apps/desktop/test/support/desktop-process.ts';
import { type Body, strictServer } from '../../apps/desktop/test/support/strict-providers.ts';
import { tempFolder } from '../../apps/desktop/test/support/temp-folder.ts';
import { NEEDS_BROWSER, openBrowser, openPage } from '../../apps/web/test/support/real-browser.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const WORDS = [path.join(ROOT, 'apps/desktop/test/support/killed-desktop.ts')];
const PAGE = path.join(ROOT, 'apps/desktop/page/dist');

/** Turns before and after the desktop is killed, of which each tenth makes calls. */
const TURNS = 20;

const blocksOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** The events of an answer of Anthropic with a text. */
const said = (text: string) => ({
  events: [
    {
      type: 'message_start',
      message: {
        ...{ id: 'msg', type: 'message', role: 'assistant', model: 'm', content: [] },
        usage: { input_tokens: 9, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ],
});

/** Answers a question with its number, and a request with calls, which it makes again where it has no results of them. */
function answerTo({ messages = [] }: Body) {
  const last = blocksOf(messages.at(-1)?.content);
  const asked = /question (\d+)/.exec(last)?.[1];
  if (asked !== undefined) return said(`Answer ${asked}: **List<String>** and $x^2$ for 5 $.`);
  return last.includes('tool_result') ? said('Both are sent.') : 'calls';
}

type Window = Awaited<ReturnType<typeof openPage>>;

const field = (page: Page) => page.getByLabel('Message', { exact: true });

/** Writes a message by keyboard alone. */
async function say({ page }: Window, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.bringToFront();
  await field(page).focus();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** Presses a button of the last card by keyboard: it lies before the message field. */
async function pressOnCard({ page }: Window, name: string): Promise<void> {
  await page.bringToFront();
  const button = page.locator('.inline-card').getByRole('button', { name, exact: true }).last();
  await button.waitFor();
  for (const tick of await page.locator('.calls-card label').all()) await tick.scrollIntoViewIfNeeded();
  await expect.poll(() => button.getAttribute('aria-disabled')).not.toBe('true');
  await button.focus();
  await page.keyboard.press('Enter');
}

describe('a long conversation, in a real browser', NEEDS_BROWSER, () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  /** A wide window and a phone, each with a link of its own. */
  async function openWindows({ page, line }: DesktopProcess, to: string): Promise<[Window, Window]> {
    const origin = new URL(await line('Desktop')).origin;
    const link = async () => `${origin}/#key=${(await page.call('session.share', {})).body.key}&to=${to}`;
    const wide = await openPage(browser, await link(), { viewport: { width: 1280, height: 800 } });
    const phone = await openPage(browser, await link(), { viewport: { width: 390, height: 844 } });
    return [wide, phone];
  }

  it('goes on in two windows with a strict provider, also after the desktop was killed', {
    ...DEEP,
    timeout: 600_000,
  }, async () => {
    const server = await strictServer('anthropic', answerTo);
    const folder = await tempFolder();
    const first = await startDesktop([...WORDS, folder, PAGE]);
    const { baseUrl, protocol } = server;
    const added = await first.page.call('models.add', { name: 'S', baseUrl, protocol, key: 'sk-test' });
    await first.page.call('models.choose', { provider: added.body.provider.id, model: 'm' });
    await first.page.call('models.saveTitles', { on: false });
    const { chat } = (await first.page.call('chats.create', { project: 'default' })).body;
    const asked: string[] = [];
    const seen = async (windows: readonly Window[], text: string) => {
      for (const { page } of windows) await page.locator('.thread').getByText(text).last().waitFor();
    };
    /** One turn, in one of the windows; both show its answer. */
    async function turn(windows: [Window, Window], n: number): Promise<void> {
      const window = windows[n % 2] as Window;
      const text = n % 10 === 0 ? `Send both, ${n}` : `question ${n} with <b>List<String></b>`;
      asked.push(text);
      await say(window, text);
      if (n % 10 !== 0) return seen(windows, `Answer ${n}:`);
      await pressOnCard(window, 'Allow all');
      await eventually(async () => {
        for (const { page } of windows)
          expect(await page.getByText('Both are sent.').count()).toBe(
            asked.filter((one) => one.startsWith('Send')).length,
          );
      });
    }
    const before = await openWindows(first, `/chat/${chat.id}`);
    for (let n = 1; n <= TURNS; n += 1) await turn(before, n);

    // Killed while the cards of two calls wait.
    asked.push('Send both, killed');
    await say(before[0], 'Send both, killed');
    await before[1].page.locator('.inline-card').last().waitFor();
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = await startDesktop([...WORDS, folder, PAGE]);
    for (const { page, incidents } of before) {
      expect(incidents.filter((one) => !/ERR_|Failed to load resource/.test(one))).toEqual([]);
      await page.context().close();
    }
    const after = await openWindows(second, `/chat/${chat.id}`);
    const messages = async () => (await second.page.call('chats.open', { chat: chat.id })).body.messages;
    expect((await messages()).at(-1)?.status).toBe('interrupted');
    const retry = after[1].page
      .getByRole('article')
      .last()
      .getByRole('button', { name: 'Retry', exact: true })
      .last();
    await retry.focus();
    await after[1].page.keyboard.press('Enter');
    await pressOnCard(after[1], 'Allow all');
    for (let n = TURNS + 1; n <= 2 * TURNS; n += 1) await turn(after, n);

    // Every word is there, once, in order; the provider refused nothing; and nothing is wider than a phone.
    const own: string[] = [];
    for (let from: number | undefined; ; ) {
      const page = (
        await second.page.call('chats.open', { chat: chat.id, ...(from !== undefined && { before: from }) })
      ).body;
      own.unshift(...page.messages.filter(({ role }) => role === 'user').map(textOf));
      from = page.messages[0]?.id;
      if (!page.more) break;
    }
    expect(own).toEqual(asked);
    expect(server.refused).toEqual([]);
    for (const { page, incidents } of after) {
      expect(incidents).toEqual([]);
      const [width, room] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, innerWidth]',
      );
      expect(width).toBeLessThanOrEqual(room);
    }
  });
});
