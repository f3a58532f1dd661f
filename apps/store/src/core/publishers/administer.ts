import type {
  AuditDetail,
  ErrorCode,
  NewPublisher,
  Publisher,
  PublisherChange,
  PublisherPage,
  PublisherQuery,
  PublisherState,
  Suspension,
} from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { sortedPageOf } from '../../platform/page-of.ts';
import { recordDecision, takeBack } from '../domain/decisions/record-decision.ts';
import type { Caller } from '../domain/identity/caller.ts';
import {
  type PublisherFields,
  type PublisherStore,
  placeOfPublisher,
} from '../domain/identity/publisher-store.ts';
import { suspensionBy } from '../domain/identity/suspension.ts';
import { notifyMembers } from '../domain/mail/post-mail.ts';
import { recordPublisherChange } from '../domain/mail/record-publisher-change.ts';
import type { ChangeParts, Parts, Stores } from '../domain/parts/parts.ts';
import { presentStorage, type StoragePolicy } from '../domain/versions/publisher-storage.ts';
import { lookOf } from './look-of.ts';
import { claimNames } from './names.ts';
import { hostOf } from './proof.ts';

/**
 * Reads one page of publishers, in the requested order.
 * @throws ApiError invalid_request for an invalid cursor
 */
export async function findPublishers(
  { publishers, policy }: { publishers: PublisherStore; policy: StoragePolicy },
  { q, sort, direction, ...page }: PublisherQuery,
): Promise<PublisherPage> {
  const criteria = { ...page, text: q, sort, direction };
  const { items, nextCursor } = await sortedPageOf(
    { ...page, order: `${sort} ${direction}` },
    (after) => publishers.search({ ...criteria, after }),
    (publisher) => placeOfPublisher(publisher, sort),
  );
  const slugs = items.map(({ slug }) => slug);
  const [sizes, stored] = [await publishers.sizesOf(slugs), await publishers.storedOf(slugs)];
  return {
    publishers: items.map((one) => ({
      ...one,
      ...(sizes.get(one.slug) ?? { apps: 0, installs: 0 }),
      storage: presentStorage(policy, one, stored.get(one.slug)),
    })),
    nextCursor,
  };
}

/**
 * Adds a publisher, with an audit entry. Call it in a transaction.
 * @throws ApiError already_exists
 */
export async function addPublisher(
  { newId }: { newId(): string },
  { publishers, names, lives, audit }: Pick<Parts, 'publishers' | 'names' | 'lives' | 'audit'>,
  caller: Caller,
  publisher: Publisher,
): Promise<void> {
  const { slug, name, website, verified, createdAt } = publisher;
  const look = lookOf(slug);
  const isFree = !(await lives.isRetired('publisher', look));
  if (!isFree || !(await publishers.create(publisher, { look, proof: newId() }))) {
    throw new ApiError(
      'already_exists',
      `A publisher with the short name ${slug}, or a confusingly similar one, already exists: choose another short name.`,
    );
  }
  await claimNames({ names }, slug, [name]);
  const detail = { name, ...(website !== undefined && { website }), verified };
  await audit.add(caller, createdAt, { action: 'publisher.create', publisher: slug, detail });
}

const refuseOwner = (code: ErrorCode, message: string): never => {
  throw new ApiError(code, message, { issues: [{ code, level: 'error', path: '/owner', message }] });
};

/**
 * Finds the first owner of a new publisher. Where the store sends mail, an address must be confirmed: another visitor may have signed up
 * with it.
 */
async function ownerOf(
  { people }: Pick<Parts, 'people'>,
  caller: Caller,
  { owner, sendsMail }: { owner: string; sendsMail: boolean },
): Promise<string> {
  if (owner === 'me') {
    if (caller.kind !== 'automation' && caller.person) return caller.person.id;
    return refuseOwner('invalid_request', 'This token is of no user: name the email address of the owner.');
  }
  const person = await people.findByEmail(owner);
  if (!person || person.suspended)
    return refuseOwner('not_found', 'No user has this email address: add the user first, under Users.');
  if (sendsMail && !person.emailVerified)
    return refuseOwner('email_unverified', 'The user has not confirmed this email address yet.');
  return person.id;
}

/**
 * Creates a publisher, with its first owner when one is named.
 * @throws ApiError already_exists; invalid_request, not_found or email_unverified for the owner
 */
export async function createPublisher(
  deps: ChangeParts & { sendsMail: boolean },
  caller: Caller,
  { slug, name, website, verified = false, owner }: NewPublisher,
): Promise<Publisher> {
  const site = website !== undefined && { website };
  const createdAt = deps.clock().toISOString();
  const host = verified ? hostOf(website) : null;
  const shown = host !== null && { verifiedHost: host };
  const publisher = { slug, name, ...site, verified, ...shown, suspended: false, createdAt };
  await deps.unitOfWork(async (stores) => {
    await addPublisher(deps, stores, caller, publisher);
    if (owner === undefined) return;
    const personId = await ownerOf(stores, caller, { owner, sendsMail: deps.sendsMail });
    await stores.members.add({ publisher: slug, personId, role: 'owner', since: createdAt });
    const event = { action: 'member.add', publisher: slug, detail: { personId, role: 'owner' } } as const;
    await recordPublisherChange(deps, stores, caller, createdAt, event);
  });
  return publisher;
}

