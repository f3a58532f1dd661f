import type { ExtensionName } from '@svc/contracts';

/** The extensions that the store is without, as its page says. */
const without = new Set(globalThis.document?.documentElement.dataset.without?.split(' '));

/** Whether the store has an extension: without it, its endpoints answer 404, and no page may offer them. */
export const hasExtension = (name: ExtensionName): boolean => !without.has(name);

/** The pages that the store has: those of its core, and of the extensions that it has. */
export const ofStore = <Page extends { extension?: ExtensionName }>(pages: readonly Page[]): Page[] =>
  pages.filter(({ extension }) => extension === undefined || hasExtension(extension));
