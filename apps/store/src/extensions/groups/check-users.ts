import type { Actor } from '../../core/domain/audit/audit-log.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { RoleDeps } from '../../core/people/administer.ts';
import type { PeopleStores } from '../../core/people/people-parts.ts';
import type { Confirmed, GroupRules, Provider, Providers } from '../../core/people/provider.ts';
import { applyGroups, isAllowed } from '../../core/people/provider-access.ts';
import { createMac, openEntry, sealEntry } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import type { DueCheck, ProviderCheckStore } from './provider-check-store.ts';

type Stores = PeopleStores & { providerChecks: ProviderCheckStore };

/** How often users are checked. */
export type CheckTerm = {
  /** Minutes between two questions to the provider about a user. */
  groupCheckMinutes: number;
  /** Hours after which tokens of a user have no effect, if the provider has not confirmed the user in the meantime. */
  tokenConfirmHours: number;
};

export type Sealing = Pick<Parts, 'signingKey' | 'random'>;

/** What a check uses. */
export type CheckDeps = RoleDeps &
  Sealing &
  CheckTerm &
  Pick<Parts, 'log'> &
  Pick<Stores, 'sessions' | 'tokens' | 'providerChecks'> & {
    unitOfWork: UnitOfWork<Stores>;
    providers: Providers;
  };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a process may take for a check before another one takes it, in milliseconds. */
const CLAIM_MS = 2 * MINUTE_MS;

/** How often a user is looked at whom no provider can be asked about. */
const UNASKED_MS = 6 * HOUR_MS;

/** Checks of one run, and how many of them wait for providers at once. */
const [BATCH, AT_ONCE] = [200, 4];

/** The secret from which the key of a refresh token is derived. It is not in the database, and changes when the signing key is rotated. */
const secretOf = ({ signingKey }: Sealing, identityId: string): string =>
  createMac(signingKey.privateKey, 'refresh token')(identityId);

/** Seals a refresh token for the database. */
export const sealGrant = (deps: Sealing, identityId: string, grant: string | null): string | null =>
  grant === null ? null : sealEntry(secretOf(deps, identityId), grant, deps.random);

/** The refresh token of a check; null when there is none, or the signing key was rotated: the user signs in again within the usual time. */
function grantOf(deps: Sealing, { identityId, sealed }: DueCheck): string | null {
  try {
    return sealed === null ? null : openEntry(secretOf(deps, identityId), sealed);
  } catch {
    return null;
  }
}

/** A time later than now, by an interval that differs by a tenth: users who signed in together are not checked together. */
export const nextCheck = ({ clock, random }: Pick<Parts, 'clock' | 'random'>, ms: number): string => {
  const share = (random(1)[0] ?? 0) / 255;
  return new Date(clock().getTime() + Math.round(ms * (0.9 + 0.2 * share))).toISOString();
};

/** Who changes a user, when, and for which provider. */
type Applied = { actor: Actor; at: string; provider: string };

/** No request: the store asks by itself. */
const NOWHERE = { address: null, requestId: null };

/** Ends what a user can do until they sign in with the provider again: sessions at once, tokens while the provider does not confirm them. */
async function lapse(
  deps: CheckDeps,
  stores: Stores,
  { personId }: DueCheck,
  how: 'refused' | 'stale',
  { actor, at, provider }: Applied,
): Promise<void> {
  if (!(await stores.providerChecks.setUnconfirmed(personId, how))) return;
  const sessionsEnded = how === 'refused' ? await stores.sessions.endAll(personId) : 0;
  const detail = { person: personId, provider, confirmed: how, sessionsEnded };
  await stores.audit.add(actor, at, { action: 'person.change', detail });
  deps.log.info({ person: personId, provider, how }, 'A provider no longer confirms a user.');
}

/** Takes over what the provider said of a user. */
async function apply(
  deps: CheckDeps,
  stores: Stores,
  due: DueCheck,
  confirmed: Confirmed | null,
  { rules, ...by }: Applied & { rules: GroupRules | null },
): Promise<void> {
  const person = await stores.people.find(due.personId);
  if (!rules || !person || person.suspended) return;
  const groups = confirmed?.groups;
  if (groups) await applyGroups(deps, stores, person, groups, { ...by, rules });
  if (confirmed === null || (groups && !isAllowed(rules, groups)))
    await lapse(deps, stores, due, 'refused', by);
}

/** Records a check for which no provider is asked: of a user without access, or without a refresh token. */
const letAge = (deps: CheckDeps, due: DueCheck, claimed: string, by: Applied, hasAccess: boolean) =>
  deps.unitOfWork(async (stores) => {
    const pause = hasAccess ? UNASKED_MS : deps.groupCheckMinutes * MINUTE_MS;
    if (!(await stores.providerChecks.finish(due, nextCheck(deps, pause), claimed))) return;
    const limit = Date.parse(due.confirmedAt) + deps.tokenConfirmHours * HOUR_MS;
    if (Date.parse(by.at) >= limit) await lapse(deps, stores, due, 'stale', by);
  });

/** Asks about one user, and records what was said. */
async function checkOne(deps: CheckDeps, due: DueCheck, provider: Provider): Promise<void> {
  const { sessions, tokens, providerChecks, unitOfWork } = deps;
  const claimed = new Date(deps.clock().getTime() + CLAIM_MS).toISOString();
  if (!(await providerChecks.claim(due, claimed))) return;
  const at = deps.clock().toISOString();
  const by = { actor: { name: `provider:${provider.id}`, from: NOWHERE }, at, provider: provider.id };
  const grant = grantOf(deps, due);
  const hasAccess =
    (await sessions.of(due.personId, at)).length > 0 ||
    (await tokens.liveMadeBy(due.personId, at)).length > 0;
  if (grant === null || !hasAccess) return letAge(deps, due, claimed, by, hasAccess);
  const nextAt = nextCheck(deps, deps.groupCheckMinutes * MINUTE_MS);
  try {
    const confirmed = await provider.confirm(grant, due.subject);
    const change = confirmed
      ? { sealed: sealGrant(deps, due.identityId, confirmed.grant), confirmedAt: at }
      : { sealed: null };
    await unitOfWork(async (stores) => {
      if (await stores.providerChecks.finish({ ...due, ...change }, nextAt, claimed))
        await apply(deps, stores, due, confirmed, { ...by, rules: provider.rules.groups });
    });
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    // The provider is away, which says nothing of its users: *Health* names it.
    await providerChecks.finish(due, nextAt, claimed);
  }
}

/**
 * Creates the work of asking the providers whose groups decide something about the users who have access: what groups gave is taken when
 * a user left them, and users whom a provider refuses have no access until they sign in there again.
 */
export function createUserChecks(deps: CheckDeps): (signal?: AbortSignal) => Promise<void> {
  const deciding = [...deps.providers.values()].filter(({ rules }) => rules.groups && !rules.scim);
  const byIssuer = new Map(deciding.map((provider) => [provider.issuer, provider]));
  let hasAdopted = false;
  return async (signal) => {
    if (deciding.length === 0) return;
    const now = deps.clock().toISOString();
    if (!hasAdopted) await deps.providerChecks.adopt([...byIssuer.keys()], now);
    hasAdopted = true;
    const waiting = (await deps.providerChecks.due(now, BATCH)).values();
    const work = async () => {
      for (const check of waiting) {
        const provider = byIssuer.get(check.issuer);
        if (signal?.aborted) return;
        if (provider) await checkOne(deps, check, provider);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
}
