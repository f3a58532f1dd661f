import { DEEP } from '@svc/testkit';
import { describe, expect } from 'vitest';
import type { ChatMessage } from '../../../src/wire/chat.ts';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';
import { CHAT, call, failed, MESSAGES, message, text } from '../support/sample-chats.ts';
import { CARDS } from '../support/sample-data.ts';
import { inChat } from '../support/thread-cards.ts';

describe('answers, in a real browser', NEEDS_BROWSER, () => {
  it.for([
    ['unreachable', 'The model provider does not respond.', true],
    ['key', 'The model provider rejected the API key.', true],
    ['model', 'The model provider does not have this model.', true],
    ['no-provider', 'Choose a model first.', true],
    ['no-tools', 'This model cannot call tools.', true],
    ['context', 'The conversation is too long for this model.', true],
    ['cut', 'The connection to the model provider was lost.', false],
    ['busy', 'Too many requests.', false],
    ['silent', 'The model stopped answering.', false],
    ['failed', 'The model provider failed.', false],
  ] as const)(
    'show why they failed, and what to do: %s',
    async ([code, said, isOfModels], { desk, page, visit }) => {
      const messages = [message(1, 'user', [text('Hi')]), failed(code, said)];
      desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
      await visit('chat/c1', 'Chat');
      const fault = page.getByRole('alert').filter({ hasText: said });
      await fault.waitFor();
      expect(await fault.getByRole('link', { name: 'Models' }).count()).toBe(isOfModels ? 1 : 0);
      // The message of the user is still shown, and can be retried.
      await page.getByRole('article', { name: 'You' }).getByText('Hi').waitFor();
      expect(await page.getByRole('button', { name: 'Retry', exact: true }).count()).toBe(1);
      expect(await fault.getByRole('button', { name: 'Retry', exact: true }).count()).toBe(
        isOfModels ? 0 : 1,
      );
    },
  );

  it('show the whole of a long result, part by part', async ({ desk, page, visit }) => {
    const whole = 'word '.repeat(10_000);
    desk.uploads.set('whole-1', whole);
    const file = { id: 'whole-1', name: 'Result of Add.txt', type: 'text/plain', bytes: 50_000, appId: null };
    const long = call({ text: whole.slice(0, 100), files: [file], whole: { file: file.id, chars: 50_000 } });
    desk.answers['chats.open'] = () => ({
      ...{ chat: CHAT, more: false, rev: 0 },
      messages: [message(1, 'user', [text('Hi')]), message(2, 'assistant', [long])],
    });
    await visit('chat/c1', 'Chat');
    await page.getByRole('button', { name: 'Show whole result' }).click();
    const shown = page.locator('.call-files pre');
    await expect.poll(async () => (await shown.textContent())?.length).toBe(20_001);
    await page.getByRole('button', { name: 'Show all 50,000 characters' }).click();
    await expect.poll(() => shown.textContent()).toBe(whole);
  });

  it('show what was left out, why a call was refused, and the number of tokens', async ({ page, visit }) => {
    await visit('chat/c1', 'Chat');
    await page.getByText('earlier messages were left out').waitFor();
    await page.getByText('It answered without your apps.').waitFor();
    // The reason is visible without opening the row.
    await page.locator('.call-why').getByText('This version was yanked.').waitFor();
    await page.getByText('1,204 tokens in, 34 out').waitFor();
  });

  it('show how long a tool call runs, the last seconds of its time, and what a waiting one asks for, and stop only that call', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    const [question = message(1, 'user', [])] = MESSAGES;
    const [since, until] = [-5_000, 25_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const waits = { id: 'k', card: CARDS.save, state: 'waiting' as const };
    const answer = message(
      2,
      'assistant',
      [
        call({ state: 'running', text: '', ms: null, since, until: until ?? null }),
        call({ id: 'call-2', tool: 'Send', state: 'running', text: '', ms: null, cards: [waits] }),
      ],
      { status: 'running' },
    );
    const chat = { ...CHAT, running: true };
    desk.answers['chats.open'] = () => ({ chat, messages: [question, answer], more: false, rev: 0 });
    await visit('chat/c1', 'Chat');
    const [running, waiting] = [page.locator('.call').first(), page.locator('.call').last()];
    await expect
      .poll(() => running.locator('summary').first().innerText())
      .toMatch(/Running \d+ s, \d+ s left/);
    expect(await waiting.locator('summary').first().innerText()).toContain('Approve to continue');
    expect(await waiting.locator('.call-clock').count()).toBe(0);
    desk.tell({
      type: 'call-progress',
      callId: 'call-1',
      progress: { progress: 1, total: 4, message: 'One of four' },
    });
    await running.getByText('One of four').waitFor();
    expect(await running.getByRole('progressbar').getAttribute('value')).toBe('1');
    // The time is not announced, because it changes every second.
    expect(await page.locator('[role=status] .call-clock').count()).toBe(0);
    await page.getByRole('button', { name: 'Stop Field Notes: Add a note' }).click();
    await expect.poll(() => askedFor('chats.stopCall')).toEqual([{ chat: 'c1', call: 'call-1' }]);
    expect(askedFor('chats.stop')).toEqual([]);
  });

  it('lead to a sign-in from their row, with its digits, and not from a banner too', async ({
    desk,
    page,
    visit,
  }) => {
    const signIn = { appId: NOTES, app: 'Field Notes', accountId: 'notes', label: 'Notes', digits: '042' };
    const waits = call({ state: 'running', text: '', ms: null });
    // Another call of the app waits for a card, and not for the sign-in.
    const asks = call({
      ...{ id: 'call-2', state: 'running', text: '', ms: null },
      cards: [{ id: 'card', card: CARDS.approval, state: 'waiting' }],
    });
    desk.answers['accounts.signIns'] = () => ({ signIns: [signIn] });
    desk.answers['chats.open'] = () => ({
      ...{ chat: { ...CHAT, running: true }, more: false, rev: 0 },
      messages: [
        message(1, 'user', [text('Hi')]),
        message(2, 'assistant', [waits, asks], { status: 'running' }),
      ],
    });
    await visit('chat/c1', 'Chat');
    desk.tell({ type: 'runtime', event: { type: 'sign-in-started', appId: NOTES, accountId: 'notes' } });
    const row = page.locator('.call').first();
    await row.getByText('Sign in to continue').waitFor();
    await row.getByText('If asked, type 042').waitFor();
    await page.locator('.call').last().getByText('Approve to continue').waitFor();
    expect(await page.getByText('If asked, type 042').count()).toBe(1);
    const { appId, accountId } = signIn;
    desk.tell({ type: 'open-page', appId, accountId, url: 'https://auth.example.com/authorize' });
    await row.getByRole('link', { name: 'Open sign-in page' }).waitFor();
    expect(await page.locator('.banner').count()).toBe(0);
    // On another page it is in the banner.
    await visit('apps', 'Apps');
    await page.locator('.banner').getByRole('link', { name: 'Open sign-in page' }).waitFor();
  });

  it('announce each question, sign-in and end of an answer once, in their order, and not what is being written', async ({
    desk,
    page,
    visit,
  }) => {
    const answer = (status: ChatMessage['status'], said: string) =>
      message(2, 'assistant', [text(said)], { status });
    let rev = 0;
    const tell = (one: ChatMessage) => {
      rev += 1;
      desk.tell({ type: 'chat-message', chat: 'c1', rev, message: one });
    };
    desk.answers['chats.open'] = () => ({
      ...{ chat: { ...CHAT, running: true }, more: false, rev: 0 },
      messages: [message(1, 'user', [text('Hi')]), answer('running', 'One')],
    });
    await visit('chat/c1', 'Chat');
    await page.getByRole('log', { name: 'Thread' }).getByText('One').waitFor();
    const log = page.getByRole('log', { name: 'Announcements' });
    expect(await log.locator('p').count()).toBe(0);
    desk.tell({ type: 'card', card: inChat('k1') });
    await expect.poll(() => log.locator('p').allTextContents()).toHaveLength(1);
    tell(answer('running', 'One, two'));
    tell(answer('done', 'One, two, three'));
    await expect.poll(() => log.locator('p').allTextContents()).toHaveLength(2);
    // The same answer goes on, and fails.
    tell(answer('running', 'One, two, three'));
    await expect.poll(() => page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(1);
    tell({ ...answer('failed', 'One'), fault: { code: 'busy', message: 'Too many requests.' } });
    await expect
      .poll(() => log.locator('p').allTextContents())
      .toEqual([
        'Question: Add this note with 1 picture?',
        'The answer is complete.',
        'The answer failed. Too many requests.',
      ]);
    expect(await page.getByRole('log', { name: 'Thread' }).getAttribute('aria-live')).toBe('off');
  });

  it('show the time of work apart from the time of the user, fold a long result, show its picture, and repeat a call', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    const photo = { id: 'photo', name: 'leaf.png', type: 'image/png', bytes: 10, appId: 'com.example.notes' };
    desk.answers['files.open'] = () => ({ file: { ...photo, sha256: 'ab' } }) as never;
    desk.answers['chats.retryCall'] = () => ({});
    const long = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
    const parts = [
      call({ waitedMs: 12_000, text: long, files: [photo] }),
      call({ id: 'call-2', tool: 'Send', state: 'failed', text: '{\n  "error": "No such list."\n}' }),
    ];
    const messages = [message(1, 'user', [text('Hi')]), message(2, 'assistant', parts)];
    desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
    await visit('chat/c1', 'Chat');
    const row = page.locator('.call').first();
    await row.getByText('Done 420 ms').waitFor();
    await row.locator('img.preview').waitFor();
    // What is seldom needed is folded.
    const path = row.getByLabel('Path in the project');
    expect(await path.isVisible()).toBe(false);
    await row.getByText('Save to the project').click();
    await path.waitFor();
    // Closed, it is one line; its picture is below.
    const line = await row.locator('summary').first().boundingBox();
    expect(line?.height).toBeLessThanOrEqual(36);
    await row.locator('summary').first().click();
    await row.getByText('It worked for 420 ms, and waited 12.0 s for you.').waitFor();
    const result = row.locator('pre.plain');
    expect(await result.innerText()).not.toContain('line 20');
    await row.getByRole('button', { name: 'Open whole' }).click();
    expect(await result.innerText()).toContain('line 39');
    // The reason is visible without opening the row.
    const failed = page.locator('.call').last();
    await failed.locator('.call-why').getByText('"error": "No such list."').waitFor();
    await failed.locator('summary').first().click();
    await failed.locator('.call-why').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Retry Field Notes: Send' }).click();
    await expect
      .poll(() => askedFor('chats.retryCall'))
      .toEqual([{ chat: 'c1', message: 2, call: 'call-2' }]);
  });
});

