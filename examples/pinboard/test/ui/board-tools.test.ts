import { expect, it, vi } from 'vitest';

const { createBoardTools } = await import(new URL('../../app/ui/board-tools.js', import.meta.url).href);

const answering = (structuredContent: object, isError = false) =>
  vi.fn(async (..._call: unknown[]) => ({
    isError,
    structuredContent,
    content: [{ type: 'text', text: 'said so' }],
  }));

it('calls the tools of the app without a token', async () => {
  const callTool = answering({ pins: [{ id: 'a' }] });
  const board = createBoardTools({ callTool });
  expect(await board.list()).toEqual([{ id: 'a' }]);
  await board.list('note');
  await board.pinNote('Buy milk');
  await board.pinPicked([{ id: 'file-1' }, { id: 'file-2' }]);
  await board.remove('a');
  expect(callTool.mock.calls).toEqual([
    ['list_pins', {}, {}],
    ['list_pins', { kind: 'note' }, {}],
    ['pin_note', { text: 'Buy milk' }, {}],
    ['pin_pictures', {}, { pictures: ['file-1', 'file-2'] }],
    ['remove_pin', { id: 'a' }, {}],
  ]);
});

it('fails with the error of the tool', async () => {
  const board = createBoardTools({ callTool: answering({}, true) });
  await expect(board.pinNote('x')).rejects.toThrow('said so');
  await expect(board.picture('a')).rejects.toThrow('Chromium and Chrome 152');
});
