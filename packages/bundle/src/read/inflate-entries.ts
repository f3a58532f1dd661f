import { crc32, inflateRaw } from '#deflate';
import type { BundleEntries } from '../bundle-entries.ts';
import type { InflateFault } from '../deflate/inflate-fault.ts';
import { Refusal } from '../refusal.ts';
import { METHOD } from '../zip-format.ts';
import type { LocatedEntry } from './check-local-headers.ts';

const MESSAGES = {
  damaged: 'The compressed bytes are damaged or end too soon: pack again.',
  longer: 'The entry inflates to more than its declared size: pack again.',
  shorter: 'The entry inflates to less than its declared size: pack again.',
  trailing: 'The compressed data is followed by hidden bytes: pack again.',
} as const satisfies Record<InflateFault, string>;

/** Inflates the files and verifies sizes (APPNOTE 4.4.9) and checksums (4.4.7); folders are verified, then omitted. */
export function inflateEntries(located: readonly LocatedEntry[]): BundleEntries | Refusal {
  const entries = new Map<string, Uint8Array>();
  for (const { header, packed } of located) {
    const content = header.method === METHOD.stored ? packed : inflateRaw(packed, header.size);
    if (typeof content === 'string') return new Refusal(header.name, MESSAGES[content]);
    if (crc32(content) !== header.crc) {
      return new Refusal(
        header.name,
        'The checksum of the entry is wrong, so the zip is damaged: pack or upload it again.',
      );
    }
    if (!header.isFolder) entries.set(header.name, content);
  }
  return entries.size === 0 ? onlyFolders() : entries;
}

/** The refusal of a zip without a file. */
export const onlyFolders = (): Refusal =>
  new Refusal('', 'The zip contains only folders: it must contain at least plugin.json.');
