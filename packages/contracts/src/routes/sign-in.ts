import { z } from 'zod';
import { named } from '../named.ts';
import { AccessForm } from '../records/access.ts';
import * as people from '../records/people.ts';
import { route } from './route.ts';

const Next = z.string().max(2_000).optional().describe('Path of this store to open after sign-in.');
const Key = z.string().max(1_000).describe('Secret of the link.');
const First = z.literal('').optional();
const Provider = z.object({ provider: z.string().max(100).describe('Id of the sign-in provider.') });

const onward = { status: 303, leadsTo: 'the page in `next`, or the account page' } as const;

const tries = {
  'RateLimit-Policy': 'The limit on attempts for an email address or a network, and its window in seconds.',
  RateLimit: 'How many remain in the window, and when it resets.',
};

/** What the routes that create an account have in common. */
const signsUp = {
  headers: tries,
  errors: ['not_found', 'forbidden', 'already_exists', 'rate_limited'],
} as const;

/** What the pages that a link with a secret opens have in common. */
const byLink = {
  page: true,
  secretAddress: true,
  query: z.object({ key: Key }),
  errors: ['not_found'],
} as const;

/** Sign-in, sign-up and their pages. */
export const signInRoutes = {
  signInPage: route.people('everyone GET /sign-in', {
    summary: 'Sign-in page with all methods of this store.',
    page: true,
    query: z.object({
      next: Next,
      again: z
        .literal('')
        .optional()
        .describe('Shows the form to a signed-in user too, to prove their identity again.'),
    }),
  }),
  signIn: route.people('everyone POST /sign-in', {
    summary: 'Sign in with a password.',
    page: true,
    form: z.strictObject({ email: z.string().max(1_000), password: people.Password, next: Next }),
    success: onward,
    headers: tries,
    errors: ['rate_limited'],
  }),
  passkeySignInOptions: route.people('everyone POST /api/sign-in/passkey/options', {
    summary: 'Get the options to sign in with a passkey.',
    guarded: true,
    success: { status: 200, body: people.PasskeyOptions },
  }),
  passkeySignIn: route.people('everyone POST /api/sign-in/passkey', {
    summary: 'Sign in with a passkey.',
    guarded: true,
    body: people.PasskeySignIn,
    success: { status: 200, body: people.LeadsTo },
  }),
  beginProviderSignIn: route.people('everyone GET /sign-in/:provider', {
    summary: 'Begin to sign in with a provider.',
    page: true,
    params: Provider,
    query: z.object({ next: Next }),
    success: { status: 303, leadsTo: 'the provider' },
  }),
  endProviderSignIn: route.people('everyone GET /sign-in/:provider/callback', {
    summary: 'OAuth redirect URI of a sign-in provider.',
    page: true,
    params: Provider,
    success: onward,
    errors: ['not_found', 'forbidden', 'already_exists'],
  }),
  providerLogout: route.people('everyone POST /sign-in/:provider/logout', {
    summary:
      'End the sessions of a user who signed out at a provider (OpenID Connect Back-Channel Logout 1.0).',
    signed: true,
    params: Provider,
    form: z.object({ logout_token: z.string().max(16_384).describe('The logout token, a signed JWT.') }),
    success: { status: 200, body: named.object('ProviderLogout', {}) },
  }),
  signUpPage: route.people('everyone GET /sign-up', {
    summary: 'Page to create an account, in a store without sign-in providers.',
    page: true,
    query: z.object({ next: Next }),
    errors: ['not_found', 'forbidden'],
  }),
  signUp: route.people('everyone POST /sign-up', {
    summary: 'Create an account with a password, in a store without sign-in providers.',
    page: true,
    form: z.strictObject({
      name: people.PersonName,
      email: people.Email,
      password: people.Password.optional(),
      kept: people.KeptPassword.optional(),
      next: Next,
    }),
    success: onward,
    ...signsUp,
  }),
  passkeySignUpOptions: route.people('everyone POST /api/sign-up/passkey/options', {
    summary: 'Get the options to create an account with a passkey, in a store without sign-in providers.',
    guarded: true,
    body: people.NewAccount,
    success: { status: 200, body: people.PasskeyOptions },
    ...signsUp,
  }),
  passkeySignUp: route.people('everyone POST /api/sign-up/passkey', {
    summary: 'Create an account with a passkey, in a store without sign-in providers.',
    guarded: true,
    body: people.PasskeySignUp,
    success: { status: 201, body: people.LeadsTo },
    ...signsUp,
  }),
  signOut: route.people('everyone POST /sign-out', {
    summary: 'Sign out of this browser.',
    page: true,
    form: z.strictObject({}),
    success: { status: 303, leadsTo: 'the sign-in page' },
  }),
  resetPage: route.people('everyone GET /reset', {
    summary: 'Page to set a new password, with a reset link.',
    ...byLink,
    errors: ['not_found', 'forbidden'],
  }),
  reset: route.people('everyone POST /reset', {
    summary: 'Recover an account with a link: set a new password. Every other access from before ends.',
    page: true,
    form: z.strictObject({ key: Key, password: people.Password }),
    success: onward,
    errors: ['not_found', 'forbidden'],
  }),
  forgottenPage: route.people('everyone GET /forgotten', {
    summary: 'Page to request a reset link, in a store that sends mail.',
    page: true,
    errors: ['not_found', 'forbidden'],
  }),
  forgotten: route.people('everyone POST /forgotten', {
    summary: 'Send a reset link.',
    page: true,
    form: z.strictObject({ email: people.Email }),
    errors: ['not_found', 'forbidden', 'rate_limited'],
  }),
  unsubscribePage: route.people('everyone GET /unsubscribe', {
    summary: 'Page to unsubscribe from mails of a topic, with the link from a mail.',
    ...byLink,
  }),
  unsubscribe: route.people('everyone POST /unsubscribe', {
    summary: 'Unsubscribe from mails of a topic, also with one click of a mail program (RFC 8058).',
    signed: true,
    ...byLink,
  }),
  confirmPage: route.people('person GET /confirm', {
    summary: 'Page to confirm an email address, with the link from a mail.',
    ...byLink,
  }),
  confirm: route.people('person POST /confirm', {
    summary: 'Confirm an email address.',
    effects: ['proves'],
    page: true,
    form: z.strictObject({ key: Key }),
    errors: ['not_found'],
  }),
  addressPage: route.people('person GET /change-address', {
    summary: 'Page to change the email address of an account, with the link from a mail.',
    effects: ['makes-credential'],
    ...byLink,
  }),
  changeAddress: route.people('person POST /change-address', {
    summary: 'Change the email address of an account.',
    effects: ['makes-credential'],
    page: true,
    form: z.strictObject({ key: Key }),
    errors: ['not_found', 'already_exists'],
  }),
  setupPage: route.people('everyone GET /setup', {
    summary:
      'Page to create the first administrator of a new store, with the link that it prints at its start.',
    ...byLink,
    query: z.object({ key: Key.optional() }),
  }),
  setup: route.people('everyone POST /setup', {
    summary: 'Make the signed-in user, or a new one, the first administrator.',
    page: true,
    form: z.strictObject({
      key: Key,
      name: people.PersonName.optional(),
      email: people.Email.optional(),
      password: people.Password.optional(),
      kept: people.KeptPassword.optional(),
    }),
    success: onward,
    errors: ['not_found', 'already_exists'],
  }),
  brandPage: route.administration('admin GET /setup/brand', {
    summary:
      'Page for administrators to choose the name, the logo and the accent of the store. It follows `/setup`.',
    page: true,
    query: z.object({ first: First.describe('Shows it as the second step of the setup.') }),
  }),
  chooseBrand: route.administration('admin POST /setup/brand', {
    summary: 'Set the name, the logo and the accent of the store. What a setting fixes does not change.',
    effects: ['changes-store'],
    page: true,
    maxBody: 512 * 1024,
    form: z.strictObject({
      name: z.string().max(1_000).optional(),
      accent: z.string().max(1_000).optional(),
      logo: z.string().optional().describe('The file of a new logo in base64url; empty keeps the logo.'),
      removeLogo: z.literal('on').optional(),
      first: First,
    }),
    success: onward,
    errors: ['rate_limited'],
  }),
  accessPage: route.administration('admin GET /setup/access', {
    summary:
      'Page for administrators to choose who may sign up, publish and read, and how users with a role sign in. It follows `/setup`.',
    page: true,
    query: z.object({
      first: First.describe('Shows it as the last step of the setup.'),
    }),
  }),
  chooseAccess: route.administration('admin POST /setup/access', {
    summary:
      'Set who may sign up, publish and read, and how users with a role sign in. Rules that a setting fixes do not change.',
    effects: ['opens-access', 'changes-store'],
    page: true,
    form: AccessForm,
    success: onward,
  }),
};
