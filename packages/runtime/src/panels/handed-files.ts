import { LIMITS } from '@svc/contracts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { PanelFile } from './ports.ts';

/** Limits of one panel. */
const MAX_HANDED = { files: 32, bytes: 8 * LIMITS.file.maxBytes };

/** @param newId creates an unguessable part of a URL */
export function createHandedFiles(newId: () => string) {
  const files = new Map<string, PanelFile>();
  let bytes = 0;

  const get = (id: string): PanelFile => {
    const file = files.get(id);
    if (!file) throw new RuntimeError('unknown-file');
    return file;
  };

  return {
    /** @throws RuntimeError `unknown-file` */
    get,
    find: (id: string) => files.get(id),
    /** @returns the unguessable name at which the panel requests it */
    add(file: PanelFile) {
      const size = file.bytes.length;
      if (size > LIMITS.file.maxBytes || bytes + size > MAX_HANDED.bytes) throw new RuntimeError('too-large');
      if (files.size >= MAX_HANDED.files) throw new RuntimeError('too-many');
      const id = newId();
      files.set(id, file);
      bytes += size;
      return id;
    },
    release(id: string) {
      bytes -= get(id).bytes.length;
      files.delete(id);
    },
    clear() {
      files.clear();
      bytes = 0;
    },
  };
}

/** The files that a user passed to an open panel, and files converted from them. They are removed when the panel is closed. */
export type HandedFiles = ReturnType<typeof createHandedFiles>;