/** The columns that a change by an administrator writes. */
const columnsOf = (
  { verified, suspended, storageMiB }: PublisherChange,
  suspension: Suspension | null | undefined,
  website: string | undefined,
): PublisherFields => ({
  ...(verified !== undefined && {
    verifiedBy: verified ? ('administrator' as const) : null,
    verifiedHost: verified ? hostOf(website) : null,
    missingSince: null,
  }),
  ...(suspended !== undefined && { suspended }),
  ...(storageMiB !== undefined && { storageMiB }),
  ...(suspension !== undefined && { suspension }),
});

/**
 * Records a change by an administrator. A verification, a suspension, and the end of either, are entries of their own, as those by other
 * ways are: webhooks and mirrors learn of them by the entry.
 */
async function recordChange(
  deps: ChangeParts,
  stores: Stores,
  caller: Caller,
  at: string,
  { slug, change, cited }: { slug: string; change: PublisherChange; cited: AuditDetail | false | null },
): Promise<void> {
  const { verified, suspended, storageMiB, reason } = change;
  type Action = 'change' | 'verify' | 'unverify' | 'suspend' | 'unsuspend';
  const record = (action: Action, of: AuditDetail) =>
    recordPublisherChange(deps, stores, caller, at, {
      action: `publisher.${action}`,
      publisher: slug,
      detail: { ...(reason !== undefined && { reason }), ...of },
    });
  if (storageMiB !== undefined) await record('change', { storageMiB: storageMiB ?? 'default' });
  if (verified !== undefined) await record(verified ? 'verify' : 'unverify', { by: 'administrator' });
  if (suspended !== undefined) await record(suspended ? 'suspend' : 'unsuspend', cited || {});
}

/**
 * Verifies or suspends a publisher, or ends either, or sets how much it may store.
 * @throws ApiError not_found
 */
export async function changePublisher(
  deps: ChangeParts & Pick<Parts, 'hooks'>,
  caller: Caller,
  slug: string,
  change: PublisherChange,
): Promise<Publisher> {
  const { verified, suspended, reason, rule } = change;
  const at = deps.clock().toISOString();
  const suspension = suspended === undefined ? undefined : suspensionBy(caller, at, { suspended, reason });
  return deps.unitOfWork(async (stores) => {
    const before = await stores.publishers.find(slug);
    if (verified && before?.origin !== undefined)
      throw new ApiError(
        'invalid_request',
        `${slug} stands for a publisher of ${before.origin}, which this store cannot verify.`,
      );
    const changed = await stores.publishers.change(slug, columnsOf(change, suspension, before?.website));
    if (!before || !changed)
      throw new ApiError('not_found', `There is no publisher with the short name ${slug}.`);
    const note = suspension?.reason ?? '';
    const about = { kind: 'publisher-suspended', publisher: slug, rule, note } as const;
    const begins = suspension && !before.suspended;
    const cited = begins ? await recordDecision(deps, stores, caller, at, about) : null;
    await recordChange(deps, stores, caller, at, { slug, change, cited });
    if (suspended === false && before.suspended)
      await takeBack(deps, stores, caller, about, { note: reason, at });
    if (begins) {
      const content = { publisher: slug, reason: suspension.reason };
      await notifyMembers(deps, stores, slug, { kind: 'publisher-suspended', detail: content });
    }
    return changed;
  });
}

/**
 * Creates a publisher unless it exists, and changes it where it is not as asked: the same request changes nothing.
 * @throws ApiError as createPublisher and changePublisher
 */
export async function putPublisher(
  deps: ChangeParts & Pick<Parts, 'hooks' | 'publishers'> & { sendsMail: boolean },
  caller: Caller,
  slug: string,
  { name, website, verified, suspended, storageMiB, reason, rule }: PublisherState,
): Promise<Publisher> {
  const site = website !== undefined && { website };
  const publisher =
    (await deps.publishers.find(slug)) ?? (await createPublisher(deps, caller, { slug, name, ...site }));
  const stored = await deps.publishers.storedOf([slug]);
  const change = {
    ...(verified !== undefined && verified !== publisher.verified && { verified }),
    ...(suspended !== undefined && suspended !== publisher.suspended && { suspended }),
    ...(storageMiB !== undefined && storageMiB !== (stored.get(slug)?.limitMiB ?? null) && { storageMiB }),
  };
  if (Object.keys(change).length === 0) return publisher;
  return changePublisher(deps, caller, slug, { ...change, reason, rule });
}