/** What a hostile server may put into the text of a result: markup, addresses, and sizes and depths that are slow to lay out. */
const HOSTILE_TEXTS = [
  `<img src="https://out.example/a" onerror="fetch('https://out.example/b')"><script>fetch('https://out.example/c')</script>`,
  '![x](https://out.example/d) [y](javascript:fetch("https://out.example/e")) <https://out.example/f>',
  'x'.repeat(1_000_000),
  'line\n'.repeat(100_000),
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  JSON.stringify(Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`k${i}`, `v${i}`]))),
  JSON.stringify(Array.from({ length: 5_000 }, (_, i) => ({ id: i, link: 'https://out.example/g' }))),
  JSON.stringify({ __proto__: null, constructor: 1, toString: { valueOf: '</pre><b>' }, hasOwnProperty: [] }),
  '\u202Egnp.exe \u200B\u200D\uFEFF \u001b]8;;https://out.example/h\u0007link\u001b]8;;\u0007 \u0000',
  'Z\u0335\u0321\u0322'.repeat(20_000),
];

describe('results of a hostile server, in a real browser', NEEDS_BROWSER, () => {
  it(
    'load nothing, run nothing, and leave the page usable: forty of them, unfolded',
    DEEP,
    async ({ desk, page, visit, tab }) => {
      const names = ['<img src=https://out.example/i>.png', '../../\u202Egnp.svg', 'a.html', 'a.mp3'];
      const types = ['image/png', 'image/svg+xml', 'text/html', 'audio/mpeg'];
      const files = names.map((name, at) => ({
        ...{ id: `f${at}`, name, type: types[at] ?? '', bytes: 10, appId: 'com.example.notes' },
      }));
      desk.answers['files.open'] = ({ id }) =>
        ({ file: { ...files.find((file) => file.id === id), sha256: 'ab' } }) as never;
      const calls = Array.from({ length: 40 }, (_, at) => {
        const said = HOSTILE_TEXTS[at % HOSTILE_TEXTS.length] ?? '';
        const structured =
          at % 4 === 0
            ? { deep: [[[{ a: said.slice(0, 5_000) }]]], long: said, 'https://out.example/j': 1 }
            : null;
        return call({
          ...{ id: `c${at}`, app: '<b>Notes</b>\u202E', tool: '<a href=https://out.example/k>', text: said },
          ...(structured && { structured }),
          ...(at % 10 === 0 && { files }),
          ...(at % 3 === 0 && { state: 'failed' as const }),
        });
      });
      const messages = [message(1, 'user', [text('Go')]), message(2, 'assistant', calls)];
      desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
      const requests: string[] = [];
      const dialogs: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      await visit('chat/c1', 'Chat');
      const rows = page.locator('.call');
      await expect.poll(() => rows.count()).toBe(40);
      await rows.evaluateAll((all) => {
        for (const row of all) row.querySelector('details')?.setAttribute('open', '');
      });
      await rows.evaluateAll((all) => {
        const more = all.flatMap((row) => [...row.querySelectorAll('button')]);
        for (const button of more) if (/whole|JSON|more rows/.test(button.textContent ?? '')) button.click();
      });
      // A megabyte is laid out in parts.
      expect(
        await rows
          .nth(2)
          .locator('pre.plain')
          .evaluate((pre) => pre.textContent?.length),
      ).toBe(100_001);
      await rows.nth(2).getByRole('button', { name: 'Show more (900,000 characters left)' }).waitFor();
      // The page answers a key, so it is not stuck.
      await page.getByRole('textbox', { name: 'Message' }).fill('Still here');
      // The page of the store, which a test begins with, may still ask for the icons of its sample.
      const own = [desk.origin, 'blob:', 'http://localhost:1/none.png'];
      expect(requests.filter((url) => !own.some((start) => url.startsWith(start)))).toEqual([]);
      expect(await page.locator('.call :is(script, iframe, object, embed, [onerror])').count()).toBe(0);
      expect(
        await page.locator('.call a').evaluateAll((all) => all.map((a) => a.getAttribute('href'))),
      ).not.toContainEqual(expect.stringMatching(/out\.example|javascript/));
      expect(dialogs).toEqual([]);
      expect(tab.incidents).toEqual([]);
    },
  );
});
