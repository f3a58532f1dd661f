import { ROUTES, type Route, type RouteName } from './routes.ts';

/** The routes that need no sign-in in a public store. */
type PublicRoute = {
  [N in RouteName]: (typeof ROUTES)[N]['auth'] extends 'none' ? N : never;
}[RouteName];

/** Who may use a public route in a store that only members may read. */
type Readers = 'everyone' | 'members';

/**
 * Every public route, and who may use it in a store that only members may read. Routes for members reveal something about an app: that
 * it exists, its listing, its files, its reviews, that it was yanked. The others are needed to become a member, to sign in, to verify an
 * installed app or to monitor the store, or their responses are the same in every store. A public route without a row does not compile.
 */
export const READERS: Readonly<Record<PublicRoute, Readers>> = {
  catalog: 'members',
  appDetail: 'members',
  deprecations: 'members',
  bundle: 'members',
  attestation: 'members',
  files: 'members',
  readmePicture: 'members',
  feed: 'members',
  appFeed: 'members',
  publisherFeed: 'members',
  sitemap: 'members',
  sitemapPart: 'members',
  events: 'members',
  registryServers: 'members',
  registryVersions: 'members',
  registryVersion: 'members',
  registryServersV0: 'members',
  registryVersionsV0: 'members',
  registryVersionV0: 'members',
  aiCatalog: 'members',
  policyFile: 'members',
  oembed: 'members',
  cataloguePage: 'members',
  categoryPage: 'members',
  appPage: 'members',
  publisherPage: 'members',
  cataloguePreview: 'members',
  appPreview: 'members',
  publisherPreview: 'members',
  reviews: 'members',
  versionStatus: 'members',
  reviewClock: 'members',
  // The list has app ids, versions and the reasons why they were yanked.
  revocations: 'members',
  appHead: 'members',
  toolRecord: 'members',

  // Only with the token of an identity provider.
  scimList: 'everyone',
  scimAdd: 'everyone',
  scimGet: 'everyone',
  scimReplace: 'everyone',
  scimPatch: 'everyone',
  scimRemove: 'everyone',

  // The same in every store.
  robots: 'everyone',
  securityTxt: 'everyone',
  llms: 'everyone',
  openApiYaml: 'everyone',
  connectorPackage: 'everyone',
  connectorTarball: 'everyone',
  // Keys reveal nothing about an app, and a client pins one before it has a token.
  publicKey: 'everyone',
  publicKeys: 'everyone',
  // A client without a session gets its token here.
  startDevice: 'everyone',
  pollDevice: 'everyone',
  exchangeIdToken: 'everyone',
  // Browsers and third-party authorization servers use these to connect accounts of apps. A result needs the secret `state`.
  relayCallback: 'everyone',
  relayDigits: 'everyone',
  relayClient: 'everyone',
  relayResult: 'everyone',
  // Signing up and signing in.
  signInPage: 'everyone',
  unsubscribePage: 'everyone',
  unsubscribe: 'everyone',
  signIn: 'everyone',
  passkeySignInOptions: 'everyone',
  passkeySignIn: 'everyone',
  beginProviderSignIn: 'everyone',
  endProviderSignIn: 'everyone',
  providerLogout: 'everyone',
  signUpPage: 'everyone',
  signUp: 'everyone',
  signOut: 'everyone',
  resetPage: 'everyone',
  reset: 'everyone',
  forgottenPage: 'everyone',
  forgotten: 'everyone',
  setupPage: 'everyone',
  setup: 'everyone',
  // Load balancers and monitoring.
  health: 'everyone',
  ready: 'everyone',
  // Facts that a client needs before it has a token.
  storeFacts: 'everyone',
  // The same in every store of this version.
  openApi: 'everyone',
  docs: 'everyone',
  policy: 'everyone',
  policyPage: 'everyone',
  transparency: 'everyone',
  transparencyPage: 'everyone',
  manifestSchema: 'everyone',
  docsIndex: 'everyone',
  docsPage: 'everyone',
  codes: 'everyone',
  code: 'everyone',
  cliPage: 'everyone',
  cliTarball: 'everyone',
  checkPage: 'everyone',
  webAsset: 'everyone',
};

const FOR_MEMBERS: ReadonlySet<Route> = new Set(
  Object.entries(READERS).flatMap(([name, readers]) =>
    readers === 'members' ? [ROUTES[name as PublicRoute]] : [],
  ),
);

/** Whether a route of `ROUTES` requires membership in a store that only members may read. */
export const isForMembers = (route: Route): boolean => FOR_MEMBERS.has(route);
