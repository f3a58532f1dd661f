import { nearest, RULES } from '@svc/validator';
import type { Handlers, RouteHandler } from '../../core/access/bind-route.ts';
import type { HandlersOf } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { DocsPage } from '../../core/web/docs-page.ts';
import { FIXED_SECONDS, type Fixed, fixedPage } from '../../core/web/fixed.ts';
import { etagOf } from '../../http/encoded-page.ts';
import { publicFor } from '../../http/send.ts';
import { ApiError } from '../../platform/api-error.ts';
import { type ApiView, createApiPage } from './api-page.ts';
import { codePage, codesPage } from './codes-page.ts';
import { docPage, indexPage, resultsPage } from './site/doc-pages.ts';
import { MOVED } from './site/moved.ts';
import type { Docs } from './site/read-docs.ts';

/** The pages of the codes, each made once: to make one runs the checks over its example, which takes time. */
function codeRoute(): RouteHandler<'code'> {
  const pages = new Map<string, Fixed>(RULES.map(({ code }) => [code, fixedPage(() => codePage(code))]));
  return ({ params: { code } }, c) => {
    const page = pages.get(code);
    if (!page)
      throw new ApiError('not_found', 'There is no such validation code. See /docs/codes for all codes.');
    return page(c);
  };
}

/** The list of the codes, made once, and those of a search or of a level, made each time. */
function codesRoute(): RouteHandler<'codes'> {
  const all = fixedPage(() => codesPage({ q: '', level: '' }));
  return ({ query: { q = '', level = '' } }, c) => {
    const isAll = q.trim() === '' && level === '';
    return isAll ? all(c) : fixedPage(() => codesPage({ q: q.trim(), level }))(c);
  };
}

/** The API reference. Each part is made at its first request, results of a search each time. */
function apiRoute({ baseUrl, routeNames }: Pick<DocsDeps, 'baseUrl' | 'routeNames'>): RouteHandler<'docs'> {
  let render: ReturnType<typeof createApiPage> | undefined;
  const pages = new Map<string, Fixed>();
  const pageFor = (view: ApiView): Fixed => {
    render ??= createApiPage(baseUrl, routeNames);
    const page = render(view);
    if (!page) throw new ApiError('not_found', 'The API has no such part. See /api/docs.');
    return fixedPage(() => page);
  };
  return ({ query: { q = '', tag = '' } }, c) => {
    const query = q.trim();
    if (query !== '') return pageFor({ q: query, tag: '' })(c);
    const page = pages.get(tag) ?? pageFor({ q: '', tag });
    pages.set(tag, page);
    return page(c);
  };
}

const NO_DOCS = 'This store has no documentation installed.';

/** The address that stands for a store in the documents. */
const EXAMPLE_STORE = 'https://store.example.com';

/** A page whose examples have the address of this store, to copy. @param baseUrl an origin: it needs no escaping */
const withAddress = ({ text, ...page }: DocsPage, baseUrl: string): DocsPage => ({
  ...page,
  text: (brand) => text(brand).replaceAll(EXAMPLE_STORE, baseUrl),
});

/** The pages of all documents, each made at its first request. */
function siteOf(docs: Docs, baseUrl: string) {
  const { index } = docs;
  return {
    docs,
    front: index && fixedPage(() => indexPage(docs, index)),
    pages: new Map(
      Array.from(docs.pages, ([name, doc]): [string, Fixed] => [
        name,
        fixedPage(() => withAddress(docPage(docs, doc), baseUrl)),
      ]),
    ),
  };
}

/** Leads from the old address of a document to the one that has its text now. */
const redirected =
  (target: string): Fixed =>
  (c) =>
    c.body(null, 307, {
      Location: target,
      'Cache-Control': publicFor(FIXED_SECONDS),
      ETag: etagOf(Buffer.from(target)),
    });

/** The documents, opened at the first request for one of them. Results of a search are made each time. */
function siteRoutes({ openDocs, baseUrl }: Pick<DocsDeps, 'openDocs' | 'baseUrl'>) {
  let site: ReturnType<typeof siteOf> | undefined;
  const opened = async () => {
    site ??= siteOf(await openDocs(), baseUrl);
    return site;
  };
  return {
    docsIndex: async ({ query: { q = '' } }, c) => {
      const { front, docs } = await opened();
      if (!front) throw new ApiError('not_found', NO_DOCS);
      return q.trim() === '' ? front(c) : fixedPage(() => withAddress(resultsPage(docs, q), baseUrl))(c);
    },
    docsPage: async ({ params: { name } }, c) => {
      const { front, pages } = await opened();
      const page = pages.get(name);
      if (page) return page(c);
      if (!front) throw new ApiError('not_found', NO_DOCS);
      const moved = Object.hasOwn(MOVED, name) ? MOVED[name] : undefined;
      if (moved !== undefined) return redirected(`/docs/${moved}`)(c);
      const suggestion = nearest(name, pages.keys());
      const hint = suggestion === undefined ? '' : ` Did you mean /docs/${suggestion}?`;
      throw new ApiError('not_found', `There is no such page.${hint} See /docs for all pages.`);
    },
  } satisfies Handlers;
}

export type DocsDeps = Pick<Parts, 'baseUrl' | 'routeNames'> & {
  /** Reads and renders the documents. Slow, so it is not done at the start. */ openDocs(): Promise<Docs>;
};

/** The documentation: the documents, the API and the codes. */
export const docsRoutes = (deps: DocsDeps): HandlersOf<'docs'> => ({
  docs: apiRoute(deps),
  ...siteRoutes(deps),
  codes: codesRoute(),
  code: codeRoute(),
});
