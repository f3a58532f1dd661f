import { type AppOffers, type AppState, LIMITS, type OwnAppLife, type RouteName } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { type Caller, type PersonCaller, personId, requireOwner } from '../domain/identity/caller.ts';
import type { Member } from '../domain/identity/member-store.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import type { PublisherWithStatus } from '../domain/identity/publisher-store.ts';
import { requireUnsuspended } from '../domain/identity/suspension.ts';
import { listInCatalog } from '../domain/listings/list-in-catalog.ts';
import { notifyMembers } from '../domain/mail/post-mail.ts';
import { recordPublisherChange } from '../domain/mail/record-publisher-change.ts';
import type { ChangeParts, Parts, Stores } from '../domain/parts/parts.ts';
import type { AppOwner } from '../domain/versions/app-store.ts';
import { type Mover, requireChange } from '../domain/versions/changes.ts';
import type { LifeStore, Offer } from '../domain/versions/life-store.ts';
import { requireRoom, type StoragePolicy } from '../domain/versions/publisher-storage.ts';
import { lookOf } from './look-of.ts';

/**
 * Finds a publisher that the caller owns now. Call it in the transaction of an owner's action, as the caller may have lost the role
 * since the request arrived.
 * @param route the route of the action, which a suspension of the publisher may stop
 * @throws ApiError not_a_member, also when there is no such publisher; forbidden; publisher_suspended
 */
export async function requireOwned(
  stores: Pick<Stores, 'publishers' | 'people' | 'apps'>,
  caller: PersonCaller,
  slug: string,
  route: RouteName,
): Promise<PublisherWithStatus> {
  requireOwner({ ...caller, memberships: await stores.people.membershipsOf(caller.person.id) }, slug);
  const found = await stores.publishers.findWithStatus(slug);
  if (!found) throw new Error('A person is a member of a publisher that does not exist.');
  await requireUnsuspended(stores, route, { publisher: slug });
  return found;
}

/**
 * Whether a user is an owner of a publisher now, and not suspended. What an owner began for another user to finish (an invitation, an
 * offer) has no effect otherwise, however the ownership ended.
 */
export const isActiveOwner = async (
  people: Pick<PersonStore, 'ownerships'>,
  id: string,
  slug: string,
): Promise<boolean> => (await people.ownerships([id])).some(({ publisher }) => publisher === slug);

/** When the owner of a publisher became one. */
const ownerSince = ({ ownerSince: own, since }: Member): string => own ?? since;

/**
 * Refuses a new owner what takes a publisher from an older one: a thief who makes an accomplice an owner could otherwise lock the owner
 * out within minutes. Call it in the transaction of the act, also for administrators.
 * @param from the user who would lose something; of a publisher or an app as a whole, each owner would
 * @throws ApiError forbidden
 */
export async function requireSettledOwner(
  { clock }: Pick<Parts, 'clock'>,
  { members }: Pick<Stores, 'members'>,
  caller: Caller,
  slug: string,
  from?: string,
): Promise<void> {
  if (caller.kind !== 'person') return;
  const owners = (await members.of(slug)).filter(({ role }) => role === 'owner');
  const own = owners.find(({ personId: id }) => id === caller.person.id);
  if (!own) return;
  const settledAt = Date.parse(ownerSince(own)) + LIMITS.people.newOwnerMs;
  if (settledAt <= clock().getTime()) return;
  const older = owners.filter((one) => ownerSince(one) < ownerSince(own));
  if (from === undefined ? older.length === 0 : older.every(({ personId: id }) => id !== from)) return;
  const until = new Date(settledAt).toISOString().slice(0, 10);
  throw new ApiError(
    'forbidden',
    `You became an owner of ${slug} less than 14 days ago: until ${until} you cannot remove, demote or suspend an owner who was one before you, nor hand the publisher or its apps over. An older owner can.`,
  );
}

export type LifeDeps = ChangeParts & Pick<Parts, 'lives' | 'hooks'>;
export type AnswerDeps = LifeDeps & { policy: StoragePolicy };

type OwnRef = { slug: string; appId: string };

const conflict = (message: string) => new ApiError('already_handled', message);

