import { readFile } from 'node:fs/promises';
import { type KeptFile, RuntimeError } from '@svc/runtime';
import type { Session } from '../sessions/sessions.ts';
import type { FileView } from '../wire/views.ts';

/** Files that are remembered; the oldest are forgotten first, and stay where the runtime keeps them. */
const MAX_FILES = 2_000;

type Held = { file: KeptFile; appId: string; session: Session };

/** Files that apps returned to pages. Each is for the session whose call it came of. */
export type KeptFiles = {
  add(session: Session, appId: string, file: KeptFile): FileView;
  /**
   * The file with its bytes.
   * @param appId of which app, where that matters
   * @throws RuntimeError `unknown-file`
   */
  read(session: Session, id: string, appId?: string): Promise<FileView & { content: Uint8Array }>;
};

const unknown = (): RuntimeError => new RuntimeError('unknown-file');

/** What the page is told of a file: not where it lies. */
const viewOf = ({ path: _path, ...view }: KeptFile): FileView => view;

export function createKeptFiles(): KeptFiles {
  const held = new Map<string, Held>();
  return {
    add(session, appId, file) {
      held.set(file.id, { file, appId, session });
      const [oldest] = held.keys();
      if (oldest !== undefined && held.size > MAX_FILES) held.delete(oldest);
      return viewOf(file);
    },
    async read(session, id, appId) {
      const found = held.get(id);
      if (found?.session !== session || (appId !== undefined && found.appId !== appId)) throw unknown();
      try {
        return { ...viewOf(found.file), content: await readFile(found.file.path) };
      } catch (error) {
        // Gone with its app.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw unknown();
        throw error;
      }
    },
  };
}
