import { guarded } from '@svc/contracts/guarded';
import { type PanelFile, RuntimeError, type System } from '@svc/runtime';
import { safeName, typeOfFile } from '@svc/runtime/parts';
import { type Exchange, HttpError, readBody } from '../http/exchange.ts';
import type { Session } from '../sessions/sessions.ts';
import { MAX_UPLOAD_BYTES } from '../wire/limits.ts';

/** Limits of all stored files. The oldest are dropped first. */
const MAX_FILES = 100;
const MAX_TOTAL = 4 * MAX_UPLOAD_BYTES;
/** Most uploads at the same time. */
const MAX_CONCURRENT = 4;

export type Upload = { id: string; name: string; type: string; bytes: number };

type StoredUpload = { file: PanelFile; session: Session };

/** @param system creates the ids */
export function createUploads(system: Pick<System, 'randomBytes'>) {
  const uploads = new Map<string, StoredUpload>();
  const watchedSessions = new WeakSet<Session>();
  let receiving = 0;

  function deleteAtEndOf(session: Session): void {
    if (watchedSessions.has(session)) return;
    watchedSessions.add(session);
    const deleteAll = () => {
      for (const [id, upload] of uploads) if (upload.session === session) uploads.delete(id);
    };
    session.ended.addEventListener('abort', guarded(deleteAll));
  }

  function makeRoom(): void {
    let total = [...uploads.values()].reduce((sum, { file }) => sum + file.bytes.byteLength, 0);
    for (const [id, { file }] of uploads) {
      if (uploads.size <= MAX_FILES && total <= MAX_TOTAL) return;
      uploads.delete(id);
      total -= file.bytes.byteLength;
    }
  }

  return {
    /** @throws HttpError 413 `too-large`, 429 `too-many` */
    async receive({ request, query }: Exchange, session: Session): Promise<Upload> {
      if (receiving >= MAX_CONCURRENT)
        throw new HttpError(429, 'too-many', `Upload at most ${MAX_CONCURRENT} files at a time.`);
      receiving += 1;
      try {
        const bytes = await readBody(request, MAX_UPLOAD_BYTES);
        session.ended.throwIfAborted();
        const name = safeName(query.get('name') ?? '');
        const type = await typeOfFile(bytes, name);
        session.ended.throwIfAborted();
        const id = Buffer.from(system.randomBytes(16)).toString('hex');
        uploads.set(id, { file: { name, type, bytes }, session });
        deleteAtEndOf(session);
        makeRoom();
        return { id, name, type, bytes: bytes.byteLength };
      } finally {
        receiving -= 1;
      }
    },
    /** @throws RuntimeError `unknown-file` */
    get(session: Session, id: string) {
      const upload = uploads.get(id);
      if (upload?.session !== session)
        throw new RuntimeError('unknown-file', 'The file is no longer available. Upload it again.');
      return upload.file;
    },
  };
}

/** Uploaded files, in memory only. Each belongs to the session that uploaded it. */
export type Uploads = ReturnType<typeof createUploads>;