/** @throws ApiError not_found */
export async function requireAppOf(
  { apps }: Pick<Stores, 'apps'>,
  { slug, appId }: OwnRef,
): Promise<AppOwner> {
  const app = await apps.find(appId);
  if (app?.publisher !== slug) throw new ApiError('not_found', `The publisher ${slug} has no app ${appId}.`);
  return app;
}

/**
 * The offers that are still open: the user who made one is an active owner, who has not recovered the account since. An attacker who used
 * the account of an owner could otherwise accept the offer later.
 */
async function openOffers<O extends Offer & { from: string }>(
  people: Pick<PersonStore, 'ownerships'>,
  offers: readonly O[],
): Promise<O[]> {
  const owners = await people.ownerships(offers.map(({ by }) => personId(by) ?? ''));
  return offers.filter(({ by, at, from }) =>
    owners.some((one) => one.id === personId(by) && one.publisher === from && (one.recoveredAt ?? '') < at),
  );
}

/** The offer of an app of a publisher; null when none is open. */
const openOffer = async (people: PersonStore, offer: Offer | null, from: string): Promise<Offer | null> =>
  offer && ((await openOffers(people, [{ ...offer, from }])).length > 0 ? offer : null);

/** Whether anyone installed, rated or reported an app. */
const wasUsed = async (
  stores: Pick<Stores, 'db'> & { lives: LifeStore },
  hooks: Parts['hooks'],
  appId: string,
): Promise<boolean> => (await stores.lives.wasUsed(appId)) || hooks.usedApp(stores, appId);

async function lifeOf(
  deps: Pick<Parts, 'db' | 'people' | 'hooks'> & { lives: LifeStore },
  { appId, slug }: OwnRef,
): Promise<OwnAppLife> {
  const { lives, people, hooks } = deps;
  const found = await lives.find(appId);
  if (!found) throw new ApiError('not_found', `There is no app ${appId}.`);
  const life = { ...found, offer: await openOffer(people, found.offer, slug) };
  const deprecated = Object.fromEntries(await lives.deprecatedOf(appId));
  const deletable = !(await wasUsed(deps, hooks, appId));
  return { ...life, deprecated, reviewerAccount: null, deletable, ...(await hooks.ownApp(deps, appId)) };
}

/**
 * The life of an app, for members of its publisher.
 * @throws ApiError not_found
 */
export async function ownAppLife(
  deps: Pick<Parts, 'db' | 'apps' | 'people' | 'hooks'> & { lives: LifeStore },
  { memberships }: PersonCaller,
  ref: OwnRef,
): Promise<OwnAppLife> {
  if (!memberships.has(ref.slug)) throw new ApiError('not_found', `There is no publisher ${ref.slug}.`);
  await requireAppOf(deps, ref);
  return lifeOf(deps, ref);
}

/**
 * Delists or deprecates an app, or ends either. A delisted app is in no list or search; its page, its versions and updates stay.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, not_found
 */
export const setAppState = (
  deps: LifeDeps,
  caller: PersonCaller,
  ref: OwnRef,
  state: AppState,
): Promise<OwnAppLife> =>
  deps.unitOfWork(async (stores) => {
    const at = deps.clock().toISOString();
    const about = { publisher: ref.slug, appId: ref.appId };
    const mover = await requireChange(stores, 'setAppState', caller, about, at);
    await requireAppOf(stores, ref);
    const { deprecation } = state;
    const replacement = deprecation?.replacement;
    if (
      replacement !== undefined &&
      (replacement === ref.appId || !(await stores.listings.isListed(replacement)))
    )
      throw new ApiError(
        'not_found',
        `The replacement ${replacement} is not another app of this store: correct it.`,
      );
    await stores.lives.setState(ref.appId, state, mover);
    await listInCatalog(stores, ref.appId);
    const detail = {
      delisted: state.delisted,
      deprecation: deprecation?.note ?? '',
      replacement: replacement ?? '',
    };
    const event = { action: 'app.state', ...about, detail } as const;
    await stores.audit.add(caller, at, event);
    return lifeOf({ ...stores, hooks: deps.hooks }, ref);
  });

