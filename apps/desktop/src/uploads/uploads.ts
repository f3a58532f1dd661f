import { LIMITS } from '@svc/contracts';
import { type PanelFile, RuntimeError, type System } from '@svc/runtime';
import { safeName, typeOfFile } from '@svc/runtime/parts';
import { type Exchange, HttpError } from '../http/exchange.ts';
import { readBody } from '../http/read-body.ts';
import type { Session } from '../sessions/sessions.ts';

/** Largest file: a tool may have it made smaller before it is sent. */
const MAX_BYTES = 4 * LIMITS.file.maxBytes;
/** What is kept of all pages together; the oldest goes first. */
const MAX_FILES = 100;
const MAX_TOTAL = 4 * MAX_BYTES;
/** Files on their way at the same time. */
const MAX_ARRIVING = 4;

/** What the page is told of a file that it handed over. */
export type Upload = { id: string; name: string; type: string; bytes: number };

/** Files that pages handed over, in memory alone: each is for the session that brought it. */
export type Uploads = {
  /** @throws HttpError 413 `too-large`, 429 `too-many` */
  take(exchange: Exchange, session: Session): Promise<Upload>;
  /** @throws RuntimeError `unknown-file` */
  get(session: Session, id: string): PanelFile;
};

type Held = { file: PanelFile; session: Session };

/** @param system makes the ids */
export function createUploads(system: Pick<System, 'randomBytes'>): Uploads {
  const held = new Map<string, Held>();
  const watched = new WeakSet<Session>();
  let arriving = 0;

  function dropWith(session: Session): void {
    if (watched.has(session)) return;
    watched.add(session);
    session.ended.addEventListener('abort', () => {
      for (const [id, one] of held) if (one.session === session) held.delete(id);
    });
  }

  function makeRoom(): void {
    let total = [...held.values()].reduce((sum, { file }) => sum + file.bytes.byteLength, 0);
    for (const [id, { file }] of held) {
      if (held.size <= MAX_FILES && total <= MAX_TOTAL) return;
      held.delete(id);
      total -= file.bytes.byteLength;
    }
  }

  return {
    async take({ request, query }, session) {
      if (arriving >= MAX_ARRIVING)
        throw new HttpError(429, 'too-many', `Hand over ${MAX_ARRIVING} files at a time.`);
      arriving += 1;
      try {
        const bytes = await readBody(request, MAX_BYTES);
        session.ended.throwIfAborted();
        const name = safeName(query.get('name') ?? '');
        const type = await typeOfFile(bytes, name);
        session.ended.throwIfAborted();
        const id = Buffer.from(system.randomBytes(16)).toString('hex');
        held.set(id, { file: { name, type, bytes }, session });
        dropWith(session);
        makeRoom();
        return { id, name, type, bytes: bytes.byteLength };
      } finally {
        arriving -= 1;
      }
    },
    get(session, id) {
      const found = held.get(id);
      if (found?.session !== session)
        throw new RuntimeError('unknown-file', 'The file is not here any more. Hand it over again.');
      return found.file;
    },
  };
}
