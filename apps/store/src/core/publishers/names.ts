import type { NameRequestPage, Publisher } from '@svc/contracts';
import { nameKeys } from '@svc/text';
import { ApiError } from '../../platform/api-error.ts';
import { ById, pageOf } from '../../platform/page-of.ts';
import type { Caller, PersonCaller } from '../domain/identity/caller.ts';
import type { NameRequest, NameStore } from '../domain/identity/name-store.ts';
import { relistPublisher } from '../domain/listings/list-in-catalog.ts';
import { notifyMembers } from '../domain/mail/post-mail.ts';
import type { ChangeParts, Stores } from '../domain/parts/parts.ts';

/**
 * Reserves the skeletons of all names that a publisher has or has requested. Call it in the transaction of the change.
 * @throws ApiError already_exists when another publisher has, or has requested, a confusable name
 */
export async function claimNames(
  { names }: { names: NameStore },
  slug: string,
  wanted: readonly string[],
): Promise<void> {
  const keys = [...new Set(wanted.flatMap(nameKeys))];
  if (await names.claim(slug, keys)) return;
  const message =
    'Another publisher has this name or a confusingly similar one: choose another name. Letter case, spaces, accents and lookalike letters make no difference.';
  throw new ApiError('already_exists', message, {
    issues: [{ code: 'already_exists', level: 'error', path: '/name', message }],
  });
}

/** Renames a publisher, and updates the listings of its apps. */
async function rename(stores: Stores, slug: string, name: string): Promise<void> {
  await claimNames(stores, slug, [name]);
  await stores.names.remove(slug);
  await stores.publishers.change(slug, { name });
  await relistPublisher(stores, slug);
}

/**
 * Renames a publisher. For a verified publisher this creates a request to the administrators, and the old name stays until they
 * approve it. To request the current name cancels an open request.
 * @returns whether the publisher has the name now
 * @throws ApiError already_exists
 */
export async function changeName(
  stores: Stores,
  caller: PersonCaller,
  publisher: Publisher,
  name: string,
  at: string,
): Promise<boolean> {
  const { slug } = publisher;
  const request = await stores.names.find(slug);
  if (name === publisher.name) {
    if (request) await rename(stores, slug, name);
    return true;
  }
  if (!publisher.verified) {
    await rename(stores, slug, name);
    return true;
  }
  if (request?.name === name) return false;
  await claimNames(stores, slug, [publisher.name, name]);
  await stores.names.put({ publisher: slug, name, askedBy: caller.person.id, askedAt: at });
  const detail = { name, before: publisher.name };
  await stores.audit.add(caller, at, { action: 'publisher.name-request', publisher: slug, detail });
  return false;
}

/**
 * Reads one page of the open name requests, in the order of their publishers.
 * @throws ApiError invalid_request for an invalid cursor
 */
export async function nameRequests(
  { names, publishers }: Pick<Stores, 'names' | 'publishers'>,
  page: { cursor?: string | undefined; limit: number },
): Promise<NameRequestPage> {
  const { items, nextCursor } = await pageOf(
    page,
    ById,
    (after) => names.list(after?.[0] ?? null, page.limit),
    ({ publisher }) => [publisher],
  );
  const records = await publishers.findAll(items.map(({ publisher }) => publisher));
  const bySlug = new Map(records.map((publisher) => [publisher.slug, publisher]));
  const requests = items.flatMap(({ publisher: slug, name, askedBy, askedAt }) => {
    const publisher = bySlug.get(slug);
    return publisher ? [{ publisher, name, askedBy, askedAt }] : [];
  });
  return { requests, nextCursor };
}

/**
 * Finds the request that an administrator decides. The name must match, so that only a name that was seen is approved.
 * @throws ApiError already_handled
 */
async function requireRequest(names: NameStore, slug: string, name: string): Promise<NameRequest> {
  const request = await names.find(slug);
  if (request?.name === name) return request;
  throw new ApiError(
    'already_handled',
    request
      ? `The publisher ${slug} has requested another name in the meantime: reload the list.`
      : `The publisher ${slug} has no open name request.`,
  );
}

/**
 * Approves the requested name of a verified publisher.
 * @throws ApiError already_handled
 */
export const approveName = (
  deps: ChangeParts,
  caller: Caller,
  slug: string,
  name: string,
): Promise<Publisher> =>
  deps.unitOfWork(async (stores) => {
    await requireRequest(stores.names, slug, name);
    await rename(stores, slug, name);
    return recordDecision(deps, stores, caller, slug, { approved: true, name });
  });

/**
 * Refuses the requested name of a verified publisher, which keeps its current name.
 * @throws ApiError already_handled
 */
export const refuseName = (
  deps: ChangeParts,
  caller: Caller,
  slug: string,
  { name, note }: { name: string; note: string },
): Promise<Publisher> =>
  deps.unitOfWork(async (stores) => {
    await requireRequest(stores.names, slug, name);
    const publisher = await stores.publishers.find(slug);
    await claimNames(stores, slug, publisher ? [publisher.name] : []);
    await stores.names.remove(slug);
    return recordDecision(deps, stores, caller, slug, { approved: false, name, note });
  });

type Decision = { approved: true; name: string } | { approved: false; name: string; note: string };

async function recordDecision(
  deps: ChangeParts,
  stores: Stores,
  caller: Caller,
  slug: string,
  { approved, ...detail }: Decision,
): Promise<Publisher> {
  const action = approved ? 'publisher.name-approve' : 'publisher.name-refuse';
  await stores.audit.add(caller, deps.clock().toISOString(), { action, publisher: slug, detail });
  const subject = { publisher: slug, name: detail.name };
  await notifyMembers(
    deps,
    stores,
    slug,
    'note' in detail
      ? { kind: 'name-refused', detail: { ...subject, note: detail.note } }
      : { kind: 'name-approved', detail: subject },
  );
  const publisher = await stores.publishers.find(slug);
  if (!publisher) throw new Error('A publisher is missing.');
  return publisher;
}
