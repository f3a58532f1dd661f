import { describe, expect } from 'vitest';
import type { CallView } from '../../../src/wire/views.ts';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';
import { CHAT, call, MESSAGES, message } from '../support/sample-chats.ts';
import { HOSTILE, SHA } from '../support/sample-data.ts';

const file = (id: string, type: string) => ({
  type: 'file' as const,
  file: { id, name: `${id}.bin`, type, bytes: 400, sha256: SHA },
});
const DATA = {
  total: 120,
  notes: Array.from({ length: 120 }, (_, n) => ({ id: n, title: n === 0 ? HOSTILE : `Note ${n}` })),
};
const answered = (changes: Partial<Extract<CallView, { outcome: 'answered' }>>): CallView => ({
  ...{ outcome: 'answered', isError: false, parts: [], structured: null },
  ...changes,
});

describe('results of tools, in a real browser', NEEDS_BROWSER, () => {
  it('are shown as pictures, sound, tables and text, and run and load nothing', async ({
    desk,
    page,
    visit,
  }) => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const texts = [JSON.stringify(DATA), 'x'.repeat(30_000), deep].map((text) => ({
      type: 'text' as const,
      text,
    }));
    const files = [file('photo', 'image/png'), file('sound', 'audio/wav'), file('doc', 'image/svg+xml')];
    desk.answers['tools.call'] = () => answered({ parts: [...texts, ...files], structured: DATA });
    await visit(`tools/${NOTES}/add_note`, 'Tools');
    await page.getByLabel('Title *').fill('Leaf');
    // Wait for the icons of the catalogue, which was the first view of the page.
    await page.waitForFunction(() => [...document.images].every((image) => image.complete));
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'blob:' && url.origin !== desk.origin) elsewhere.push(url.href);
    });

    await page.getByRole('button', { name: 'Run' }).click();
    const table = page.getByRole('table', { name: 'notes, 120 rows' });
    await table.waitFor();
    // The text has the same content, and is not shown again.
    expect(await page.getByRole('table').count()).toBe(1);
    expect(await table.getByRole('row').count()).toBe(101);
    await page.getByRole('button', { name: 'Show more rows (20 left)' }).click();
    expect(await table.getByRole('row').count()).toBe(121);
    const photo = page.getByRole('img', { name: 'photo.bin' });
    await expect.poll(() => photo.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
    const sound = page.locator('audio');
    await expect.poll(() => sound.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeGreaterThan(0);
    expect((await sound.boundingBox())?.height).toBeGreaterThan(30);
    await page.getByRole('button', { name: 'Show all 30,000 characters' }).click();
    await page.getByRole('button', { name: 'Show as JSON' }).click();
    await page.getByText('"total": 120').waitFor();
    expect(await page.locator('#main :is(script, iframe, img:not([src^="blob:"]), [onerror])').count()).toBe(
      0,
    );
    expect(elsewhere).toEqual([]);
  });

  it('are shown in the same way in a conversation', async ({ desk, page, visit }) => {
    const [question = message(1, 'user', [])] = MESSAGES;
    const answer = message(2, 'assistant', [
      call({ text: 'Two notes.', structured: { notes: [{ id: 1 }, { id: 2 }] } }),
      call({ id: 'call-2', text: '[{"id":3}]' }),
    ]);
    desk.answers['chats.open'] = () => ({ chat: CHAT, messages: [question, answer], more: false, rev: 0 });
    await visit('chat/c1', 'Chat');
    const rows = page.locator('.call > details > summary');
    await rows.nth(1).waitFor();
    for (const row of await rows.all()) await row.click();
    await page.getByText('Two notes.').waitFor();
    await page.getByRole('table', { name: 'notes, 2 rows' }).waitFor();
    await page.getByRole('table', { name: 'Table, 1 row' }).waitFor();
  });
});
