/** Extreme texts that every component must handle: a long name, a right-to-left name, an unbreakable word. */
export const LONG_NAME =
  'The Extraordinarily Thorough Notebook of the Harbour Authority and Its Many Friends';
export const RTL_NAME = 'مفكرة الميناء للرحلات البحرية الطويلة';
export const LONG_WORD = 'Donaudampfschifffahrtsgesellschaft'.repeat(6).slice(0, 200);

/** Renders an icon by name, as the store does (`apps/store/src/http/html.ts`). */
export type DrawIcon = (name: string) => string;

/**
 * Creates a renderer of icons.
 * @param icons contents of the `svg` of each icon
 */
export const drawIconOf =
  (icons: Readonly<Record<string, string>>): DrawIcon =>
  (name) => {
    const inner = icons[name];
    if (inner === undefined) throw new Error(`Unknown icon: ${name}.`);
    return `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${inner}</svg>`;
  };

/** A section of the page: heading and content. */
export const section = (id: string, title: string, ...parts: readonly string[]): string =>
  `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${parts.join('\n')}</section>`;

/** A component with its name. */
export const part = (name: string, body: string): string =>
  `<div class="ui-part"><h3>${name}</h3>${body}</div>`;

/** Shows an overlay (a dialog, a toast) within a box. */
export const stage = (body: string): string => `<div class="ui-stage">${body}</div>`;
