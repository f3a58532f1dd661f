import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../../server/board/board.ts';
import { toolsOf } from '../../server/board/tools.ts';
import { openDatabase } from '../../server/database.ts';
import { picture } from '../support/pictures.ts';

const database = openDatabase(null);

/** An agent of a user, with the tools of the user's board. */
async function agentOf(person: string) {
  const [there, here] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1.0.0' });
  await Promise.all([toolsOf(openBoard(database, person)).connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  return async (name: string, args: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const [{ text = '' } = {}] = result.content as { text?: string }[];
    return {
      isError: result.isError ?? false,
      text,
      pins: (result.structuredContent as { pins?: { id: string }[] } | undefined)?.pins ?? [],
    };
  };
}

const handed = (data: Buffer, name = 'a.png') => ({
  name,
  mimeType: 'image/png',
  data: data.toString('base64'),
});

it('only accesses the board of its user', async () => {
  const [ada, mallory] = [await agentOf('ada'), await agentOf('mallory')];
  const { pins } = await ada('pin_note', { text: 'mine' });
  const said = await mallory('remove_pin', { id: pins[0]?.id });
  expect(said).toMatchObject({ isError: true, text: 'There is no such pin on this board.' });
  expect((await mallory('list_pins')).text).toBe('The board is empty.');
  expect((await mallory('contact_sheet')).text).toBe('There are no pictures on the board.');
  expect((await ada('search_pins', { words: 'mine' })).pins).toEqual(pins);
});

it('pins all pictures of a call or none, whatever type the client declares', async () => {
  const eve = await agentOf('eve');
  const good = handed(await picture({}, 'png'));
  const svg = handed(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
  expect(await eve('pin_pictures', { pictures: [good, svg] })).toMatchObject({
    isError: true,
    text: expect.stringContaining('Only pictures are pinned'),
  });
  expect((await eve('list_pins')).pins).toEqual([]);
  const wrong = [
    { pictures: [] },
    { pictures: Array(21).fill(good) },
    { pictures: [{ ...good, data: 'no base64!' }] },
    { pictures: [{ ...good, data: '/etc/passwd' }] },
    { pictures: [good], text: 'x'.repeat(2_001) },
  ];
  for (const args of wrong) expect((await eve('pin_pictures', args)).isError).toBe(true);
  expect((await eve('list_pins')).pins).toEqual([]);
  expect((await eve('pin_pictures', { pictures: [good, good] })).pins).toHaveLength(2);
});
