import type { NewPublisher, Publisher, PublisherChange } from '@svc/contracts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock, UnitOfWork } from '../platform/ambient.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Caller } from '../tokens/caller.ts';
import { lookOf } from './look-of.ts';
import type { PublisherStore } from './publisher-store.ts';

export type PublisherDeps = {
  unitOfWork: UnitOfWork<{ publishers: PublisherStore; audit: AuditLog }>;
  clock: Clock;
  /** A fresh unique name. */
  newId(): string;
};

/**
 * Makes a publisher.
 * @throws Refusal already_exists
 */
export async function createPublisher(
  deps: PublisherDeps,
  caller: Caller,
  { slug, name, website, verified }: NewPublisher,
): Promise<Publisher> {
  const site = website !== undefined && { website };
  const createdAt = deps.clock().toISOString();
  const publisher = { slug, name, ...site, verified: verified ?? false, suspended: false, createdAt };
  await deps.unitOfWork(async ({ publishers, audit }) => {
    if (!(await publishers.create(publisher, { look: lookOf(slug), proof: deps.newId() }))) {
      throw new Refusal(
        'already_exists',
        `There is already a publisher with the slug ${slug}, or one that is easily taken for it: choose another.`,
      );
    }
    const detail = { name, ...site, verified: publisher.verified };
    await audit.add(caller, createdAt, { action: 'publisher.create', publisher: slug, detail });
  });
  return publisher;
}

/**
 * Verifies or suspends a publisher, or takes either back.
 * @throws Refusal not_found
 */
export async function changePublisher(
  deps: PublisherDeps,
  caller: Caller,
  slug: string,
  { verified, suspended }: PublisherChange,
): Promise<Publisher> {
  const change = {
    ...(verified !== undefined && { verified }),
    ...(suspended !== undefined && { suspended }),
  };
  return deps.unitOfWork(async ({ publishers, audit }) => {
    const changed = await publishers.change(slug, change);
    if (!changed) throw new Refusal('not_found', `There is no publisher with the slug ${slug}.`);
    const deed = { action: 'publisher.change', publisher: slug, detail: change } as const;
    await audit.add(caller, deps.clock().toISOString(), deed);
    return changed;
  });
}
