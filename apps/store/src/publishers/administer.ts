import type { NewPublisher, Publisher, PublisherChange } from '@svc/contracts';
import type { Clock } from '../platform/ambient.ts';
import { Refusal } from '../platform/refusal.ts';
import type { PublisherStore } from './publisher-store.ts';

/**
 * Makes a publisher.
 * @throws Refusal already_exists
 */
export async function createPublisher(
  deps: { publishers: PublisherStore; clock: Clock },
  { slug, name, website, verified }: NewPublisher,
): Promise<Publisher> {
  const publisher: Publisher = {
    slug,
    name,
    ...(website !== undefined && { website }),
    verified: verified ?? false,
    suspended: false,
    createdAt: deps.clock().toISOString(),
  };
  if (await deps.publishers.create(publisher)) return publisher;
  throw new Refusal('already_exists', `There is already a publisher with the slug ${slug}: choose another.`);
}

/**
 * Verifies or suspends a publisher, or takes either back.
 * @throws Refusal not_found
 */
export async function changePublisher(
  deps: { publishers: PublisherStore },
  slug: string,
  { verified, suspended }: PublisherChange,
): Promise<Publisher> {
  const changed = await deps.publishers.change(slug, {
    ...(verified !== undefined && { verified }),
    ...(suspended !== undefined && { suspended }),
  });
  if (changed) return changed;
  throw new Refusal('not_found', `There is no publisher with the slug ${slug}.`);
}
