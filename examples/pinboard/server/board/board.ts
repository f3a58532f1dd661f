import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { BoardError } from './board-error.ts';
import type { Picture } from './picture.ts';

/** A pin on a board: a note, or a picture with an optional text. */
export type Pin = {
  id: string;
  kind: 'note' | 'picture';
  text: string;
  /** Size of the picture in pixels; null for a note. */
  width: number | null;
  height: number | null;
  /** ISO 8601. */
  pinnedAt: string;
};

export type Kind = Pin['kind'];

/** Maximum number of pins on a board, and of characters in a text. */
export const MAX_PINS = 500;
export const MAX_TEXT = 2_000;

/** The board of a user. It never returns pins of other users, whatever id is requested. */
export type Board = {
  /** Newest first. */
  list(kind?: Kind): Pin[];
  /** Pins whose text contains all words, newest first. */
  search(words: string): Pin[];
  /** @throws BoardError for a text that is empty or too long, and on a full board */
  pinNote(text: string): Pin;
  /** Pins all pictures or none. @throws BoardError as above */
  pinPictures(pictures: readonly Picture[], text: string): Pin[];
  /** WebP. @throws BoardError 404 */
  picture(id: string): Uint8Array;
  /** @throws BoardError 404 */
  remove(id: string): void;
};

const asPin = (row: Record<string, unknown>): Pin => ({
  id: String(row.id),
  kind: row.width === null ? 'note' : 'picture',
  text: String(row.text),
  width: row.width as number | null,
  height: row.height as number | null,
  pinnedAt: String(row.pinned_at),
});

const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

function requireText(text: string, least: number): string {
  const trimmed = text.trim();
  if (trimmed.length < least) throw new BoardError(400, 'A note needs words.');
  if (trimmed.length > MAX_TEXT) throw new BoardError(400, `A text may have ${MAX_TEXT} characters.`);
  return trimmed;
}

/** Opens the board of a user. The user comes from the token, never from the request. */
export function openBoard(database: DatabaseSync, person: string): Board {
  const columns = 'id, text, width, height, pinned_at';
  const all = database.prepare(`select ${columns} from pins where person = ? order by seq desc`);
  const count = database.prepare('select count(*) as n from pins where person = ?');
  const insert = database.prepare(
    `insert into pins (id, person, text, picture, width, height, pinned_at) values (?, ?, ?, ?, ?, ?, ?)
     returning ${columns}`,
  );
  const byId = database.prepare('select picture from pins where person = ? and id = ?');
  const removeOne = database.prepare('delete from pins where person = ? and id = ?');

  const add = (text: string, picture: Picture | null): Pin =>
    asPin(
      insert.get(
        randomUUID(),
        person,
        text,
        picture?.bytes ?? null,
        picture?.width ?? null,
        picture?.height ?? null,
        new Date().toISOString(),
      ) ?? {},
    );

  function requireRoom(wanted: number): void {
    if (Number(count.get(person)?.n) + wanted > MAX_PINS) {
      throw new BoardError(409, `A board holds ${MAX_PINS} pins: remove some first.`);
    }
  }

  const list: Board['list'] = (kind) =>
    all
      .all(person)
      .map(asPin)
      .filter((pin) => !kind || pin.kind === kind);

  return {
    list,
    search(words) {
      const wanted = folded(words).split(/\s+/).filter(Boolean);
      return list().filter(({ text }) => wanted.every((word) => folded(text).includes(word)));
    },
    pinNote(text) {
      const note = requireText(text, 1);
      requireRoom(1);
      return add(note, null);
    },
    pinPictures(pictures, text) {
      const caption = requireText(text, 0);
      requireRoom(pictures.length);
      return pictures.map((picture) => add(caption, picture));
    },
    picture(id) {
      const picture = byId.get(person, id)?.picture;
      if (!(picture instanceof Uint8Array))
        throw new BoardError(404, 'There is no such picture on this board.');
      return picture;
    },
    remove(id) {
      if (removeOne.run(person, id).changes === 0)
        throw new BoardError(404, 'There is no such pin on this board.');
    },
  };
}
