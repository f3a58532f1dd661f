import { expect, it } from 'vitest';
import { MAX_PINS, MAX_TEXT, openBoard } from '../../server/board/board.ts';
import { openDatabase } from '../../server/database.ts';

const PICTURE = { bytes: new Uint8Array([1, 2, 3]), width: 3, height: 1 };

function boards() {
  const database = openDatabase(null);
  return { ada: openBoard(database, 'ada'), bob: openBoard(database, 'bob') };
}

it('lists the newest pins first, and only one kind if the caller names it', () => {
  const { ada } = boards();
  const note = ada.pinNote('  Tiles  ');
  const [picture] = ada.pinPictures([PICTURE], '');
  expect(note).toMatchObject({ kind: 'note', text: 'Tiles', width: null });
  expect(ada.list()).toEqual([picture, note]);
  expect(ada.list('note')).toEqual([note]);
  expect(ada.list('picture')).toEqual([picture]);
});

it('finds pins that contain all of the words, in any letter case', () => {
  const { ada } = boards();
  ada.pinNote('Grüne Fliesen für die Küche');
  ada.pinNote('Blue tiles');
  expect(ada.search('KÜCHE grüne').map(({ text }) => text)).toEqual(['Grüne Fliesen für die Küche']);
  expect(ada.search('küche blue')).toEqual([]);
  expect(ada.search('%')).toEqual([]);
});

it('never returns pins of another user, even by their id', () => {
  const { ada, bob } = boards();
  const [pin = { id: '' }] = ada.pinPictures([PICTURE], 'mine');
  expect(bob.list()).toEqual([]);
  expect(bob.search('mine')).toEqual([]);
  expect(() => bob.picture(pin.id)).toThrow(expect.objectContaining({ status: 404 }));
  expect(() => bob.remove(pin.id)).toThrow(expect.objectContaining({ status: 404 }));
  expect(ada.picture(pin.id)).toEqual(PICTURE.bytes);
  ada.remove(pin.id);
  expect(() => ada.picture(pin.id)).toThrow(expect.objectContaining({ status: 404 }));
});

it('limits the number of pins and their length', () => {
  const { ada, bob } = boards();
  expect(() => ada.pinNote(' ')).toThrow('A note needs words.');
  expect(() => ada.pinNote('x'.repeat(MAX_TEXT + 1))).toThrow(`${MAX_TEXT} characters`);
  for (let n = 1; n < MAX_PINS; n += 1) ada.pinNote('x');
  // There is room for one picture: two are rejected, and none is pinned.
  expect(() => ada.pinPictures([PICTURE, PICTURE], '')).toThrow('remove some first');
  ada.pinNote('the last');
  expect(() => ada.pinNote('x')).toThrow(expect.objectContaining({ status: 409 }));
  bob.pinNote('There is room on mine.');
});
