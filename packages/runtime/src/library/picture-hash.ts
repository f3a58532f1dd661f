import { createHash } from 'node:crypto';
import type { BundleEntries } from '@svc/bundle';

/** Hex SHA-256 of a file of a bundle by its path; null when the file does not exist. */
export const hashIn =
  (entries: BundleEntries) =>
  (path: string): string | null => {
    const bytes = entries.get(path);
    return bytes ? createHash('sha256').update(bytes).digest('hex') : null;
  };
