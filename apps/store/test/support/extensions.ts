import { EXTENSION_NAMES, type ExtensionName, routeNames } from '@svc/contracts';
import { needs } from '@svc/testkit';

const without = (process.env.SVC_TEST_WITHOUT ?? '').split(',');

/** Whether the stores of the tests have an extension: all have, unless the tests run without some, by `SVC_TEST_WITHOUT`. */
export const has = (name: ExtensionName): boolean => !without.includes(name);

/** The page about a validation code that the findings of these stores link to. */
export const docsOf = (code: string): string | undefined =>
  has('docs') ? `https://store.test/docs/codes/${code}` : undefined;

/** Options of a test that uses extensions of its store. */
export const needsExtension = (...names: ExtensionName[]) =>
  needs(names.every(has), `needs the ${names.length === 1 ? 'extension' : 'extensions'} ${names.join(', ')}`);

/** The routes of these stores. */
export const ROUTES_OF_STORE = routeNames(EXTENSION_NAMES.filter(has));
