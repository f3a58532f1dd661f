import { guarded } from '@svc/contracts/guarded';
import { asRefusal, type PanelFile, type Runtime, RuntimeError, type System } from '@svc/runtime';
import { nameFor, safeName, typeOfFile } from '@svc/runtime/parts';
import { type Exchange, HttpError, readBody } from '../http/exchange.ts';
import type { Session } from '../sessions/sessions.ts';
import { MAX_UPLOAD_BYTES } from '../wire/limits.ts';

/** Limits of all stored files. The oldest are dropped first. */
const MAX_FILES = 100;
const MAX_TOTAL = 4 * MAX_UPLOAD_BYTES;
/** Most uploads at the same time. */
const MAX_CONCURRENT = 4;

/** The photos of iPhones, which no browser but Safari and few models read. */
const PHOTO = 'image/heic';

/** Converts a photo to JPEG, in the process of media. */
type Convert = Runtime['prepareMedia'];

export type Upload = { id: string; name: string; type: string; bytes: number };

type StoredUpload = { file: PanelFile; session: Session };

/**
 * @param system creates the ids
 * @param convert without it, photos stay as they are
 */
export function createUploads(system: Pick<System, 'randomBytes'>, convert?: Convert) {
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

  /** A file of a message, as models read it. A photo that cannot be converted stays as it is. */
  async function shownAs(file: PanelFile, signal: AbortSignal): Promise<PanelFile> {
    if (!convert || file.type !== PHOTO) return file;
    try {
      const made = await convert(file, { op: 'convert', format: 'jpeg' }, signal);
      return { ...made, name: nameFor(file.name, made.type) };
    } catch (error) {
      if (asRefusal(error)) return file;
      throw error;
    }
  }

  return {
    /** With `show=yes`, of a message, a photo is converted. @throws HttpError 413 `too-large`, 429 `too-many` */
    async receive({ request, query, signal }: Exchange, session: Session): Promise<Upload> {
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
        const given = { name, type, bytes };
        const file = query.get('show') === 'yes' ? await shownAs(given, signal) : given;
        session.ended.throwIfAborted();
        uploads.set(id, { file, session });
        deleteAtEndOf(session);
        makeRoom();
        return { id, name: file.name, type: file.type, bytes: file.bytes.byteLength };
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