/**
 * Marks a version as one that users should leave, or ends that with null.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, not_found
 */
export const deprecateVersion = (
  deps: LifeDeps,
  caller: PersonCaller,
  { version, ...ref }: OwnRef & { version: string },
  note: string | null,
): Promise<OwnAppLife> =>
  deps.unitOfWork(async (stores) => {
    const at = deps.clock().toISOString();
    const about = { publisher: ref.slug, appId: ref.appId };
    const mover = await requireChange(stores, 'deprecateVersion', caller, about, at);
    await requireAppOf(stores, ref);
    if (!(await stores.lives.deprecate(ref.appId, version, note, mover)))
      throw new ApiError('not_found', `The app ${ref.appId} has no version ${version}.`);
    const event = { action: 'version.deprecate', ...about, version, detail: { note: note ?? '' } } as const;
    await stores.audit.add(caller, at, event);
    return lifeOf({ ...stores, hooks: deps.hooks }, ref);
  });

/**
 * Offers an app to another publisher, or takes the offer back with null.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, not_found, unknown_publisher
 */
export const offerApp = (
  deps: LifeDeps,
  caller: PersonCaller,
  ref: OwnRef,
  to: string | null,
): Promise<OwnAppLife> =>
  deps.unitOfWork(async (stores) => {
    await requireOwned(stores, caller, ref.slug, 'offerApp');
    if (to !== null) await requireSettledOwner(deps, stores, caller, ref.slug);
    await requireAppOf(stores, ref);
    if (to !== null && (to === ref.slug || !(await stores.publishers.find(to))))
      throw new ApiError('unknown_publisher', `There is no other publisher ${to}: correct the name.`);
    const at = deps.clock().toISOString();
    await stores.lives.setOffer(ref.appId, to === null ? null : { to, by: caller.name, at });
    const event = {
      action: 'app.offer',
      appId: ref.appId,
      publisher: ref.slug,
      detail: { to: to ?? '' },
    } as const;
    await recordPublisherChange(deps, stores, caller, at, event);
    if (to !== null) {
      const detail = { publisher: to, appId: ref.appId, from: ref.slug };
      await notifyMembers(deps, stores, to, { kind: 'app-offered', detail }, 'owner');
    }
    return lifeOf({ ...stores, hooks: deps.hooks }, ref);
  });

/**
 * The apps that others offer to a publisher, for its members.
 * @throws ApiError not_found
 */
export async function appOffers(
  { lives, apps, people }: Pick<Parts, 'apps' | 'people'> & { lives: LifeStore },
  { memberships }: PersonCaller,
  slug: string,
): Promise<AppOffers> {
  if (!memberships.has(slug)) throw new ApiError('not_found', `There is no publisher ${slug}.`);
  const offers = await openOffers(people, await lives.offersTo(slug));
  const names = await apps.namesOf(offers.map(({ appId }) => appId));
  return {
    offers: offers.map(({ appId, from, at }) => ({ appId, from, at, name: names.get(appId) ?? appId })),
  };
}

/** Moves an app, and lists it under its new publisher. @throws ApiError already_handled while a version is on its way */
export async function moveApp(
  deps: LifeDeps,
  stores: Stores,
  { appId, from, to }: { appId: string; from: string; to: string },
  mover: Mover,
): Promise<void> {
  const { moving, inReview } = await stores.lives.ties(appId);
  if (moving || inReview)
    throw conflict(
      `A version of ${appId} is in review: wait for the decision, or retract it, and try again.`,
    );
  await stores.lives.move(appId, to, mover);
  await listInCatalog(stores, appId);
  for (const slug of [from, to])
    await notifyMembers(deps, stores, slug, {
      kind: 'app-moved',
      detail: { publisher: slug, appId, from, to },
    });
}

/**
 * Accepts or refuses an app that another publisher offers. Users are asked again at the next update, as its publisher changes.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, not_found, already_handled, storage_full
 */
