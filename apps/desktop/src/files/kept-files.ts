import { readFile } from 'node:fs/promises';
import { type KeptFile, RuntimeError } from '@svc/runtime';
import type { Session } from '../sessions/sessions.ts';
import type { FileView } from '../wire/views.ts';

/** Most remembered files. The oldest are forgotten first; the runtime still stores them. */
const MAX_FILES = 2_000;

/** A file, and the sessions that opened it: each window has one of its own, and all of them show the same conversation. */
type Entry = { file: KeptFile; appId: string; sessions: WeakSet<Session> };

/** Files that apps returned to pages. Each is for the sessions that called or opened it. */
export type KeptFiles = {
  add(session: Session, appId: string, file: KeptFile): FileView;
  /**
   * The file with its bytes.
   * @param appId requires the file to be of this app, if given
   * @throws RuntimeError `unknown-file`
   */
  read(session: Session, id: string, appId?: string): Promise<FileView & { content: Uint8Array }>;
};

const unknown = (): RuntimeError => new RuntimeError('unknown-file');

/** The view of a file for pages, without its path. */
const viewOf = ({ path: _path, ...view }: KeptFile): FileView => view;

export function createKeptFiles(): KeptFiles {
  const files = new Map<string, Entry>();
  return {
    add(session, appId, file) {
      const sessions = files.get(file.id)?.sessions ?? new WeakSet();
      files.set(file.id, { file, appId, sessions: sessions.add(session) });
      const [oldest] = files.keys();
      if (oldest !== undefined && files.size > MAX_FILES) files.delete(oldest);
      return viewOf(file);
    },
    async read(session, id, appId) {
      const entry = files.get(id);
      if (!entry?.sessions.has(session) || (appId !== undefined && entry.appId !== appId)) throw unknown();
      try {
        return { ...viewOf(entry.file), content: await readFile(entry.file.path) };
      } catch (error) {
        // Deleted with its app.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw unknown();
        throw error;
      }
    },
  };
}
