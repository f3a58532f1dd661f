import { z } from 'zod';
import { named } from '../named.ts';
import { AccessRules } from '../records/access.ts';
import * as people from '../records/people.ts';
import { route } from './route.ts';

const Next = z.string().max(2_000).optional().describe('Path of this store to open after sign-in.');
const Key = z.string().max(1_000).describe('Secret of the link.');
const Provider = z.object({ provider: z.string().max(100).describe('Id of the sign-in provider.') });

const onward = { status: 303, leadsTo: 'the page in `next`, or the account page' } as const;
const page = { status: 200, type: 'text/html' } as const;

const tries = {
  'RateLimit-Policy': 'The limit on attempts for an email address or a network, and its window in seconds.',
  RateLimit: 'How many remain in the window, and when it resets.',
};

/** Sign-in, sign-up and their pages. */
export const signInRoutes = {
  signInPage: route.people('GET /sign-in', {
    summary: 'Sign-in page with all methods of this store.',
    auth: 'none',
    page: true,
    query: z.object({
      next: Next,
      again: z
        .literal('')
        .optional()
        .describe('Shows the form to a signed-in user too, to prove their identity again.'),
    }),
    success: page,
  }),
  signIn: route.people('POST /sign-in', {
    summary: 'Sign in with a password.',
    auth: 'none',
    page: true,
    form: z.strictObject({ email: z.string().max(1_000), password: people.Password, next: Next }),
    success: onward,
    headers: tries,
    errors: ['rate_limited'],
  }),
  passkeySignInOptions: route.people('POST /api/sign-in/passkey/options', {
    summary: 'Get the options to sign in with a passkey.',
    auth: 'none',
    guarded: true,
    success: { status: 200, body: people.PasskeyOptions },
  }),
  passkeySignIn: route.people('POST /api/sign-in/passkey', {
    summary: 'Sign in with a passkey.',
    auth: 'none',
    guarded: true,
    body: people.PasskeySignIn,
    success: { status: 200, body: people.LeadsTo },
  }),
  beginProviderSignIn: route.people('GET /sign-in/:provider', {
    summary: 'Begin to sign in with a provider.',
    auth: 'none',
    page: true,
    params: Provider,
    query: z.object({ next: Next }),
    success: { status: 303, leadsTo: 'the provider' },
    errors: ['not_found'],
  }),
  endProviderSignIn: route.people('GET /sign-in/:provider/callback', {
    summary: 'OAuth redirect URI of a sign-in provider.',
    auth: 'none',
    page: true,
    params: Provider,
    success: onward,
    errors: ['not_found', 'forbidden', 'already_exists'],
  }),
  providerLogout: route.people('POST /sign-in/:provider/logout', {
    summary:
      'End the sessions of a user who signed out at a provider (OpenID Connect Back-Channel Logout 1.0).',
    auth: 'none',
    signed: true,
    params: Provider,
    form: z.object({ logout_token: z.string().max(16_384).describe('The logout token, a signed JWT.') }),
    success: { status: 200, body: named.object('ProviderLogout', {}) },
    errors: ['not_found'],
  }),
  signUpPage: route.people('GET /sign-up', {
    summary: 'Page to create an account, in a store without sign-in providers.',
    auth: 'none',
    page: true,
    query: z.object({ next: Next }),
    success: page,
    errors: ['not_found', 'forbidden'],
  }),
  signUp: route.people('POST /sign-up', {
    summary: 'Create an account with a password, in a store without sign-in providers.',
    auth: 'none',
    page: true,
    form: z.strictObject({
      name: people.PersonName,
      email: people.Email,
      password: people.Password,
      next: Next,
    }),
    success: onward,
    headers: tries,
    errors: ['not_found', 'forbidden', 'already_exists', 'rate_limited'],
  }),
  signOut: route.people('POST /sign-out', {
    summary: 'Sign out of this browser.',
    auth: 'none',
    page: true,
    form: z.strictObject({}),
    success: { status: 303, leadsTo: 'the sign-in page' },
  }),
  resetPage: route.people('GET /reset', {
    summary: 'Page to set a new password, with a reset link.',
    auth: 'none',
    page: true,
    secretAddress: true,
    query: z.object({ key: Key }),
    success: page,
    errors: ['not_found', 'forbidden'],
  }),
  reset: route.people('POST /reset', {
    summary: 'Recover an account with a link: set a new password. Every other access from before ends.',
    auth: 'none',
    page: true,
    form: z.strictObject({ key: Key, password: people.Password }),
    success: onward,
    errors: ['not_found', 'forbidden'],
  }),
  forgottenPage: route.people('GET /forgotten', {
    summary: 'Page to request a reset link, in a store that sends mail.',
    auth: 'none',
    page: true,
    success: page,
    errors: ['not_found', 'forbidden'],
  }),
  forgotten: route.people('POST /forgotten', {
    summary: 'Send a reset link.',
    auth: 'none',
    page: true,
    form: z.strictObject({ email: people.Email }),
    success: page,
    errors: ['not_found', 'forbidden', 'rate_limited'],
  }),
  unsubscribePage: route.people('GET /unsubscribe', {
    summary: 'Page to unsubscribe from mails of a topic, with the link from a mail.',
    auth: 'none',
    page: true,
    secretAddress: true,
    query: z.object({ key: Key }),
    success: page,
    errors: ['not_found'],
  }),
  unsubscribe: route.people('POST /unsubscribe', {
    summary: 'Unsubscribe from mails of a topic, also with one click of a mail program (RFC 8058).',
    auth: 'none',
    page: true,
    secretAddress: true,
    signed: true,
    query: z.object({ key: Key }),
    success: page,
    errors: ['not_found'],
  }),
  confirmPage: route.people('GET /confirm', {
    summary: 'Page to confirm an email address, with the link from a mail.',
    auth: 'person',
    page: true,
    secretAddress: true,
    query: z.object({ key: Key }),
    success: page,
    errors: ['not_found'],
  }),
  confirm: route.people('POST /confirm', {
    summary: 'Confirm an email address.',
    auth: 'person',
    page: true,
    form: z.strictObject({ key: Key }),
    success: page,
    errors: ['not_found'],
  }),
  addressPage: route.people('GET /change-address', {
    summary: 'Page to change the email address of an account, with the link from a mail.',
    auth: 'person',
    freshProof: true,
    page: true,
    secretAddress: true,
    query: z.object({ key: Key }),
    success: page,
    errors: ['not_found'],
  }),
  changeAddress: route.people('POST /change-address', {
    summary: 'Change the email address of an account.',
    auth: 'person',
    freshProof: true,
    page: true,
    form: z.strictObject({ key: Key }),
    success: page,
    errors: ['not_found', 'already_exists'],
  }),
  setupPage: route.people('GET /setup', {
    summary:
      'Page to create the first administrator of a new store, with the link that it prints at its start.',
    auth: 'none',
    page: true,
    secretAddress: true,
    query: z.object({ key: Key.optional() }),
    success: page,
    errors: ['not_found'],
  }),
  setup: route.people('POST /setup', {
    summary: 'Make the signed-in user, or a new one, the first administrator.',
    auth: 'none',
    page: true,
    form: z.strictObject({
      key: Key,
      name: people.PersonName.optional(),
      email: people.Email.optional(),
      password: people.Password.optional(),
    }),
    success: onward,
    errors: ['not_found', 'already_exists'],
  }),
  accessPage: route.administration('GET /setup/access', {
    summary:
      'Page for administrators to choose who may sign up, publish and read, and how users with a role sign in. It follows `/setup`.',
    auth: 'admin',
    page: true,
    success: page,
  }),
  chooseAccess: route.administration('POST /setup/access', {
    summary:
      'Set who may sign up, publish and read, and how users with a role sign in. Rules that a setting fixes do not change.',
    auth: 'admin',
    page: true,
    form: AccessRules.partial().strict(),
    success: onward,
  }),
};
