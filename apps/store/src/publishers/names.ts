import type { NameRequestPage, Publisher } from '@svc/contracts';
import { nameKeys } from '@svc/text';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import type { Caller, PersonCaller } from '../domain/identity/caller.ts';
import type { NameRequest, NameStore } from '../domain/identity/name-store.ts';
import type { PublisherStore } from '../domain/identity/publisher-store.ts';
import { relistPublisher } from '../domain/listings/list-in-catalog.ts';
import type { ListingStore } from '../domain/listings/listing-store.ts';
import { type PostDeps, type TellStores, tellMembers } from '../domain/mail/post-mail.ts';
import type { VersionStore } from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';
import { pageOf } from '../platform/page-of.ts';
import type { UnitOfWork } from '../platform/system.ts';

/**
 * Reserves the looks of all names that a publisher has or waits for. Run it in the transaction that gives it one.
 * @throws ApiError already_exists when another publisher has, or waits for, a name that looks like one of them
 */
export async function claimNames(
  { names }: { names: NameStore },
  slug: string,
  wanted: readonly string[],
): Promise<void> {
  const keys = [...new Set(wanted.flatMap(nameKeys))];
  if (await names.claim(slug, keys)) return;
  const message =
    'Another publisher has this name, or one that is easily taken for it: choose another name. Letter case, spaces, accents and lookalike letters make no difference.';
  throw new ApiError('already_exists', message, {
    issues: [{ code: 'already_exists', level: 'error', path: '/name', message }],
  });
}

/** The stores that a new name touches. */
export type RenameStores = {
  publishers: PublisherStore;
  names: NameStore;
  audit: AuditLog;
  versions: VersionStore;
  listings: ListingStore;
};

/** Gives a publisher a name, and lets its apps be found by it. */
async function rename(stores: RenameStores, slug: string, name: string): Promise<void> {
  await claimNames(stores, slug, [name]);
  await stores.names.remove(slug);
  await stores.publishers.change(slug, { name });
  await relistPublisher(stores, slug);
}

/**
 * Changes the name of a publisher; that of a verified one waits for an administrator, and the old name stands until then. To
 * ask for the name that it has takes back what waits.
 * @returns whether the name is its own now
 * @throws ApiError already_exists
 */
export async function changeName(
  stores: RenameStores,
  caller: PersonCaller,
  publisher: Publisher,
  name: string,
  at: string,
): Promise<boolean> {
  const { slug } = publisher;
  const waiting = await stores.names.find(slug);
  if (name === publisher.name) {
    if (waiting) await rename(stores, slug, name);
    return true;
  }
  if (!publisher.verified) {
    await rename(stores, slug, name);
    return true;
  }
  if (waiting?.name === name) return false;
  await claimNames(stores, slug, [publisher.name, name]);
  await stores.names.put({ publisher: slug, name, askedBy: caller.person.id, askedAt: at });
  const detail = { name, before: publisher.name };
  await stores.audit.add(caller, at, { action: 'publisher.name-request', publisher: slug, detail });
  return false;
}

export type NameDeps = PostDeps & {
  names: NameStore;
  publishers: PublisherStore;
  unitOfWork: UnitOfWork<RenameStores & TellStores>;
};

/**
 * One page of the names that wait for an administrator, in the order of their publishers.
 * @throws ApiError invalid_request for a cursor that no page gave
 */
export async function nameRequests(
  { names, publishers }: Pick<NameDeps, 'names' | 'publishers'>,
  page: { cursor?: string | undefined; limit: number },
): Promise<NameRequestPage> {
  const { items, nextCursor } = await pageOf(
    page,
    (after) => names.list(after, page.limit),
    ({ publisher }) => publisher,
  );
  const found = await publishers.findAll(items.map(({ publisher }) => publisher));
  const bySlug = new Map(found.map((publisher) => [publisher.slug, publisher]));
  const requests = items.flatMap(({ publisher: slug, name, askedBy, askedAt }) => {
    const publisher = bySlug.get(slug);
    return publisher ? [{ publisher, name, askedBy, askedAt }] : [];
  });
  return { requests, nextCursor };
}

/**
 * The request that an administrator decides: the name is named, so that none is approved that was not seen.
 * @throws ApiError already_handled
 */
async function requireWaiting(names: NameStore, slug: string, name: string): Promise<NameRequest> {
  const request = await names.find(slug);
  if (request?.name === name) return request;
  throw new ApiError(
    'already_handled',
    request
      ? `The publisher ${slug} has asked for another name meanwhile: load the list again.`
      : `The publisher ${slug} waits for no name.`,
  );
}

/**
 * Gives a verified publisher the name that it asked for.
 * @throws ApiError already_handled
 */
export const approveName = (deps: NameDeps, caller: Caller, slug: string, name: string): Promise<Publisher> =>
  deps.unitOfWork(async (stores) => {
    await requireWaiting(stores.names, slug, name);
    await rename(stores, slug, name);
    return decided(deps, stores, caller, slug, { approved: true, name });
  });

/**
 * Refuses the name that a verified publisher asked for: the one it has stays.
 * @throws ApiError already_handled
 */
export const refuseName = (
  deps: NameDeps,
  caller: Caller,
  slug: string,
  { name, note }: { name: string; note: string },
): Promise<Publisher> =>
  deps.unitOfWork(async (stores) => {
    await requireWaiting(stores.names, slug, name);
    const publisher = await stores.publishers.find(slug);
    await claimNames(stores, slug, publisher ? [publisher.name] : []);
    await stores.names.remove(slug);
    return decided(deps, stores, caller, slug, { approved: false, name, note });
  });

type Decision = { approved: true; name: string } | { approved: false; name: string; note: string };

async function decided(
  deps: NameDeps,
  stores: RenameStores & TellStores,
  caller: Caller,
  slug: string,
  { approved, ...detail }: Decision,
): Promise<Publisher> {
  const action = approved ? 'publisher.name-approve' : 'publisher.name-refuse';
  await stores.audit.add(caller, deps.clock().toISOString(), { action, publisher: slug, detail });
  const about = { publisher: slug, name: detail.name };
  await tellMembers(
    deps,
    stores,
    slug,
    'note' in detail
      ? { kind: 'name-refused', detail: { ...about, note: detail.note } }
      : { kind: 'name-approved', detail: about },
  );
  const publisher = await stores.publishers.find(slug);
  if (!publisher) throw new Error('A publisher vanished.');
  return publisher;
}
