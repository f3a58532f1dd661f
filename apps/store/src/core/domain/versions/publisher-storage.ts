import type { Publisher, PublisherStorage } from '@svc/contracts';
import { exactSizeText, sizeText } from '@svc/text/quantity';
import { ApiError } from '../../../platform/api-error.ts';
import type { PublisherStore, StoredOf } from '../identity/publisher-store.ts';

const MIB = 1024 * 1024;

/** How much each publisher may store, in MiB, unless an administrator chose otherwise for it; null without a limit. */
export type StoragePolicy = { publisherStorageMiB: number | null };

/**
 * What a publisher has stored, and how much it may. The policy does not limit one that stands for a publisher of another store, as an
 * administrator chose what is carried.
 */
export function presentStorage(
  { publisherStorageMiB }: StoragePolicy,
  { origin }: Pick<Publisher, 'origin'>,
  { bytes = 0, limitMiB = null }: Partial<StoredOf> = {},
): PublisherStorage {
  const mib = limitMiB ?? (origin === undefined ? publisherStorageMiB : null);
  return { usedBytes: bytes, limitBytes: mib === null ? null : mib * MIB, isOwn: limitMiB !== null };
}

/**
 * Refuses bytes for which a publisher has no room. Transactions run one at a time, so call it in the one that adds the bytes.
 * @throws ApiError storage_full
 */
export async function requireRoom(
  policy: StoragePolicy,
  { publishers }: { publishers: Pick<PublisherStore, 'find' | 'storedOf'> },
  slug: string,
  bytes: number,
): Promise<void> {
  const [publisher, stored] = [await publishers.find(slug), await publishers.storedOf([slug])];
  const { usedBytes, limitBytes } = presentStorage(policy, publisher ?? {}, stored.get(slug));
  if (limitBytes === null || usedBytes + bytes <= limitBytes) return;
  throw new ApiError(
    'storage_full',
    `${slug} stores ${sizeText(usedBytes)} of ${exactSizeText(limitBytes)}, and this needs ${sizeText(bytes)}: delete apps that no user installed, or ask an administrator of the store for more.`,
  );
}
