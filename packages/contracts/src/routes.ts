import { administrationRoutes, emergencyRoutes, featuredRoutes } from './routes/administration.ts';
import { caseRoutes } from './routes/cases.ts';
import { catalogRoutes, installsRoutes, keysRoutes } from './routes/catalog.ts';
import { logRoutes } from './routes/log.ts';
import { managedRoutes } from './routes/managed.ts';
import { moderationRoutes } from './routes/moderation.ts';
import { ownAppsRoutes } from './routes/own-apps.ts';
import { peopleRoutes, scimRoutes } from './routes/people.ts';
import { appealRoutes, policyRoutes, reportRoutes, transparencyRoutes } from './routes/policy.ts';
import { publishersRoutes, webhookRoutes } from './routes/publishers.ts';
import { publishingRoutes } from './routes/publishing.ts';
import { ratingsRoutes } from './routes/ratings.ts';
import { registryRoutes } from './routes/registry.ts';
import { relayRoutes } from './routes/relay.ts';
import { serviceRoutes } from './routes/service.ts';
import { siemRoutes } from './routes/siem.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { storefrontRoutes } from './routes/storefront.ts';
import { deviceRoutes, tokenRoutes } from './routes/tokens.ts';
import { upstreamRoutes } from './routes/upstreams.ts';

export { EFFECTS, type Effect, needsProof } from './routes/effects.ts';
export type { Route, RouteAuth } from './routes/route.ts';

/** Every endpoint of the store: its input, its responses, and who may call it. The API page lists them in this order. */
export const ROUTES = {
  ...catalogRoutes,
  ...storefrontRoutes,
  ...registryRoutes,
  ...ratingsRoutes,
  ...keysRoutes,
  ...logRoutes,
  ...managedRoutes,
  ...publishingRoutes,
  ...tokenRoutes,
  ...deviceRoutes,
  ...publishersRoutes,
  ...installsRoutes,
  ...ownAppsRoutes,
  ...webhookRoutes,
  ...moderationRoutes,
  ...caseRoutes,
  ...emergencyRoutes,
  ...reportRoutes,
  ...policyRoutes,
  ...transparencyRoutes,
  ...appealRoutes,
  ...administrationRoutes,
  ...siemRoutes,
  ...upstreamRoutes,
  ...relayRoutes,
  ...signInRoutes,
  ...scimRoutes,
  ...peopleRoutes,
  ...serviceRoutes,
} as const;

/** Name of a route in the table. */
export type RouteName = keyof typeof ROUTES;

/** The routes of each extension of the store: without the extension, the store has none of them. */
const EXTENSION_ROUTES = {
  reports: reportRoutes,
  appeals: appealRoutes,
  transparency: transparencyRoutes,
  ci: {
    trustedPublishers: tokenRoutes.trustedPublishers,
    addTrustedPublisher: tokenRoutes.addTrustedPublisher,
    removeTrustedPublisher: tokenRoutes.removeTrustedPublisher,
    exchangeIdToken: tokenRoutes.exchangeIdToken,
  },
  scim: scimRoutes,
  feeds: {
    appFeed: storefrontRoutes.appFeed,
    publisherFeed: storefrontRoutes.publisherFeed,
    feed: storefrontRoutes.feed,
    oembed: storefrontRoutes.oembed,
  },
  servers: {
    recordTools: publishingRoutes.recordTools,
    toolRecord: publishingRoutes.toolRecord,
    depositReviewerAccount: ownAppsRoutes.depositReviewerAccount,
    removeReviewerAccount: ownAppsRoutes.removeReviewerAccount,
    serverDrifts: moderationRoutes.serverDrifts,
    acceptDrift: moderationRoutes.acceptDrift,
  },
  ratings: ratingsRoutes,
  webhooks: webhookRoutes,
  registry: registryRoutes,
  emergencies: emergencyRoutes,
  featured: featuredRoutes,
  log: logRoutes,
  managed: managedRoutes,
  siem: siemRoutes,
  upstreams: upstreamRoutes,
  docs: {
    docsIndex: serviceRoutes.docsIndex,
    docsPage: serviceRoutes.docsPage,
    codes: serviceRoutes.codes,
    code: serviceRoutes.code,
    docs: serviceRoutes.docs,
  },
  storefront: {
    robots: storefrontRoutes.robots,
    sitemap: storefrontRoutes.sitemap,
    sitemapPart: storefrontRoutes.sitemapPart,
    llms: storefrontRoutes.llms,
    cataloguePage: storefrontRoutes.cataloguePage,
    categoryPage: storefrontRoutes.categoryPage,
    appPage: storefrontRoutes.appPage,
    publisherPage: storefrontRoutes.publisherPage,
    cataloguePreview: storefrontRoutes.cataloguePreview,
    appPreview: storefrontRoutes.appPreview,
    publisherPreview: storefrontRoutes.publisherPreview,
  },
  brand: {
    brandPage: signInRoutes.brandPage,
    chooseBrand: signInRoutes.chooseBrand,
    putBrand: administrationRoutes.putBrand,
  },
  /** It has no routes. */
  groups: {},
  cases: caseRoutes,
  recovery: { recoveredActs: peopleRoutes.recoveredActs, undoRecovered: peopleRoutes.undoRecovered },
  cli: {
    cliPage: serviceRoutes.cliPage,
    cliTarball: serviceRoutes.cliTarball,
    download: serviceRoutes.download,
  },
} as const;

/** Name of an extension of the store. */
export type ExtensionName = keyof typeof EXTENSION_ROUTES;

export const EXTENSION_NAMES = Object.keys(EXTENSION_ROUTES) as readonly ExtensionName[];

type NamesIn<Table> = Table extends unknown ? keyof Table & RouteName : never;

/** Names of the routes of an extension. */
export type RoutesOf<Name extends ExtensionName> = NamesIn<(typeof EXTENSION_ROUTES)[Name]>;

/** Names of the routes that every store has. */
export type CoreRouteName = Exclude<RouteName, RoutesOf<ExtensionName>>;

/** Names of the routes of a store that has some extensions only. */
export function routeNames(extensions: Iterable<ExtensionName> = EXTENSION_NAMES): ReadonlySet<RouteName> {
  const names = new Set(Object.keys(ROUTES) as RouteName[]);
  const kept = new Set(extensions);
  for (const extension of EXTENSION_NAMES)
    if (!kept.has(extension))
      for (const name of Object.keys(EXTENSION_ROUTES[extension]) as RouteName[]) names.delete(name);
  return names;
}
