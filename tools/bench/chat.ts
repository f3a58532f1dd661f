import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findChromium, lastUserText, type ModelScript, openScriptModel, SCRIPT_MODEL } from '@svc/testkit';
import type { Browser, Page } from 'playwright-core';
import { createConversations } from '../../apps/desktop/src/chat/chat-database.ts';
import { openChatDatabase } from '../../apps/desktop/src/chat/chat-schema.ts';
import { openBrowser, openPage } from '../../apps/web/test/support/real-browser.ts';
import { startProgram, stopProgram } from '../demo/programs.ts';
import type { Figure, LeftOut } from './lib/figure.ts';
import { inTempFolder, median } from './lib/processes.ts';

const LONG = 10_000;
const MIDDLE = 2_000;
const SHORT = 20;
const ROUNDS = 9;
const KEYS = 60;
const TOKENS = 3_000;

/** Fills a conversation with questions and Markdown answers. */
function fill(folder: string, id: string, size: number): void {
  const database = openChatDatabase(join(folder, 'chats.sqlite'));
  const conversations = createConversations(database, () => new Date());
  database.exec('begin');
  conversations.create(id, 'default', { provider: 'provider-script', model: SCRIPT_MODEL });
  let parent: number | null = null;
  for (let n = 1; n <= size; n += 1) {
    const role = n % 2 === 1 ? 'user' : 'assistant';
    const text = `message ${n}: **some** words\n\n- one\n- two\n\n\`\`\`js\nconst n = ${n};\n\`\`\`\n`;
    const parts = [{ type: 'text' as const, step: 0, text }];
    parent = conversations.add(id, parent, role, {
      parts,
      status: 'done',
      fault: null,
      model: SCRIPT_MODEL,
    }).id;
  }
  database.exec('commit');
  database.close();
}

/** The model: one token after a pause, or many. Records when each was sent. */
function script(sent: Map<string, number>): ModelScript {
  return (request) => {
    const asked = lastUserText(request);
    const note = (piece: string) => sent.set(piece, Date.now());
    if (asked.includes('many'))
      return {
        text: Array.from({ length: TOKENS }, (_, n) => `word${n}${n % 40 === 39 ? '\n\n' : ' '}`),
        delayMs: 3,
        sent: note,
      };
    return { text: [`first${asked.trim().split(' ').at(-1)}x`], delayMs: 150, sent: note };
  };
}

/** Runs code in a page, as text: its globals differ from those of this program. */
const WHEN_PAINTED = (text: string) => `new Promise((done) => {
  const look = () => document.querySelector('.thread')?.textContent.includes(${JSON.stringify(text)})
    ? requestAnimationFrame(() => setTimeout(() => done(Date.now())))
    : false;
  if (look()) return;
  const observer = new MutationObserver(() => look() && observer.disconnect());
  observer.observe(document.body, { childList: true, subtree: true, characterData: true });
})`;

/** Opens a conversation again and again. @returns the median of the times to the paint of its last message */
async function opening(page: Page, id: string, size: number): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto(`${new URL(page.url()).origin}/#/models`);
    await page.waitForTimeout(300);
    const begun = Number(await page.evaluate(`(location.hash = '#/chat/${id}', Date.now())`));
    took.push(Number(await page.evaluate(WHEN_PAINTED(`message ${size}:`))) - begun);
  }
  return median(took);
}

async function sendText(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await page.getByLabel('Message').fill(text);
  await page.keyboard.press('Enter');
}

async function firstTokens(page: Page, sent: ReadonlyMap<string, number>): Promise<number> {
  await page.goto(`${new URL(page.url()).origin}/#/chat`);
  const took: number[] = [];
  for (let round = 0; round < ROUNDS + 1; round += 1) {
    const shown = page.evaluate(WHEN_PAINTED(`first${round}x`));
    await sendText(page, `number ${round}`);
    took.push(Number(await shown) - (sent.get(`first${round}x`) ?? Number.NaN));
  }
  // The first message starts the conversation and loads its page.
  return median(took.slice(1));
}

const OBSERVE_KEYS = `window.keys = [];
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries())
      if (name.startsWith('key') || name === 'input') window.keys.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 });`;

/** Types text. @returns the time from key to paint: median, 95th percentile and maximum */
async function typeKeys(page: Page) {
  await page.evaluate('(window.keys.length = 0)');
  await page.getByLabel('Message').pressSequentially('x'.repeat(KEYS), { delay: 80 });
  await page.waitForTimeout(200);
  const keys = (await page.evaluate<number[]>('window.keys')).sort((a, b) => a - b);
  const at = (share: number) => keys[Math.ceil(keys.length * share) - 1] ?? 0;
  return { p50: at(0.5), p95: at(0.95), most: at(1) };
}

