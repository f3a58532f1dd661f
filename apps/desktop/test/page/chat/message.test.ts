import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';
import { CHAT, call, failed, MESSAGES, message, text } from '../support/sample-chats.ts';
import { CARDS } from '../support/sample-data.ts';

describe('answers, in a real browser', NEEDS_BROWSER, () => {
  it.for([
    ['unreachable', 'The model provider does not respond.', true],
    ['key', 'The model provider rejected the API key.', true],
    ['model', 'The model provider does not have this model.', true],
    ['no-provider', 'Choose a model first.', true],
    ['no-tools', 'This model cannot call tools.', true],
    ['context', 'The conversation is too long for this model.', false],
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
      await page.getByRole('button', { name: 'Retry' }).waitFor();
    },
  );

  it('show what was left out, why a call was refused, and the number of tokens', async ({ page, visit }) => {
    await visit('chat/c1', 'Chat');
    await page.getByText('earlier messages were left out').waitFor();
    await page.getByText('It answered without your apps.').waitFor();
    // The reason is visible without opening the row.
    await page.locator('.call-why').getByText('This version was yanked.').waitFor();
    await page.getByText('1,204 tokens in, 34 out').waitFor();
  });

  it('show the remaining time of a tool call, and stop only that call', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    const [question = message(1, 'user', [])] = MESSAGES;
    const until = new Date(Date.now() + 90_000).toISOString();
    const waits = { id: 'k', card: CARDS.save, state: 'waiting' as const };
    const answer = message(
      2,
      'assistant',
      [
        call({ state: 'running', text: '', ms: null, until }),
        call({ id: 'call-2', tool: 'Send', state: 'running', text: '', ms: null, cards: [waits] }),
      ],
      { status: 'running' },
    );
    const chat = { ...CHAT, running: true };
    desk.answers['chats.open'] = () => ({ chat, messages: [question, answer], more: false, rev: 0 });
    await visit('chat/c1', 'Chat');
    const [running, waiting] = [page.locator('.call').first(), page.locator('.call').last()];
    await expect.poll(() => running.locator('summary').first().innerText()).toMatch(/running, 1:\d\d left/);
    expect(await waiting.locator('summary').first().innerText()).toContain('waiting for you');
    expect(await waiting.locator('.call-left').count()).toBe(0);
    desk.tell({
      type: 'call-progress',
      callId: 'call-1',
      progress: { progress: 1, total: 4, message: 'One of four' },
    });
    await running.getByText('One of four').waitFor();
    expect(await running.getByRole('progressbar').getAttribute('value')).toBe('1');
    // The remaining time is not announced, because it changes every second.
    expect(await page.locator('[role=status] .call-left').count()).toBe(0);
    await page.getByRole('button', { name: 'Stop Field Notes: Add a note' }).click();
    await expect.poll(() => askedFor('chats.stopCall')).toEqual([{ chat: 'c1', call: 'call-1' }]);
    expect(askedFor('chats.stop')).toEqual([]);
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
      call({ id: 'call-2', tool: 'Send', state: 'failed', text: 'No.' }),
    ];
    const messages = [message(1, 'user', [text('Hi')]), message(2, 'assistant', parts)];
    desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
    await visit('chat/c1', 'Chat');
    const row = page.locator('.call').first();
    await row.getByText('done, 420 ms, 12.0 s waiting for you').waitFor();
    await row.locator('img.preview').waitFor();
    await row.locator('summary').first().click();
    const result = row.locator('pre.result');
    expect(await result.innerText()).not.toContain('line 20');
    await row.getByRole('button', { name: 'Open whole' }).click();
    expect(await result.innerText()).toContain('line 39');
    await page.getByRole('button', { name: 'Run Field Notes: Send again' }).click();
    await expect
      .poll(() => askedFor('chats.retryCall'))
      .toEqual([{ chat: 'c1', message: 2, call: 'call-2' }]);
  });
});
