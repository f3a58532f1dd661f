import { framed, type Page, pageHeaders } from '../../http/page.ts';
import type { Brand } from '../../platform/brand.ts';

/** Puts the frame of the documentation around a page. Its header searches the apps, unless it says otherwise. */
export const docsPage = (page: Page) => ({
  text: (brand: Brand) => framed({ ...page, formTargets: [] }, 'docs', brand),
  headers: pageHeaders({ formTargets: [] }),
});

/** A page of documentation in the frame of a store, and its security headers. */
export type DocsPage = ReturnType<typeof docsPage>;
