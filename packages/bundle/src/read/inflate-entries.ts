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
  trailing: 'Bytes are hidden after the end of the compressed data: pack again.',
} as const satisfies Record<InflateFault, string>;

/** Inflates the files and proves sizes (APPNOTE 4.4.9) and checksums (4.4.7); folders are proved, then left out. */
export function inflateEntries(located: readonly LocatedEntry[]): BundleEntries | Refusal {
  const entries = new Map<string, Uint8Array>();
  for (const { header, packed } of located) {
    const content = header.method === METHOD.stored ? packed : inflateRaw(packed, header.size);
    if (typeof content === 'string') return new Refusal(header.name, MESSAGES[content]);
    if (crc32(content) !== header.crc) {
      return new Refusal(
        header.name,
        'The checksum of the entry is wrong: it was damaged, pack or upload again.',
      );
    }
    if (!header.isFolder) entries.set(header.name, content);
  }
  return entries.size === 0 ? onlyFolders() : entries;
}

/** The refusal of a zip without a file. */
export const onlyFolders = (): Refusal =>
  new Refusal('', 'The zip holds only folders: it must hold at least plugin.json.');
