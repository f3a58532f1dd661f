import { png } from '@svc/testkit';
import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { RefusalError } from '../support/fake-desktop.ts';
import { pageTest as it } from '../support/page-test.ts';
import { CHAT, message, text } from '../support/sample-chats.ts';

/** A PDF of one page with one line (ISO 32000-1, 7.5); readers rebuild the missing cross-reference table. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 52>>stream
BT /F 12 Tf 10 50 Td (Minutes of the meeting) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
%%EOF`;

describe('the message field, in a real browser', NEEDS_BROWSER, () => {
  it('edits the last message with ArrowUp, cancels with Escape, and sends the edit as a branch', async ({
    page,
    visit,
    askedFor,
  }) => {
    await visit('chat/c1', 'Chat');
    await page.getByText('maple').waitFor();
    const field = page.getByLabel('Message', { exact: true });
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('ArrowUp');
    expect(await field.inputValue()).toBe('Which leaf is this?');
    await page.getByText('Editing an earlier message.').waitFor();
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('');
    expect(await page.getByText('Editing an earlier message.').count()).toBe(0);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type(' And this?');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => askedFor('chats.send'))
      .toEqual([{ chat: 'c1', text: 'Which leaf is this? And this?', files: [], after: null }]);
    // In a field with text, the key moves the cursor.
    await field.fill('one');
    await page.keyboard.press('ArrowUp');
    expect(await field.inputValue()).toBe('one');
  });

  it('goes on in the field after Send and Stop by keyboard, and leaves the focus alone after a press', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    let running = false;
    desk.answers['chats.open'] = () => ({ chat: { ...CHAT, running }, messages: [], more: false, rev: 0 });
    const field = page.getByLabel('Message', { exact: true });
    const hasFocus = () => field.evaluate((one) => one === document.activeElement);
    const [send, stop] = ['Send', 'Stop'].map((name) => page.getByRole('button', { name, exact: true }));
    const change = (to: boolean) => {
      running = to;
      desk.tell({ type: 'chats' });
    };
    await visit('chat/c1', 'Chat');
    for (const [count, press, isBack] of [
      [1, (button = send) => button?.press('Enter'), true],
      [2, (button = send) => button?.click(), false],
    ] as const) {
      await field.fill('One');
      await press(send);
      await expect.poll(() => askedFor('chats.send').length).toBe(count);
      expect(await hasFocus()).toBe(isBack);
      change(true);
      await stop?.waitFor();
      await press(stop);
      await expect.poll(() => askedFor('chats.stop').length).toBe(count);
      expect(await hasFocus()).toBe(isBack);
      change(false);
      await send?.waitFor();
    }
  });

  it('queues a message that is written during an answer, until that ends well', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    let running = true;
    let status: 'done' | 'failed' | 'running' = 'running';
    desk.answers['chats.open'] = () => ({
      ...{ chat: { ...CHAT, running }, more: false, rev: 0 },
      messages: [message(1, 'user', [text('Hi')]), message(2, 'assistant', [text('Hello')], { status })],
    });
    const change = (to: typeof status) => {
      status = to;
      running = to === 'running';
      desk.tell({ type: 'chats' });
    };
    await visit('chat/c1', 'Chat');
    const field = page.getByLabel('Message', { exact: true });
    const queued = page.getByText('The message is sent when the answer ends.');
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await field.fill('And this?');
    await field.press('Enter');
    await queued.waitFor();
    await page.locator('.composer').getByRole('button', { name: 'Cancel' }).click();
    await queued.waitFor({ state: 'detached' });
    await field.press('Enter');
    await queued.waitFor();
    change('failed');
    await queued.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('And this?');
    change('running');
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await field.press('Enter');
    await queued.waitFor();
    expect(askedFor('chats.send')).toEqual([]);
    change('done');
    await expect.poll(() => askedFor('chats.send')).toEqual([{ chat: 'c1', text: 'And this?', files: [] }]);
  });

  it('ignores the Enter that confirms a candidate of an input method, also as Safari reports it', async ({
    page,
    visit,
    askedFor,
  }) => {
    await visit('chat/c1', 'Chat');
    const field = page.getByLabel('Message', { exact: true });
    await field.fill('今日は');
    const press = (init: object) =>
      field.evaluate((area, more) => {
        const event = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true, ...more };
        return area.dispatchEvent(new KeyboardEvent('keydown', event));
      }, init);
    expect(await press({ isComposing: true, keyCode: 229 })).toBe(true);
    expect(await press({ isComposing: false, keyCode: 229 })).toBe(true);
    expect(await field.inputValue()).toBe('今日は');
    expect(askedFor('chats.send')).toEqual([]);
    expect(await press({ keyCode: 13 })).toBe(false);
    await expect.poll(() => askedFor('chats.send').length).toBe(1);
  });

  it('sends no form of one line by such an Enter', async ({ page, visit }) => {
    await visit('chat/c1', 'Chat');
    const sent = await page.evaluate(() => {
      const form = document.createElement('form');
      const input = form.appendChild(document.createElement('input'));
      document.body.append(form);
      const press = (keyCode: number) =>
        input.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', keyCode, bubbles: true, cancelable: true }),
        );
      // A form is sent by the default action of the key, unless the event is cancelled.
      return { confirmed: press(229), typed: press(13) };
    });
    expect(sent).toEqual({ confirmed: false, typed: true });
  });

  it('keeps the draft when a file is attached before it has arrived', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    const { promise: attached, resolve } = Promise.withResolvers<void>();
    desk.answers['chats.draft'] = async () => {
      await attached;
      return { draft: { text: 'Not sent yet', files: [] } };
    };
    await visit('chat/c1', 'Chat');
    const file = { name: '1.txt', mimeType: 'text/plain', buffer: Buffer.from('four') };
    await page.locator('input[type=file]').setInputFiles([file]);
    await page.getByRole('button', { name: 'Remove 1.txt' }).waitFor();
    resolve();
    await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('Not sent yet');
    await page.getByRole('button', { name: 'Send', exact: true, disabled: false }).click();
    await expect.poll(() => askedFor('chats.send')).toMatchObject([{ text: 'Not sent yet', files: [{}] }]);
  });

  it('says at once which files a message does not take, and shows the model the ticked ones', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    desk.answers['chats.draft'] = () => ({ draft: { text: 'Not sent yet', files: [] } });
    await visit('chat/c1', 'Chat');
    const field = page.getByLabel('Message', { exact: true });
    await expect.poll(() => field.inputValue()).toBe('Not sent yet');
    const textFile = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('four') });
    const picker = page.locator('input[type=file]');
    await picker.setInputFiles(Array.from({ length: 22 }, (_, at) => textFile(`${at}.txt`)));
    await page.getByText('A message can have up to 20 files: 2 files not added.').waitFor();
    expect(await page.locator('.chips li').count()).toBe(20);
    for (let at = 0; at < 18; at += 1)
      await page
        .getByRole('button', { name: /^Remove/ })
        .last()
        .click();
    await page.getByRole('button', { name: 'Remove 1.txt' }).click();
    const pdf = Buffer.from(PDF);
    await picker.setInputFiles([{ name: 'a.pdf', mimeType: 'application/pdf', buffer: pdf }]);
    await page.getByLabel('Show to the model, about 1 tokens').check();
    await page
      .locator('.chips li')
      .last()
      .getByLabel(/about \d+ tokens/)
      .check();
    await page.getByRole('button', { name: 'Send', exact: true, disabled: false }).click();
    await expect.poll(() => askedFor('chats.send').length).toBe(1);
    const [sent] = askedFor('chats.send') as { text: string; files: { shown: boolean; text: string }[] }[];
    expect(sent?.text).toBe('Not sent yet');
    expect(sent?.files.map(({ shown, text }) => [shown, text])).toEqual([
      [true, 'four'],
      [true, 'Minutes of the meeting'],
    ]);
    await expect.poll(() => askedFor('chats.saveDraft').at(-1)).toMatchObject({ text: '', files: [] });
  });

  it('shows an attached picture small, beside its name', async ({ page, visit }) => {
    await visit('chat/c1', 'Chat');
    const picker = page.locator('input[type=file]');
    const picture = { name: 'leaf.png', mimeType: 'image/png', buffer: Buffer.from(png(40, 20)) };
    await picker.setInputFiles([
      picture,
      { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') },
    ]);
    const shown = page.locator('.chips img');
    await expect
      .poll(() => shown.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth)))
      .toEqual([40]);
    await page.getByRole('button', { name: 'Remove leaf.png' }).click();
    await expect.poll(() => shown.count()).toBe(0);
  });

  it('loses no file and no letter when a key is pressed at the moment at which an upload ends', async ({
    page,
    visit,
    askedFor,
  }) => {
    await visit('chat/c1', 'Chat');
    const field = page.getByLabel('Message', { exact: true });
    // The page knows the id of the file, and has not drawn it yet.
    await field.evaluate((area: HTMLTextAreaElement) => {
      const write = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set;
      const parse = Response.prototype.json;
      Response.prototype.json = async function (this: Response) {
        const json = await parse.call(this);
        const type = async () => {
          for (let turn = 0; turn < 10; turn += 1) await null;
          write?.call(area, `${area.value}x`);
          area.dispatchEvent(new Event('input', { bubbles: true }));
        };
        if (this.url.includes('/uploads?')) void type();
        return json;
      };
    });
    const files = ['a.txt', 'b.txt'].map((name) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from('4'),
    }));
    await page.locator('input[type=file]').setInputFiles(files);
    await expect.poll(() => field.inputValue()).toBe('xx');
    await field.press('Enter');
    await expect.poll(() => askedFor('chats.send').length).toBe(1);
    expect(askedFor('chats.send')).toMatchObject([
      { text: 'xx', files: files.map(() => ({ shown: false })) },
    ]);
  });

  it('switches apps off in a conversation, before its first message too', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    desk.answers['chats.create'] = () => ({ chat: { ...CHAT, id: 'c9' } });
    desk.answers['chats.change'] = () => ({ chat: CHAT });
    await visit('chat', 'Chat');
    const chips = page.getByRole('list', { name: 'Apps of this conversation' }).getByRole('button');
    await chips.first().click();
    await chips.nth(1).click();
    await chips.nth(1).click();
    expect(await chips.first().getAttribute('aria-pressed')).toBe('false');
    expect(await chips.nth(1).getAttribute('aria-pressed')).toBe('true');
    await page.getByLabel('Message', { exact: true }).fill('Hello');
    await page.keyboard.press('Enter');
    await expect.poll(() => askedFor('chats.send').length).toBe(1);
    expect(askedFor('chats.change')).toEqual([{ chat: 'c9', off: [expect.any(String)] }]);
  });

  it('offers prompts with / and resources with @, by keyboard', async ({ desk, page, visit, askedFor }) => {
    const argument = { name: 'topic', description: 'What about', isRequired: true };
    const prompt = { id: 'sum', name: 'Sum up', description: 'A summary', arguments: [argument] };
    const resource = { uri: 'note://1', name: 'Minutes', description: '', type: null, bytes: null };
    const said = { type: 'text' as const, text: 'Sum up the leaves.' };
    desk.answers['prompts.list'] = () => ({ prompts: { entries: [prompt], isComplete: true } });
    desk.answers['prompts.get'] = () => ({ description: '', messages: [{ role: 'user', part: said }] });
    desk.answers['resources.list'] = () => ({
      resources: { entries: [resource], isComplete: true },
      templates: {
        entries: [{ uriTemplate: 'note://day/{day}', name: 'Day', description: '', type: null }],
        isComplete: true,
      },
    });
    desk.answers['content.complete'] = ({ argument: { name, value } }) => ({
      values: [`${value}aves`, `${value}mon`, name],
      hasMore: false,
    });
    desk.answers['projects.findFiles'] = ({ q }) => ({
      files: [{ path: '/project/docs/plan.md', name: 'plan.md', folder: 'docs' }].filter(({ name }) =>
        name.includes(q),
      ),
    });
    await page.route('**/project-files?*', (route) => {
      expect(new URL(route.request().url()).searchParams.get('path')).toBe('/project/docs/plan.md');
      return route.fulfill({ body: 'Milk', contentType: 'application/octet-stream' });
    });
    desk.answers['resources.read'] = () => ({ parts: [{ type: 'text', text: 'They met.' }] });
    await visit('chat/c1', 'Chat');
    const field = page.getByLabel('Message', { exact: true });
    await field.fill('/su');
    await page.getByRole('option', { name: 'Sum up' }).waitFor();
    await page.keyboard.press('Enter');
    const topic = page.getByRole('combobox', { name: 'topic' });
    await topic.pressSequentially('le');
    await page.getByRole('option', { name: 'lemon' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    expect(await topic.inputValue()).toBe('leaves');
    expect(askedFor('prompts.get')).toEqual([]);
    // Two letters within the pause are one request, after that of the empty field.
    expect(askedFor('content.complete').length).toBeLessThanOrEqual(3);
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('Sum up the leaves.');
    expect(askedFor('prompts.get')).toMatchObject([{ id: 'sum', arguments: { topic: 'leaves' } }]);
    await field.focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' @min');
    await page.getByRole('option', { name: 'Minutes' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.chips').getByText('Minutes.txt').waitFor();
    expect(await field.inputValue()).toBe('Sum up the leaves. ');
    await page.keyboard.type('@da');
    await page.getByRole('option', { name: 'Day' }).click();
    await page.getByRole('combobox', { name: 'day' }).fill('1');
    // Escape closes the list; without one it would close the form.
    await page.getByRole('option', { name: '1mon' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => askedFor('resources.read').at(-1))
      .toMatchObject({ uriTemplate: 'note://day/{day}' });
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
    // A file of the project is attached like any other: its content is not shown to the model unless it is ticked.
    await field.press('End');
    await page.keyboard.type('@pla');
    await page.getByRole('option', { name: 'plan.md docs' }).waitFor();
    await page.keyboard.press('Enter');
    const chip = page.locator('.chips li', { hasText: 'plan.md' });
    await chip.getByText('Show to the model').waitFor();
    expect(await chip.getByRole('checkbox').isChecked()).toBe(false);
    expect([...desk.uploads.values()].at(-1)).toBe('Milk');
    await page.unroute('**/project-files?*');
    expect(askedFor('chats.send')).toEqual([]);
  });

  it('keeps in its tab what the desktop could not save, and goes on when another window has a session', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    desk.answers['chats.saveDraft'] = () => {
      throw new RefusalError('disk-full', 'The disk is full.');
    };
    await visit('chat/c1', 'Chat');
    const field = page.getByLabel('Message', { exact: true });
    await field.fill('Not to be lost');
    await expect.poll(() => askedFor('chats.saveDraft').length).toBeGreaterThan(0);
    desk.endSessions();
    await page.getByRole('link', { name: /^Apps/ }).click();
    await page.getByRole('heading', { name: 'This session has ended' }).waitFor();
    desk.answers['chats.saveDraft'] = () => ({});
    const other = await page.context().newPage();
    await other.goto(desk.link());
    await page.getByRole('heading', { name: 'Apps', level: 1 }).waitFor();
    await other.close();
    await visit('chat/c1', 'Chat');
    await expect.poll(() => field.inputValue()).toBe('Not to be lost');
    await expect
      .poll(() =>
        page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('svc.draft'))),
      )
      .toEqual([]);
  });
});
