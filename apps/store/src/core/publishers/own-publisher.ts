import type { NewOwnPublisher, Publisher, PublisherEdit, VerificationResult } from '@svc/contracts';
import { reservedNameIn } from '@svc/validator';
import { ApiError, invalidField } from '../../platform/api-error.ts';
import { consume, type Quota, type Rate } from '../../platform/rate.ts';
import { isAdministrator, type PersonCaller } from '../domain/identity/caller.ts';
import type { PublisherFields } from '../domain/identity/publisher-store.ts';
import { recordPublisherChange } from '../domain/mail/record-publisher-change.ts';
import type { ChangeParts, Parts } from '../domain/parts/parts.ts';
import { addPublisher } from './administer.ts';
import { type CheckDeps, checkWebsite, type ExpectedProof } from './check-website.ts';
import { requireOwned } from './lives.ts';
import { lookOf } from './look-of.ts';
import { changeName } from './names.ts';
import { hostOf } from './proof.ts';

/** Checks that a publisher can request: each makes the store contact a server of the publisher's choice. */
const CHECKS: Rate = { what: 'checks of one website', name: 'checks', limit: 10, windowMs: 60 * 60_000 };

async function consumeCheck(
  deps: CheckDeps,
  caller: PersonCaller,
  slug: string,
): Promise<[ExpectedProof, Quota]> {
  return deps.unitOfWork(async (stores) => {
    const { publisher, status } = await requireOwned(stores, caller, slug, 'verifyPublisher');
    const host = hostOf(publisher.website);
    if (host === null) {
      throw new ApiError('invalid_request', 'The publisher has no website to verify: add one first.');
    }
    const quota = await consume({ ...deps, ...stores }, CHECKS, `verify ${slug}`);
    return [{ slug, host, proof: status.proof }, quota];
  });
}

/**
 * Checks the website of a publisher now.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, invalid_request, rate_limited, already_handled
 */
export async function verifyPublisher(
  deps: CheckDeps,
  caller: PersonCaller,
  slug: string,
): Promise<{ result: VerificationResult; quota: Quota }> {
  const [expected, quota] = await consumeCheck(deps, caller, slug);
  const result = await checkWebsite(deps, caller, expected);
  if (!result)
    throw new ApiError('already_handled', 'The website has changed in the meantime: check it again.');
  return { result, quota };
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** The skeletons of a text: word by word, and without spaces, since a hyphen is easily overlooked. */
const looksOf = (text: string): [string, string] => {
  const words = wordsOf(text);
  return [words.map(lookOf).join(' '), lookOf(words.join(''))];
};

/** Whether a slug contains a reserved name or a confusable one. */
function isReservedSlug(slug: string, reservedNames: readonly string[]): boolean {
  if (reservedNameIn(slug, reservedNames) !== null) return true;
  const [words, whole] = looksOf(slug);
  const reserved = reservedNames.map(looksOf);
  return (
    reservedNameIn(
      words,
      reserved.map(([look]) => look),
    ) !== null ||
    reservedNameIn(
      whole,
      reserved.map(([, look]) => look),
    ) !== null
  );
}

const refuse = (field: 'slug' | 'name'): never => {
  const message = `This ${field} contains a reserved name: choose one without it.`;
  throw invalidField(field, message, message);
};

/**
 * Refuses a publisher that would impersonate the store or the owner of a reserved name.
 * @param reservedNames reserved names, in addition to those of the service
 * @throws ApiError invalid_request
 */
export function requireUnreserved(
  reservedNames: readonly string[],
  { slug, name }: { slug?: string; name?: string | undefined },
): void {
  if (slug !== undefined && isReservedSlug(slug, reservedNames)) refuse('slug');
  if (name !== undefined && reservedNameIn(name, reservedNames) !== null) refuse('name');
}

/** Slugs are first come, first served, so a user can create only a few publishers a day. */
const PUBLISHERS: Rate = { what: 'new publishers', name: 'publishers', limit: 5, windowMs: 24 * 60 * 60_000 };

export type OwnPublisherDeps = ChangeParts &
  Pick<Parts, 'accessRules'> & {
    /** Reserved names, in addition to those of the service. */
    reservedNames: readonly string[];
  };

const notApproved = () =>
  new ApiError(
    'forbidden',
    'Only administrators create publishers in this store: ask one to create yours and to make you its owner.',
  );

/**
 * Creates a publisher with the caller as its owner.
 * @returns the remaining quota of new publishers
 * @throws ApiError invalid_request, already_exists, rate_limited; forbidden where only administrators create publishers
 */
export async function createOwnPublisher(
  deps: OwnPublisherDeps,
  caller: PersonCaller,
  { slug, name, website }: NewOwnPublisher,
): Promise<Quota> {
  if (deps.accessRules.now().publishers === 'approved' && !isAdministrator(caller)) throw notApproved();
  requireUnreserved(deps.reservedNames, { slug, name });
  const createdAt = deps.clock().toISOString();
  const site = website !== undefined && { website };
  const publisher: Publisher = { slug, name, ...site, verified: false, suspended: false, createdAt };
  return deps.unitOfWork(async (stores) => {
    await addPublisher(deps, stores, caller, publisher);
    await stores.members.add({
      publisher: slug,
      personId: caller.person.id,
      role: 'owner',
      since: createdAt,
    });
    return consume({ ...deps, ...stores }, PUBLISHERS, `publisher ${caller.name}`);
  });
}

/** Resets the results of website checks after a change of the host. */
const resetCheck = (verifiedBy: string | null): PublisherFields => ({
  checkedAt: null,
  missingSince: null,
  ...(verifiedBy === 'website' && { verifiedBy: null }),
});

/**
 * Changes the name or the website of a publisher. Another host ends a verification by website, but not one by an administrator. An
 * administrator must approve the new name of a verified publisher.
 * @throws ApiError invalid_request, not_a_member, forbidden, publisher_suspended, already_exists
 */
export async function editPublisher(
  deps: OwnPublisherDeps,
  caller: PersonCaller,
  slug: string,
  { name, website }: PublisherEdit,
): Promise<void> {
  requireUnreserved(deps.reservedNames, { name });
  await deps.unitOfWork(async (stores) => {
    const { publisher: before, status } = await requireOwned(stores, caller, slug, 'editPublisher');
    const { verifiedBy } = status;
    const hostChanges = website !== undefined && hostOf(website ?? undefined) !== hostOf(before.website);
    await stores.publishers.change(slug, {
      ...(website !== undefined && { website }),
      ...(hostChanges && resetCheck(verifiedBy)),
    });
    const at = deps.clock().toISOString();
    const renamed = name !== undefined && (await changeName(stores, caller, before, name, at));
    const detail = {
      ...(renamed && { name }),
      ...(website !== undefined && { website: website ?? '', websiteBefore: before.website ?? '' }),
      ...(hostChanges && verifiedBy === 'website' && { verified: false }),
    };
    if (Object.keys(detail).length > 0)
      await recordPublisherChange(deps, stores, caller, at, {
        action: 'publisher.change',
        publisher: slug,
        detail,
      });
  });
}
