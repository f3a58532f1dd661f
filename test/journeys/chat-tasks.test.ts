import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../../apps/desktop/test/page/support/browser.ts';
import { pageTest } from '../../apps/desktop/test/page/support/page-test.ts';
import { CHAT } from '../../apps/desktop/test/page/support/sample-chats.ts';
import { CARDS, waiting } from '../../apps/desktop/test/page/support/sample-data.ts';

const DOC = join(import.meta.dirname, '../../docs/project/chat.md');

/** The table of the documentation: clicks and keys of each task. */
const TABLE = new Map(
  [...readFileSync(DOC, 'utf8').matchAll(/^\| (.+?) \| (\d+) \| (\d+) \|$/gm)].map(
    ([, task = '', ...counts]) => [task, counts.map(Number)],
  ),
);

/** A page whose clicks and keys are counted. Words that a person writes are not. */
function countedOn(page: Page) {
  const counts = { clicks: 0, keys: 0 };
  return {
    counts,
    async click(one: Locator) {
      counts.clicks += 1;
      await one.click();
    },
    async press(key: string) {
      counts.keys += 1;
      await page.keyboard.press(key);
    },
    write: (words: string) => page.keyboard.type(words),
  };
}

type Hands = ReturnType<typeof countedOn>;

type Task = {
  /** The call of the page that shows that the task is done, and what is in it. */
  done: string;
  is?(input: Record<string, string>): boolean;
  by(hands: Hands, page: Page): Promise<void>;
};

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const palette = (page: Page) => page.getByRole('combobox', { name: 'Find' });

/** Each begins in a conversation, with the focus in the message field. */
const TASKS: Readonly<Record<string, Task>> = {
  'send a message': {
    done: 'chats.send',
    async by({ write, press }) {
      await write('Which tree is this?');
      await press('Enter');
    },
  },
  'change your last message': {
    done: 'chats.send',
    async by({ write, press }, page) {
      await press('ArrowUp');
      await page.getByText('Editing an earlier message.').waitFor();
      await write(' And this?');
      await press('Enter');
    },
  },
  'get another answer from another model': {
    done: 'chats.retry',
    async by({ click, counts }, page) {
      await click(button(page, 'Ask another model…'));
      const models = page.getByLabel('Ask another model', { exact: true });
      await expect.poll(() => models.locator('option').count()).toBe(3);
      // A press opens the list, and another chooses.
      counts.clicks += 2;
      await models.selectOption({ index: 2 });
    },
  },
  'change the model': {
    done: 'chats.change',
    async by({ counts }, page) {
      const models = page.getByLabel('Model', { exact: true });
      counts.clicks += 2;
      await models.selectOption({ label: 'Local: large-model' });
    },
  },
  'connect an account, beside the clicks of its sign-in page': {
    done: 'cards.answer',
    async by({ click }, page) {
      await click(page.getByRole('link', { name: /^Apps/ }));
      await click(page.getByRole('link', { name: 'Field Notes', exact: true }).last());
      await click(page.getByRole('button', { name: /^Connect / }));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Connect', disabled: false }));
      await button(page, 'Disconnect Example Notes').waitFor();
    },
  },
  'see what was done last Tuesday': {
    done: 'activity.list',
    is: ({ from = '', to = '' }) => Date.parse(to) - Date.parse(from) === 24 * 60 * 60_000,
    async by({ click }, page) {
      await click(page.getByRole('link', { name: 'Activity', exact: true }));
      for (const name of ['From', 'To']) {
        const field = page.getByLabel(name, { exact: true });
        await click(field);
        // Which part of a date a press chooses is the browser's: the date is a word that a person writes.
        await field.fill('2026-03-03');
      }
    },
  },
  'switch an app off here': {
    done: 'chats.change',
    async by({ click }, page) {
      await click(page.getByRole('button', { name: /what the model may use$/ }));
      await click(page.locator('.tool-list').getByRole('checkbox').first());
    },
  },
  'find a conversation by its words': {
    done: 'chats.open',
    async by({ write, press }, page) {
      await press('Control+k');
      await palette(page).waitFor();
      await write('maple');
      await page.getByRole('option', { name: /Plan the orchard/ }).waitFor();
      await press('Enter');
    },
  },
  'begin a new conversation': {
    done: 'chats.send',
    async by({ write, press }, page) {
      await press('Control+Shift+O');
      await expect.poll(() => new URL(page.url()).hash).toBe('#/chat');
      await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
      await write('Another tree');
      await press('Enter');
    },
  },
  'take a conversation as Markdown': {
    done: 'chats.export',
    async by({ write, press }, page) {
      await press('Control+k');
      await palette(page).waitFor();
      await write('export this');
      await page
        .getByRole('option', { name: /Export/ })
        .first()
        .waitFor();
      await press('Enter');
    },
  },
  'delete a conversation': {
    done: 'chats.remove',
    async by({ click }, page) {
      const list = page.getByRole('complementary', { name: 'Conversations' });
      await click(list.getByRole('button', { name: 'Actions for Plan the garden', exact: true }));
      await click(page.getByRole('button', { name: 'Delete', exact: true }));
      await click(page.getByRole('group').getByRole('button', { name: 'Delete', exact: true }));
    },
  },
};

describe('tasks of a conversation, in a real browser', NEEDS_BROWSER, () => {
  pageTest('are those of the documentation', () => {
    expect([...TABLE.keys()]).toEqual(Object.keys(TASKS));
  });

  pageTest.for(Object.entries(TASKS))('%s', async ([name, task], { askedFor, desk, page, state, visit }) => {
    const { done, is = () => true, by } = task;
    state.connected = false;
    // It ends with the sign-in, which begins when the user agrees.
    const signedIn = Promise.withResolvers<void>();
    desk.answers['accounts.connect'] = async () => {
      desk.tell({ type: 'card', card: waiting('connect', CARDS.connect) });
      await signedIn.promise;
      state.connected = true;
      return {};
    };
    desk.answers['cards.answer'] = () => {
      signedIn.resolve();
      return {};
    };
    desk.answers['chats.retry'] = () => ({});
    desk.answers['chats.remove'] = () => ({});
    desk.answers['chats.list'] = ({ q = '' }) => ({
      chats: q === 'maple' ? [{ ...CHAT, id: 'c2', title: 'Plan the orchard' }] : [CHAT],
    });
    await visit('chat/c1', 'Chat');
    await page.getByText('A maple.').waitFor();
    const field = page.getByLabel('Message', { exact: true });
    await expect.poll(() => field.evaluate((one) => one.matches(':focus'))).toBe(true);
    const before = askedFor(done).length;
    const hands = countedOn(page);
    await by(hands, page);
    await expect
      .poll(() =>
        askedFor(done)
          .slice(before)
          .some((input) => is(input as Record<string, string>)),
      )
      .toBe(true);
    expect([hands.counts.clicks, hands.counts.keys]).toEqual(TABLE.get(name));
  });
});