/** Types while idle, and while an answer streams. */
async function typing(page: Page, sent: ReadonlyMap<string, number>) {
  await page.goto(`${new URL(page.url()).origin}/#/chat/middle`);
  await page.getByText(`message ${MIDDLE}:`).waitFor();
  await page.evaluate(OBSERVE_KEYS);
  const idle = await typeKeys(page);
  await sendText(page, 'many');
  await page.getByText('word200').waitFor();
  const [before, from] = [sent.size, Date.now()];
  const busy = await typeKeys(page);
  const perSecond = ((sent.size - before) * 1000) / (Date.now() - from);
  await page.getByRole('button', { name: 'Stop' }).click();
  return { idle, busy, perSecond };
}

/**
 * Memory that the largest page process has written, in bytes (Linux). Its unchanged pages of the browser's program are not counted: whether
 * they are private depends on which other browsers run.
 */
async function pageMemory(browser: Browser): Promise<number> {
  const tools = await browser.newBrowserCDPSession();
  const { processInfo } = await tools.send('SystemInfo.getProcessInfo');
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      const said = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
      return Number(/^Private_Dirty:\s+(\d+) kB$/m.exec(said)?.[1]) * 1024;
    });
  return Math.max(...sizes);
}

async function prepare(folder: string, baseUrl: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  fill(folder, 'long', LONG);
  fill(folder, 'middle', MIDDLE);
  fill(folder, 'short', SHORT);
  const provider = { id: 'provider-script', name: 'Bench', baseUrl, hasKey: false, models: [SCRIPT_MODEL] };
  const models = {
    providers: [provider],
    default: { provider: provider.id, model: SCRIPT_MODEL },
    titles: false,
  };
  await writeFile(join(folder, 'models.json'), JSON.stringify(models), { mode: 0o600 });
}

async function measure(root: string) {
  await using opened = new AsyncDisposableStack();
  const sent = new Map<string, number>();
  const model = opened.adopt(await openScriptModel(script(sent)), (one) => one.close());
  const folder = join(root, 'desktop');
  await prepare(folder, model.baseUrl);
  const words = ['desktop', '--store', 'http://127.0.0.1:1', '--folder', folder, '--no-open', '--key-file'];
  const ready = /Desktop: (http\S+)\s/;
  const desktop = opened.adopt(await startProgram('desktop', words, { ready }), stopProgram);
  const browser = opened.adopt(await openBrowser(), (one) => one.close());
  const { page } = await openPage(browser, desktop.ready, { viewport: { width: 1280, height: 800 } });
  await page.getByRole('heading', { name: 'Chat', level: 1 }).waitFor();
  const open = await opening(page, 'long', LONG);
  const memory = process.platform === 'linux' ? await pageMemory(browser) : null;
  const short = await opening(page, 'short', SHORT);
  return { open, short, memory, first: await firstTokens(page, sent), ...(await typing(page, sent)) };
}

/** The chat of the desktop in headless Chromium, with a model server on this machine. */
export async function chat(): Promise<(Figure | LeftOut)[]> {
  const bytes = 'Memory of the page with a chat of 10,000 messages open';
  if (findChromium() === undefined) return [{ name: bytes, leftOut: 'needs Chromium' }];
  const { open, short, memory, first, idle, busy, perSecond } = await inTempFolder(measure);
  return [
    {
      ...{
        name: 'Token of a model, from sending to its paint in the chat',
        unit: ' ms',
        bound: { most: 30 },
      },
      ...{ measured: `the first of an answer; median of ${ROUNDS}`, value: first },
    },
    {
      ...{
        name: 'Key to its paint while a model streams into a chat of 2,000 messages, median',
        unit: ' ms',
      },
      measured: `${Math.round(perSecond)} tokens per second, p95 ${busy.p95}, most ${busy.most} ms; while nothing streams p50 ${idle.p50}, p95 ${idle.p95} ms`,
      ...{ value: busy.p50, bound: { most: 50 } },
    },
    {
      ...{ name: 'Opening a chat of 10,000 messages, to its paint', unit: ' ms', bound: { most: 150 } },
      ...{ measured: `its last page; median of ${ROUNDS}`, value: open },
    },
    {
      ...{ name: 'Opening a chat of 10,000 messages against one of 20, to the paint', unit: ' times' },
      ...{ measured: `${open} against ${short} ms; median of ${ROUNDS}` },
      ...{ value: open / short, bound: { most: 3 } },
    },
    memory === null
      ? { name: bytes, leftOut: 'needs Linux' }
      : {
          ...{ name: bytes, measured: 'memory that its process has written', unit: ' MB' },
          ...{ value: memory / 1e6, bound: { most: 100 } },
        },
  ];
}
