import { lastResults, type ModelRequest } from '@svc/testkit';
import { expect, it } from 'vitest';
import { readResult } from '../../src/chat/whole-results.ts';
import { agree, callsOf, fakeApp, openChatDesktop, textOf } from '../support/chat-desktop.ts';

const resultIn = (request: ModelRequest) =>
  JSON.parse(lastResults(request).at(-1) ?? '{}') as {
    result: string;
    failed?: boolean;
    code?: string;
    cut?: { file: string; characters: number; shown: number };
  };

/** Lines with their numbers, of which one is sought. */
const LONG = Array.from({ length: 12_000 }, (_, n) => `line ${n}${n === 11_111 ? ' NEEDLE' : ''}`).join('\n');

it('keeps a long result as a file, which the model reads page by page and searches, and the user loads', async () => {
  const read: string[] = [];
  let asked = 0;
  let file = '';
  const app = fakeApp('notes', LONG);
  const { page, say, model, chat } = await openChatDesktop(
    (request) => {
      asked += 1;
      const { result, cut } = asked > 1 ? resultIn(request) : { result: '', cut: undefined };
      if (asked === 1) return { calls: [{ name: 'notes__send', arguments: {} }] };
      if (asked === 2) {
        expect(cut).toMatchObject({ characters: LONG.length, shown: 60_000 });
        expect(result).toBe(LONG.slice(0, 60_000));
        file = cut?.file ?? '';
        return { calls: [{ name: 'read_result', arguments: { file, find: 'needle' } }] };
      }
      const answer = JSON.parse(result);
      if (asked === 3) {
        expect(answer.matches).toHaveLength(1);
        expect(LONG.slice(answer.matches[0].offset)).toMatch(/^NEEDLE/);
        return { calls: [{ name: 'read_result', arguments: { file, offset: 60_000 } }] };
      }
      read.push(answer.text);
      return answer.next === null
        ? { text: ['done'] }
        : { calls: [{ name: 'read_result', arguments: { file, offset: answer.next } }] };
    },
    [app],
  );
  const heard = await page.listen();
  const saying = say('Go');
  await agree({ page, heard });
  const answer = await saying;
  expect(textOf(answer)).toBe('done');
  expect(read.join('')).toBe(LONG.slice(60_000));
  expect(app.called).toHaveLength(1);
  const [call] = callsOf(answer);
  expect(call?.whole).toEqual({ file, chars: LONG.length });
  expect((await page.get(`/attachments/${file}`)).body.toString()).toBe(LONG);
  // The tool is there only where there is something to read.
  const names = model.requests.map(({ tools = [] }) =>
    tools.some((tool) => tool.function.name === 'read_result'),
  );
  expect([names[0], names[1]]).toEqual([false, true]);
  await page.call('chats.remove', { chat });
  expect((await page.get(`/attachments/${file}`)).status).toBe(422);
});

it('reads no other file', async () => {
  let asked = 0;
  const app = fakeApp('notes', LONG);
  const { page, say } = await openChatDesktop(() => {
    asked += 1;
    if (asked === 1) return { calls: [{ name: 'notes__send', arguments: {} }] };
    return asked === 2
      ? {
          calls: ['../../etc/passwd', 'none', 7].map((file) => ({
            name: 'read_result',
            arguments: { file },
          })),
        }
      : { text: ['done'] };
  }, [app]);
  const heard = await page.listen();
  const saying = say('Go');
  await agree({ page, heard });
  const calls = callsOf(await saying).slice(1);
  expect(calls.map(({ state, code }) => [state, code])).toEqual(
    Array.from({ length: 3 }, () => ['refused', 'unknown-file']),
  );
});

/** Reads a text as a model does. */
const reading = (text: string) => async (given: Record<string, unknown>) => {
  const read = async () => ({ name: 'result.txt', type: 'text/plain', bytes: Buffer.from(text) });
  return readResult({ file: 'f', ...given }, new Set(['f']), read);
};

it.each([
  ['quotes', '"'],
  ['line breaks', '\r\n'],
  ['control characters', '\u0001'],
])('loses nothing of a result of %s, which are longer as JSON', async (_what, character) => {
  const text = character.repeat(90_000);
  const ask = reading(text);
  const pages: string[] = [];
  for (let next: number | null = 0; next !== null; ) {
    const page = await ask({ offset: next });
    expect(page.length).toBeLessThanOrEqual(60_000);
    const answer = JSON.parse(page) as { text: string; next: number | null };
    pages.push(answer.text);
    next = answer.next;
  }
  expect(pages.join('') === text).toBe(true);
});

it('finds words behind letters that are longer in lower case, and any number that is no place reads from the beginning', async () => {
  const text = `${'İ'.repeat(1_000)}Straße 7`;
  const ask = reading(text);
  const [match] = JSON.parse(await ask({ find: 'sTRASSE 7'.replace('SS', 'ß') })).matches;
  expect(text.slice(match.offset)).toBe('Straße 7');
  for (const offset of [-5, 1.5, Number.NaN, '7', null])
    expect(JSON.parse(await ask({ offset }))).toMatchObject({ offset: 0, next: null });
  expect(JSON.parse(await ask({ offset: 1e9 }))).toMatchObject({ text: '', next: null });
});
