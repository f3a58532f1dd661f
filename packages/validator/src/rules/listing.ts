import { CATEGORIES, LIMITS } from '@svc/contracts/vocabulary';
import { repairList } from '../repairs.ts';
import { errorRule, inManifest, type Repair, type Spot, type Where, warningRule } from '../rule.ts';
import { didYouMean, namesOf, repairName, show } from '../text.ts';
import { badItems, isList, repeats } from '../values.ts';

const PLATFORMS = ['darwin', 'win32', 'linux'] as const;
const ARCHITECTURES = ['x64', 'arm64'] as const;

const KNOWN_CATEGORIES: ReadonlySet<string> = new Set(CATEGORIES);
const KNOWN_PLATFORMS: ReadonlySet<unknown> = new Set(PLATFORMS);
const KNOWN_ARCHITECTURES: ReadonlySet<unknown> = new Set(ARCHITECTURES);

const CATEGORY_NAMES = namesOf(CATEGORIES);
/** The valid names are those of Node; these are other common names. */
const PLATFORM_NAMES = namesOf(PLATFORMS, {
  macos: 'darwin',
  mac: 'darwin',
  osx: 'darwin',
  'mac os x': 'darwin',
  windows: 'win32',
  win: 'win32',
  win64: 'win32',
});
const ARCHITECTURE_NAMES = namesOf(ARCHITECTURES, {
  amd64: 'x64',
  x86_64: 'x64',
  aarch64: 'arm64',
});

/** The categories of the app, and the machines that it supports. */
export const listingRules = [
  warningRule('categories.missing', 'categories', {
    message: `"categories" is missing: choose 1 to ${LIMITS.manifest.categories} of ${CATEGORIES.join(', ')}.`,
    why: 'Without a category, users find the app only by search.',
    example: inManifest('/categories', { categories: undefined }, { categories: ['productivity'] }),
    fails: (categories) => categories === undefined || (isList(categories) && categories.length === 0),
  }),
  errorRule('categories.format', 'categories', {
    message: `"categories" must be a list of up to ${LIMITS.manifest.categories} strings.`,
    why: 'Categories help users only if each app is in few of them.',
    example: inManifest(
      '/categories',
      { categories: ['data', 'design', 'media', 'other'] },
      { categories: ['data', 'design', 'media'] },
    ),
    fails: (categories) =>
      (isList(categories) && categories.length > LIMITS.manifest.categories) ||
      badItems(categories, (item) => typeof item === 'string'),
    repair: (value, _context, { step }) =>
      repairRepeats(value) ?? repairList(value, step, (text) => KNOWN_CATEGORIES.has(text)),
  }),
  errorRule('categories.unknown', 'category', {
    message: (value) =>
      `Unknown category ${show(value)}: use one of ${CATEGORIES.join(', ')}.${didYouMean(value, CATEGORY_NAMES)}`,
    why: 'The catalogue has only these categories.',
    example: inManifest('/categories/0', { categories: ['notes'] }, { categories: ['productivity'] }),
    fails: (category) => !KNOWN_CATEGORIES.has(category),
    repair: (value) => repairName(value, CATEGORY_NAMES),
  }),
  errorRule('platforms.format', 'platforms', {
    message:
      '"platforms" must be a list of one or more operating systems without duplicates. Remove it to support all.',
    why: 'With an empty list, no user could install the app.',
    example: inManifest('/platforms', { platforms: [] }, { platforms: ['darwin'] }),
    fails: (platforms) => platforms !== undefined && notASet(platforms),
    repair: (value, _context, where) => repairSet(value, where, KNOWN_PLATFORMS),
  }),
  errorRule('platforms.unknown', 'platform', {
    message: (value) =>
      `Unknown platform ${show(value)}: use one of ${PLATFORMS.join(', ')}.${didYouMean(value, PLATFORM_NAMES)}`,
    why: 'The client compares the entry with the name that Node has for the operating system.',
    example: inManifest('/platforms/0', { platforms: ['macos'] }, { platforms: ['darwin'] }),
    fails: (platform) => !KNOWN_PLATFORMS.has(platform),
    repair: (value) => repairName(value, PLATFORM_NAMES),
  }),
  errorRule('arch.format', 'arch', {
    message:
      '"arch" must be a list of one or more processor architectures without duplicates. Remove it to support all.',
    why: 'With an empty list, no user could install the app.',
    example: inManifest('/arch/1', { arch: ['arm64', 'arm64'] }, { arch: ['arm64', 'x64'] }),
    fails: (arch) => arch !== undefined && notASet(arch),
    repair: (value, _context, where) => repairSet(value, where, KNOWN_ARCHITECTURES),
  }),
  errorRule('arch.unknown', 'arch.item', {
    message: (value) =>
      `Unknown architecture ${show(value)}: use one of ${ARCHITECTURES.join(', ')}.${didYouMean(value, ARCHITECTURE_NAMES)}`,
    why: 'The client compares the entry with the name that Node has for the architecture.',
    example: inManifest('/arch/0', { arch: ['x86_64'] }, { arch: ['x64'] }),
    fails: (arch) => !KNOWN_ARCHITECTURES.has(arch),
    repair: (value) => repairName(value, ARCHITECTURE_NAMES),
  }),
] as const;

/** Fails as a whole for anything but a non-empty list, otherwise at each duplicate string. */
function notASet(value: unknown): boolean | Spot[] {
  if (!isList(value) || value.length === 0) return true;
  return repeats(value, (item) => (typeof item === 'string' ? item : undefined));
}

/** Removes a duplicate, or wraps a single value in a list. An empty list is not repaired: it could mean all, or a missing item. */
function repairSet(value: unknown, { step }: Where, known: ReadonlySet<unknown>): Repair | undefined {
  return typeof step === 'number' ? { remove: true } : repairList(value, step, (text) => known.has(text));
}

/** Removes duplicates if that makes the list short enough. Which other categories to remove is the author's decision. */
function repairRepeats(value: unknown): Repair | undefined {
  if (!isList(value) || !value.every((item) => typeof item === 'string')) return undefined;
  const once = [...new Set(value)];
  return once.length <= LIMITS.manifest.categories && once.length < value.length ? { put: once } : undefined;
}
