import { expect, it } from 'vitest';
import { createPageEvents } from '../../src/events/page-events.ts';
import { createFilePicker } from '../../src/panels/panel-registry.ts';
import type { DesktopEvent } from '../../src/wire/events.ts';

function stage() {
  const events = createPageEvents((error) => {
    throw error;
  });
  const told: DesktopEvent[] = [];
  events.subscribe(null, (event) => told.push(event));
  const desk = createFilePicker({ events, newId: () => 'pick-1' });
  const app = { appId: 'com.example.notes' } as Parameters<typeof desk.pick>[0];
  const pick = (signal = new AbortController().signal) =>
    desk.pick(app, { accept: ['image/png'], multiple: false }, signal);
  return { desk, told, pick };
}

const FILE = { name: 'a.png', type: 'image/png', bytes: new Uint8Array(1) };

it('asks every page, and uses the first answer', async () => {
  const { desk, told, pick } = stage();
  const picking = pick();
  expect(told).toMatchObject([{ type: 'pick-files', pickId: 'pick-1', appId: 'com.example.notes' }]);
  expect(desk.picked('pick-2', [FILE])).toBe(false);
  expect(desk.picked('pick-1', [FILE])).toBe(true);
  expect(desk.picked('pick-1', [])).toBe(false);
  expect(await picking).toEqual([FILE]);
  expect(told.at(-1)).toEqual({ type: 'pick-gone', pickId: 'pick-1' });
});

it('closes the prompt when the panel is closed', async () => {
  const { desk, told, pick } = stage();
  const gone = new AbortController();
  const picking = pick(gone.signal);
  gone.abort(new Error('The panel is gone.'));
  await expect(picking).rejects.toThrow('The panel is gone.');
  expect(desk.picked('pick-1', [FILE])).toBe(false);
  expect(told.at(-1)).toEqual({ type: 'pick-gone', pickId: 'pick-1' });
});
