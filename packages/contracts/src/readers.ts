import { ROUTES, type Route, type RouteName } from './routes.ts';

/** The routes that need no sign-in in a store that everybody may read. */
type PublicRoute = {
  [N in RouteName]: (typeof ROUTES)[N]['auth'] extends 'none' ? N : never;
}[RouteName];

/** Who may use a public route in a store that only its members may read. */
type Readers = 'everybody' | 'members';

/**
 * Every public route, and who may use it where members alone may read. Those for members tell something of an app: that it is there,
 * what it is, its bytes, what people say of it, that it was withdrawn. The others are needed to become a member, to sign in, to verify what one
 * has, or to watch the store, or they are the same in every store. A public route without a row does not compile.
 */
export const READERS: Readonly<Record<PublicRoute, Readers>> = {
  catalog: 'members',
  appDetail: 'members',
  bundle: 'members',
  files: 'members',
  cataloguePage: 'members',
  categoryPage: 'members',
  appPage: 'members',
  publisherPage: 'members',
  cataloguePreview: 'members',
  appPreview: 'members',
  publisherPreview: 'members',
  reviews: 'members',
  versionStatus: 'members',
  // It names apps, versions and the reasons of withdrawals.
  revocations: 'members',

  // Keys tell nothing of an app, and a client pins one before it has a token.
  publicKey: 'everybody',
  publicKeys: 'everybody',
  // A client without a session gets its token here.
  startDevice: 'everybody',
  pollDevice: 'everybody',
  // Browsers and authorization servers of others come here, for accounts of apps; each answer is for who has its secret.
  relayCallback: 'everybody',
  relayClient: 'everybody',
  relayResult: 'everybody',
  // How one becomes a member, and signs in.
  signInPage: 'everybody',
  signIn: 'everybody',
  passkeySignInOptions: 'everybody',
  passkeySignIn: 'everybody',
  beginProviderSignIn: 'everybody',
  endProviderSignIn: 'everybody',
  signUpPage: 'everybody',
  signUp: 'everybody',
  signOut: 'everybody',
  resetPage: 'everybody',
  reset: 'everybody',
  forgottenPage: 'everybody',
  forgotten: 'everybody',
  confirmPage: 'everybody',
  confirm: 'everybody',
  setupPage: 'everybody',
  setup: 'everybody',
  // Balancers and monitors.
  health: 'everybody',
  ready: 'everybody',
  // Facts that a client needs before it has a token.
  storeFacts: 'everybody',
  // The same in every store of this version.
  openApi: 'everybody',
  docs: 'everybody',
  manifestSchema: 'everybody',
  docsIndex: 'everybody',
  docsPage: 'everybody',
  codes: 'everybody',
  code: 'everybody',
  cliPage: 'everybody',
  cliTarball: 'everybody',
  checkPage: 'everybody',
  webAsset: 'everybody',
};

const FOR_MEMBERS: ReadonlySet<Route> = new Set(
  Object.entries(READERS).flatMap(([name, readers]) =>
    readers === 'members' ? [ROUTES[name as PublicRoute]] : [],
  ),
);

/** Whether a route of `ROUTES` asks for membership where members alone may read. */
export const isForMembers = (route: Route): boolean => FOR_MEMBERS.has(route);
