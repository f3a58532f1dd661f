import { readFile } from 'node:fs/promises';
import { DEEP } from '@svc/testkit';
import { expect, it } from 'vitest';
import { APP, appFolder, openApp, PROJECT } from '../examples/pinboard/test/support/panel-client.ts';
import { picture, sizeOf } from '../examples/pinboard/test/support/pictures.ts';
import { startPinboard } from '../examples/pinboard/test/support/pinboard.ts';

const IN_CHAT = { project: PROJECT, chat: 'chat-1' };

it(
  'a client runs the example app: it connects once, calls each tool, renews once during ten concurrent calls, and disconnects',
  DEEP,
  async () => {
    const pinboard = await startPinboard({ accessTokenSeconds: 2 });
    const { runtime, app, cards, events } = await openApp(await appFolder(pinboard));
    const call = (tool: string, args: Record<string, unknown> = {}, files = {}) =>
      runtime.call(APP, { tool, arguments: args, files, ...IN_CHAT });
    const pinsOf = ({ structured }: Awaited<ReturnType<typeof call>>) =>
      structured?.pins as { id: string; text: string; width: number | null }[];

    // Only the first call asks to connect the account.
    expect(pinsOf(await call('list_pins'))).toEqual([]);
    expect(cards).toMatchObject([{ kind: 'connect', account: { id: 'pinboard', scopes: ['board'] } }]);
    const offered = await runtime.tools(APP, IN_CHAT);
    expect(offered.map(({ id }) => id).sort()).toEqual(
      ['contact_sheet', 'list_pins', 'pin_note', 'pin_pictures', 'remove_pin', 'search_pins'].sort(),
    );

    await call('pin_note', { text: 'Ask the joiner' });
    const pictures = [
      { name: 'wide.png', bytes: await picture({ width: 3200, height: 800 }, 'png') },
      { name: 'small.jpg', bytes: await picture({ width: 160, height: 90 }) },
    ];
    const pinned = pinsOf(await call('pin_pictures', { text: 'For the kitchen' }, { pictures }));
    expect(pinned).toMatchObject([{ width: 1600 }, { width: 160 }]);
    expect(cards[1]).toMatchObject({ kind: 'approval', title: 'Pin 2 pictures?', files: [{}, {}] });
    expect(pinsOf(await call('search_pins', { words: 'KITCHEN' }))).toHaveLength(2);

    const { files } = await call('contact_sheet', { columns: 2 });
    expect(files).toMatchObject([{ type: 'image/png' }]);
    expect(await sizeOf(await readFile(files[0]?.path ?? ''))).toEqual({ width: 688, height: 352 });

    const [gone] = pinned;
    await call('remove_pin', { id: gone?.id });
    expect(cards[2]).toMatchObject({ kind: 'approval', title: 'Remove this pin?' });
    const again = await call('remove_pin', { id: gone?.id });
    expect(again).toMatchObject({ isError: true, parts: [{ text: 'There is no such pin on this board.' }] });
    const svg = { name: 'a.png', bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') };
    await expect(call('pin_pictures', {}, { pictures: [svg] })).rejects.toThrow();

    // Tokens expire after two seconds: ten calls share one renewal, without another sign-in.
    const before = cards.length;
    for (let round = 0; round < 2; round += 1) {
      await new Promise((done) => setTimeout(done, 2_100));
      const results = await Promise.all(Array.from({ length: 10 }, () => call('list_pins')));
      expect(results.map((result) => pinsOf(result).length)).toEqual(Array(10).fill(2));
    }
    expect(cards).toHaveLength(before);
    expect(events.filter(({ type }) => type === 'account-dropped')).toEqual([]);

    const token = await runtime.accounts.token(app, 'pinboard', { host: 'localhost', tool: 'test' });
    expect((await pinboard.api('/api/pins', token ?? '')).status).toBe(200);
    expect(await runtime.accounts.disconnect(app, 'pinboard')).toEqual({ revoked: true });
    expect((await pinboard.api('/api/pins', token ?? '')).status).toBe(401);
    expect(JSON.stringify([cards, events])).not.toContain(token);
  },
);
