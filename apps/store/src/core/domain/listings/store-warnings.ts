import { BUILT_IN_APPS, type Issue, LIMITS, type LookAlike, type Manifest } from '@svc/contracts';
import { quoteText } from '@svc/text';
import { areAlike, beginsWith, brandLike, brandOfId } from '@svc/validator';
import type { PublisherStore } from '../identity/publisher-store.ts';
import type { AppStore } from '../versions/app-store.ts';
import type { VersionStore } from '../versions/version-store.ts';
import type { ListingStore } from './listing-store.ts';

/** The stores that the check of required apps uses. */
export type RequirementStores = {
  apps: Pick<AppStore, 'find'>;
  versions: Pick<VersionStore, 'latestPublished'>;
};

/** Code of the warning. A version with it is always reviewed. */
export const MISSING_REQUIREMENT = 'requires.id';

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_APPS);

async function isPublished({ apps, versions }: RequirementStores, appId: string): Promise<boolean> {
  const app = await apps.find(appId);
  return app !== null && !app.suspended && (await versions.latestPublished(appId)) !== null;
}

/** A warning for each required app that is neither built in nor published in this store. */
export async function missingRequirements(
  stores: RequirementStores,
  { requires }: Manifest,
): Promise<Issue[]> {
  const issues: Issue[] = [];
  for (const [index, { id }] of (requires?.apps ?? []).entries()) {
    if (BUILT_IN.has(id) || (await isPublished(stores, id))) continue;
    issues.push({
      code: MISSING_REQUIREMENT,
      level: 'warning',
      path: `/requires/apps/${index}/id`,
      message: `The required app ${id} is not published in this store. This version cannot be approved until it is.`,
    });
  }
  return issues;
}

const CODES = { name: 'lookalike.name', icon: 'lookalike.icon', id: 'lookalike.id' } as const;

/** The fields of a manifest that the codes of look-alikes are about. */
export const LOOK_PATHS: ReadonlyMap<string, string> = new Map([
  [CODES.name, '/name'],
  [CODES.icon, '/branding/icon'],
  [CODES.id, '/id'],
]);

/** Bits in which icons that look alike may differ, of 128. */
const MAX_BITS = 7;

/** The stores that look-alikes are found with. */
export type LookStores = {
  listings: Pick<ListingStore, 'withLooks'>;
  publishers: Pick<PublisherStore, 'find'>;
};

/** What people recognise an app by. */
export type Face = Pick<Manifest, 'id' | 'name' | 'publisher'> & { iconLook: string | null };

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

function bitsApart(a: string, b: string): number {
  let different = BigInt(`0x${a}`) ^ BigInt(`0x${b}`);
  let count = 0;
  for (; different > 0n; different &= different - 1n) count += 1;
  return count;
}

const haveAlikeIcons = (a: string | null, b: string | null): boolean =>
  a !== null && b !== null && bitsApart(a, b) <= MAX_BITS;

/** Whether two ids end alike: beside a stopped app in their last part, else in all but their first one, of at least two parts. */
function endAlike(id: string, other: string, isStopped: boolean): boolean {
  const [parts, others] = [id, other].map((each) => each.toLowerCase().split('.').slice(1)) as [
    string[],
    string[],
  ];
  if (isStopped) return parts.at(-1) === others.at(-1);
  return parts.length > 1 && parts.join('.') === others.join('.');
}

/**
 * The apps of other publishers that an app looks like, by its name, what its name begins with, its icon, or its id under another prefix; also
 * those that are suspended or yanked.
 */
export async function lookAlikesOf(
  { listings }: Pick<LookStores, 'listings'>,
  face: Face,
): Promise<LookAlike[]> {
  const others = await listings.withLooks(face);
  return others.flatMap(({ iconLook, isStopped: stopped, ...other }) => {
    if (other.appId === face.id) return [];
    const by = [
      ...(areAlike(face.name, other.name) || beginsWith(face.name, other.name) ? (['name'] as const) : []),
      ...(haveAlikeIcons(face.iconLook, iconLook) ? (['icon'] as const) : []),
      ...(endAlike(face.id, other.appId, stopped) ? (['id'] as const) : []),
    ];
    return by.length > 0 ? [{ ...other, by, stopped }] : [];
  });
}

/**
 * The findings about an app beside those of the checks: a warning about a brand does not apply to a publisher that has verified the website
 * of the brand; names and icons are compared with those of the listed apps of other publishers.
 * @param issues the findings of the checks
 */
export async function withLookAlikes(
  stores: LookStores,
  face: Face,
  issues: readonly Issue[],
): Promise<Issue[]> {
  const host = (await stores.publishers.find(face.publisher))?.verifiedHost ?? '';
  const owns = (domain: string | undefined) => domain !== undefined && isWithin(host, domain);
  const owned = new Set<string>([
    ...(owns(brandLike(face.name)?.host) ? [CODES.name] : []),
    ...(owns(brandOfId(face.id)?.host) ? [CODES.id] : []),
  ]);
  const kept = issues.filter(({ code }) => !owned.has(code));
  const alike = await lookAlikesOf(stores, face);
  const found = (['name', 'icon', 'id'] as const).flatMap((by): Issue[] => {
    const others = alike.filter((candidate) => candidate.by.includes(by));
    const other = others.find(({ stopped }) => stopped) ?? others[0];
    if (!other || kept.some(({ code }) => code === CODES[by])) return [];
    const subjects = {
      name: `The name ${quoteText(face.name, LIMITS.manifest.name)}`,
      icon: 'The icon',
      id: 'The id',
    };
    const object = `${quoteText(other.name, LIMITS.manifest.name)} (${other.appId}) of ${other.publisher}`;
    const stopped = other.stopped ? ', which the store stopped' : '';
    const message = `${subjects[by]} looks like that of ${object}${stopped}: a moderator compares them.`;
    return [{ code: CODES[by], level: 'warning', path: LOOK_PATHS.get(CODES[by]) ?? '', message }];
  });
  return [...kept, ...found];
}