export const answerOffer = (
  deps: AnswerDeps,
  caller: PersonCaller,
  { slug, appId }: OwnRef,
  accept: boolean,
): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    const at = deps.clock().toISOString();
    const mover = await requireChange(stores, 'answerOffer', caller, { publisher: slug }, at);
    const app = await stores.apps.find(appId);
    const made = (await stores.lives.find(appId))?.offer ?? null;
    const offer = app && (await openOffer(stores.people, made, app.publisher));
    if (!app || offer?.to !== slug)
      throw new ApiError('not_found', `The app ${appId} is not offered to ${slug}.`);
    const from = app.publisher;
    if (app.suspended || (await stores.publishers.find(from))?.suspended)
      throw new ApiError('app_suspended', `The app ${appId} or its publisher is suspended.`);
    const about = { appId, publisher: slug, detail: { from, to: slug } };
    if (!accept) {
      await stores.lives.setOffer(appId, null);
      return stores.audit.add(caller, at, { action: 'app.refuse', ...about });
    }
    await requireRoom(deps.policy, stores, slug, await stores.publishers.bytesOf(appId));
    await moveApp(deps, stores, { appId, from, to: slug }, mover);
    await recordPublisherChange(deps, stores, caller, at, { action: 'app.transfer', ...about });
  });

/**
 * Gives an app to another publisher on behalf of the store.
 * @throws ApiError not_found, unknown_publisher, already_handled
 */
export const reassignApp = (
  deps: LifeDeps,
  caller: Caller,
  appId: string,
  { publisher: to, reason }: { publisher: string; reason: string },
): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    const app = await stores.apps.find(appId);
    if (!app) throw new ApiError('not_found', `There is no app ${appId}.`);
    if (app.publisher === to || !(await stores.publishers.find(to)))
      throw new ApiError('unknown_publisher', `There is no other publisher ${to}: correct the name.`);
    const from = app.publisher;
    const at = deps.clock().toISOString();
    const mover = await requireChange(stores, 'reassignApp', caller, app, at);
    await moveApp(deps, stores, { appId, from, to }, mover);
    const detail = { from, to, reason };
    const event = { action: 'app.reassign', appId, publisher: to, detail } as const;
    await recordPublisherChange(deps, stores, caller, at, event);
  });

/**
 * Deletes an app that was never installed. An id that was published is never given out again.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, not_found, already_handled
 */
export const deleteApp = (deps: LifeDeps, caller: PersonCaller, ref: OwnRef): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    await requireOwned(stores, caller, ref.slug, 'deleteApp');
    const { appId } = ref;
    const { suspended } = await requireAppOf(stores, ref);
    if (suspended) throw new ApiError('app_suspended', `The app ${appId} is suspended.`);
    const { released, yanked, moving, inReview } = await stores.lives.ties(appId);
    if (moving || inReview) throw conflict('A version is in review: retract it first.');
    // It stays as evidence, also for those who installed it without an installation id.
    if (yanked) throw conflict('A version was yanked: delist the app instead.');
    if (await wasUsed(stores, deps.hooks, appId))
      throw conflict('Users have installed, rated or reported the app: delist or deprecate it instead.');
    const at = deps.clock().toISOString();
    await stores.listings.remove(appId);
    await deps.hooks.appRemoved(stores, appId);
    await stores.lives.removeApp(appId);
    if (released) await stores.lives.retire('app', appId, at);
    await stores.audit.add(caller, at, {
      action: 'app.delete',
      appId,
      publisher: ref.slug,
      detail: { released },
    });
  });

/**
 * Deletes a publisher without apps. Its slug is never given out again.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, already_handled
 */
export const deletePublisher = (deps: LifeDeps, caller: PersonCaller, slug: string): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    await requireOwned(stores, caller, slug, 'deletePublisher');
    await requireSettledOwner(deps, stores, caller, slug);
    const search = { publisher: slug, sort: 'id', direction: 'asc', after: null, limit: 1 } as const;
    if ((await stores.apps.search(search)).rows.length > 0)
      throw conflict('The publisher has apps: delete them, or transfer them to another publisher first.');
    const at = deps.clock().toISOString();
    await recordPublisherChange(deps, stores, caller, at, { action: 'publisher.delete', publisher: slug });
    await stores.lives.retire('publisher', lookOf(slug), at);
    await deps.hooks.publisherRemoved(stores, slug);
    await stores.lives.removePublisher(slug);
  });
