import { expect, it } from 'vitest';
import { endLongLists, MAX_PAGES } from '../../../src/calls/lenient/long-lists.ts';

/** A transport of a client whose lists of tools are ended; `ask` sends a request, and `receive` gets what it is answered. */
function opened(note?: (what: string) => void) {
  const transport = { send: async () => undefined } as unknown as Parameters<typeof endLongLists>[0];
  const receive = endLongLists(transport, note);
  const ask = (id: number, method: string, params?: object) =>
    transport.send({ jsonrpc: '2.0', id, method, ...(params && { params }) } as never);
  return { ask, receive };
}

const page = (id: number, name: string, nextCursor?: string) => ({
  id,
  result: { tools: [{ name }], ...(nextCursor !== undefined && { nextCursor }) },
});

it('an error is the end of a list only where it answers the request with an empty cursor', () => {
  const { ask, receive } = opened();
  ask(1, 'tools/list', { cursor: '' });
  const [other, own] = [2, 1].map((id) => ({ id, error: { code: -32_000, message: 'No.' } }));
  receive(other as object);
  expect(other).toHaveProperty('error');
  receive(own as object);
  expect(own).toMatchObject({ id: 1, result: { tools: [] } });
  expect(own).not.toHaveProperty('error');
});

it('a list ends where its cursor repeats, whatever is asked between its pages', () => {
  const { ask, receive } = opened();
  const [first, second] = [page(1, 'one', 'a'), page(3, 'two', 'a')];
  ask(1, 'tools/list');
  receive(first);
  ask(2, 'tools/call', { name: 'one' });
  ask(3, 'tools/list', { cursor: 'a' });
  receive(second);
  expect([first.result.nextCursor, second.result.nextCursor]).toEqual(['a', undefined]);
  // Another list begins at its first page.
  const again = page(4, 'one', 'a');
  ask(4, 'tools/list');
  receive(again);
  expect(again.result.nextCursor).toBe('a');
});

it('a list is cut, and a note says so, only where it has more pages than are read', () => {
  const notes: string[] = [];
  const { ask, receive } = opened((what) => notes.push(what));
  const read = (pages: number) => {
    for (let n = 0; n < pages; n += 1) {
      ask(n, 'tools/list', n === 0 ? undefined : { cursor: `${n}` });
      receive(page(n, `tool${n}`, n === pages - 1 ? undefined : `${n + 1}`));
    }
    return notes.splice(0).length;
  };
  expect([read(1), read(MAX_PAGES), read(MAX_PAGES + 1)]).toEqual([0, 0, 1]);
});
