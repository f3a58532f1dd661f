import { DEEP, lastResults, lastUserText, type ModelScript, TIMEOUT_MS } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildPage } from '../apps/desktop/test/page/support/fake-desktop.ts';
import { openChat } from '../apps/desktop/test/support/chat-desktop.ts';
import { type openPage, openTestDesktop } from '../apps/desktop/test/support/test-desktop.ts';
import { NEEDS_BROWSER, openBrowser } from '../apps/web/test/support/real-browser.ts';
import { serveWeather } from './support/weather-server.ts';

type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** Calls the tool when it is asked for the weather, and otherwise repeats what was said. */
const weatherScript: ModelScript = (request) => {
  const asked = lastUserText(request);
  if (lastResults(request).length > 0) return { text: ['It rains.'] };
  if (!asked.includes('weather')) return { text: [`Answered: ${asked.split('\n').at(-1)}`] };
  const name = request.tools?.find((tool) => tool.function.name.endsWith('__weather'))?.function.name ?? '';
  return { calls: [{ name, arguments: { city: 'Oslo' } }] };
};

/** Answers the card of a kind with yes, while work waits for it. */
async function agreeTo(
  session: Awaited<ReturnType<typeof openPage>>,
  kind: string,
  work: () => Promise<unknown>,
) {
  const done = work();
  await expect
    .poll(async () => {
      const { cards } = (await session.call('client.show', {})).body;
      const found = cards.find(({ card }) => card.kind === kind);
      if (!found || !('binding' in found.card)) return false;
      const answer = { accepted: true as const, binding: found.card.binding ?? '' };
      return (await session.call('cards.answer', { cardId: found.id, answer })).status === 200;
    })
    .toBe(true);
  await done;
}

/** A page that always asks for full screen, and at first takes the focus for it. It counts the answers in the console. */
const SNEAKS = `let tries = 0;
void (async () => {
  for (;;) {
    if (tries < 2) window.focus();
    await app.requestDisplayMode({ mode: 'fullscreen' });
    tries += 1;
    console.log('try ' + tries);
  }
})();`;

/** Opens the desktop on a conversation whose answer shows the page. @param isAsked waits in the page, which is a gesture in it */
async function openWeather(browser: Browser, more = '', isAsked = true) {
  const mcp = await serveWeather(more);
  const built = await buildPage();
  onTestFinished(built.remove);
  const desktop = await openTestDesktop({ pageFolder: built.folder, localConnectors: true });
  const { page: session, chat, model } = await openChat(desktop, weatherScript);
  await agreeTo(session, 'local-connector', () => session.call('connectors.addLocal', { url: mcp.url }));
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  onTestFinished(() => page.close());
  await page.goto(desktop.opened.newLink());
  await page.locator('main').waitFor();
  await page.evaluate(`location.hash = '#/chat/${chat}'`);
  await page.getByLabel('Message').fill('weather');
  await page.keyboard.press('Enter');
  const press = (name: string | RegExp) =>
    page.getByRole('button', { name, exact: true, disabled: false }).click();
  await press('Allow');
  const view = page.frameLocator('.call-page iframe').frameLocator('iframe');
  if (isAsked) await view.getByText('Rain in Oslo').waitFor();
  const inner = page.frames().find((one) => one.parentFrame()?.parentFrame() === page.mainFrame());
  return { mcp, model, page, press, view, inner };
}

/** What a page tries to reach: another host, the page of the client, and its frame. */
const REACHED = `Promise.all([
  fetch('https://example.com/').then(() => 'reached', () => 'refused'),
  Promise.resolve().then(() => top.document.title).then(() => 'reached', () => 'refused'),
  Promise.resolve().then(() => parent.document.title).then(() => 'reached', () => 'refused'),
])`;

