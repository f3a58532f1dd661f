import { CATEGORIES, LIMITS } from '@svc/contracts';
import { defineRule, type Spot } from '../rule.ts';
import { show } from '../text.ts';
import { badItems, isList, repeats } from '../values.ts';

const PLATFORMS = ['darwin', 'win32', 'linux'] as const;
const ARCHITECTURES = ['x64', 'arm64'] as const;

const KNOWN_CATEGORIES: ReadonlySet<string> = new Set(CATEGORIES);
const KNOWN_PLATFORMS: ReadonlySet<unknown> = new Set(PLATFORMS);
const KNOWN_ARCHITECTURES: ReadonlySet<unknown> = new Set(ARCHITECTURES);

/** Where the app stands in the catalogue, and on which machines it is offered. */
export const listingRules = [
  defineRule({
    code: 'categories.missing',
    level: 'warning',
    target: 'categories',
    message: `Name 1 to ${LIMITS.manifest.categories} categories: ${CATEGORIES.join(', ')}.`,
    why: 'Without a category the app is found by search alone.',
    example: {
      path: '/categories',
      broken: { manifest: { categories: undefined } },
      fixed: { manifest: { categories: ['productivity'] } },
    },
    fails: (categories) => categories === undefined || (isList(categories) && categories.length === 0),
  }),
  defineRule({
    code: 'categories.format',
    level: 'error',
    target: 'categories',
    message: `"categories" must be a list of up to ${LIMITS.manifest.categories} strings.`,
    why: 'An app that is listed everywhere helps nobody to find it.',
    example: {
      path: '/categories',
      broken: { manifest: { categories: ['data', 'design', 'media', 'other'] } },
      fixed: { manifest: { categories: ['data', 'design', 'media'] } },
    },
    fails: (categories) =>
      (isList(categories) && categories.length > LIMITS.manifest.categories) ||
      badItems(categories, (item) => typeof item === 'string'),
  }),
  defineRule({
    code: 'categories.unknown',
    level: 'error',
    target: 'category',
    message: (value) => `There is no category ${show(value)}: use one of ${CATEGORIES.join(', ')}.`,
    why: 'The catalogue has these shelves and no others.',
    example: {
      path: '/categories/0',
      broken: { manifest: { categories: ['notes'] } },
      fixed: { manifest: { categories: ['productivity'] } },
    },
    fails: (category) => !KNOWN_CATEGORIES.has(category),
  }),
  defineRule({
    code: 'platforms.format',
    level: 'error',
    target: 'platforms',
    message: '"platforms" must be a list of at least one system, each named once; leave it out for all.',
    why: 'An empty list would offer the app to nobody.',
    example: {
      path: '/platforms',
      broken: { manifest: { platforms: [] } },
      fixed: { manifest: { platforms: ['darwin'] } },
    },
    fails: (platforms) => platforms !== undefined && notASet(platforms),
  }),
  defineRule({
    code: 'platforms.unknown',
    level: 'error',
    target: 'platform',
    message: (value) => `There is no platform ${show(value)}: use one of ${PLATFORMS.join(', ')}.`,
    why: 'The client compares the entry with the name its own system goes by.',
    example: {
      path: '/platforms/0',
      broken: { manifest: { platforms: ['macos'] } },
      fixed: { manifest: { platforms: ['darwin'] } },
    },
    fails: (platform) => !KNOWN_PLATFORMS.has(platform),
  }),
  defineRule({
    code: 'arch.format',
    level: 'error',
    target: 'arch',
    message:
      '"arch" must be a list of at least one processor architecture, each named once; leave it out for all.',
    why: 'An empty list would offer the app to nobody.',
    example: {
      path: '/arch/1',
      broken: { manifest: { arch: ['arm64', 'arm64'] } },
      fixed: { manifest: { arch: ['arm64', 'x64'] } },
    },
    fails: (arch) => arch !== undefined && notASet(arch),
  }),
  defineRule({
    code: 'arch.unknown',
    level: 'error',
    target: 'arch.item',
    message: (value) => `There is no architecture ${show(value)}: use one of ${ARCHITECTURES.join(', ')}.`,
    why: 'The client compares the entry with the name its own processor goes by.',
    example: {
      path: '/arch/0',
      broken: { manifest: { arch: ['x86_64'] } },
      fixed: { manifest: { arch: ['x64'] } },
    },
    fails: (arch) => !KNOWN_ARCHITECTURES.has(arch),
  }),
] as const;

/** Broken as a whole when no list or empty, else at each string that stands there a second time. */
function notASet(value: unknown): boolean | Spot[] {
  if (!isList(value) || value.length === 0) return true;
  return repeats(value, (item) => (typeof item === 'string' ? item : undefined));
}
