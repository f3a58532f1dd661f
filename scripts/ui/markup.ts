/** Texts that every part must bear: a long name, one that is read from the right, a word without an end. */
export const LONG_NAME =
  'The Extraordinarily Thorough Notebook of the Harbour Authority and Its Many Friends';
export const RTL_NAME = 'مفكرة الميناء للرحلات البحرية الطويلة';
export const LONG_WORD = 'Donaudampfschifffahrtsgesellschaft'.repeat(6).slice(0, 200);

/** Draws an icon by its name, as the store does (`apps/store/src/http/icon.ts`). */
export type DrawIcon = (name: string) => string;

/**
 * Draws icons of a table.
 * @param icons what stands inside the `svg` of each
 */
export const drawIconOf =
  (icons: Readonly<Record<string, string>>): DrawIcon =>
  (name) => {
    const inner = icons[name];
    if (inner === undefined) throw new Error(`There is no icon ${name}.`);
    return `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${inner}</svg>`;
  };

/** A section of the page: its heading, and what stands below. */
export const section = (id: string, title: string, ...parts: readonly string[]): string =>
  `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${parts.join('\n')}</section>`;

/** One part under its name. */
export const part = (name: string, body: string): string =>
  `<div class="ui-part"><h3>${name}</h3>${body}</div>`;

/** What otherwise stands before the whole window (a dialog, a toast), kept within a box. */
export const stage = (body: string): string => `<div class="ui-stage">${body}</div>`;