describe('MCP Apps in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it(
    'shows the page of a connector in the conversation, which asks before it does anything',
    DEEP,
    async () => {
      const { mcp, model, page, press, view, inner } = await openWeather(browser);
      // A server that was told of the extension, the whole result, and the context of the host.
      const hellos = mcp.asked.filter(({ message }) => /initialize|discover/.test(message.method));
      expect(JSON.stringify(hellos.map(({ message }) => message))).toContain('io.modelcontextprotocol/ui');
      expect(await inner?.evaluate('window.told')).toMatchObject({
        input: { city: 'Oslo' },
        result: { structuredContent: { sky: 'Rain' }, _meta: { map: 'north' } },
        context: { theme: 'light', displayMode: 'inline', toolInfo: { tool: { name: 'weather' } } },
      });
      await expect
        .poll(() => page.evaluate('document.querySelector(".call-page-place").offsetHeight'))
        .toBe(320);

      // Its calls ask as those of the model do; a tool for models alone is none of its.
      await view.getByRole('button', { name: 'Save' }).click();
      await press('Allow in this chat');
      await view.getByText('saved: Kept').waitFor();
      await view.getByRole('button', { name: 'Save' }).click();
      await view.getByText('saved: Kept twice').waitFor();
      await view.getByRole('button', { name: 'Hidden' }).click();
      await view.getByText('hidden: refused').waitFor();

      await view.getByRole('button', { name: 'Link' }).click();
      await page.getByRole('dialog').getByText('https://example.com/forecast').waitFor();
      await press('Decline');
      await view.getByText('link: refused').waitFor();
      await view.getByRole('button', { name: 'Inform' }).click();
      await page.getByRole('dialog').getByText('zoom').waitFor();
      await press('Allow');
      await view.getByText('informed').waitFor();
      await view.getByRole('button', { name: 'Say' }).click();
      await press('Send');
      await page.getByText('Answered: And tomorrow?').waitFor();
      // Until then the thread moves under a press.
      await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('zoom 3');

      await view.getByRole('button', { name: 'Full' }).click();
      await view.getByText('mode: fullscreen').waitFor();
      const { clientWidth } = await page.evaluate<{ clientWidth: number }>(
        '(({ clientWidth }) => ({ clientWidth }))(document.querySelector(".call-page"))',
      );
      expect(clientWidth).toBe(1280);
      await page.getByRole('button', { name: 'Exit full screen' }).click();
      await view.getByText('mode: inline').waitFor();
      // What the user types elsewhere is no reason to cover the window.
      await page.getByLabel('Message').pressSequentially('And in');
      expect(await inner?.evaluate(`app.requestDisplayMode({ mode: 'fullscreen' })`)).toEqual({
        mode: 'inline',
      });
      // Nothing of it leaves its sandbox: no other host, no token, not the page around it.
      expect(await inner?.evaluate(REACHED)).toEqual(['refused', 'refused', 'refused']);
      await page.getByRole('button', { name: 'Close view' }).click();
      await page.getByRole('button', { name: 'Show view of' }).waitFor();
    },
  );

  it(
    'covers the window only after a press in the page of a connector, and not again once it was left',
    DEEP,
    async () => {
      const { page, press, view } = await openWeather(browser, SNEAKS, false);
      const isFull = () => page.locator('.call-page.full').count();
      // A question to the page through the driver would be a gesture in it.
      let last = 0;
      page.on('console', (said) => {
        last = Math.max(last, Number(/^try (\d+)$/.exec(said.text())?.[1] ?? 0));
      });
      const tries = async () => {
        const before = last;
        await expect.poll(() => last).toBeGreaterThan(before + 1);
      };
      const coversAfterPress = () =>
        expect
          .poll(async () => {
            await view.locator('#sky').click();
            return isFull();
          })
          .toBe(1);
      expect(await isFull()).toBe(0);
      // Presses and keys in the client do not count as presses in the page, wherever the focus is.
      await page.getByLabel('Message').click();
      await tries();
      await page.getByLabel('Message').pressSequentially('And in');
      await tries();
      expect(await isFull()).toBe(0);
      expect(await page.getByLabel('Message').inputValue()).toBe('And in');
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await tries();
      expect(await isFull()).toBe(0);
      // The first press leaves the field, and the next one is one in the page.
      await coversAfterPress();
      await press('Exit full screen');
      await tries();
      expect(await isFull()).toBe(0);
      await coversAfterPress();
    },
  );
});
