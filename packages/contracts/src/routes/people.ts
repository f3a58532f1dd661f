import { z } from 'zod';
import * as access from '../records/access.ts';
import { MAX_INTEGER } from '../records/common.ts';
import * as people from '../records/people.ts';
import { ScimQuery } from '../records/people.ts';
import { route } from './route.ts';

const Kind = z.object({
  provider: z.string().min(1).describe('Id of the provider in the sign-in file.'),
  kind: z
    .string()
    .min(1)
    .describe('`Users` or `Groups`; to read, also `ServiceProviderConfig` and `ResourceTypes`.'),
});
const One = Kind.extend({ id: z.string().min(1) });
const Resource = z.record(z.string(), z.unknown()).meta({ id: 'ScimResource', description: 'RFC 7643.' });
const SCIM = 'application/scim+json';
const open = { closed: true, scim: true } as const;
const errors = ['unauthorized', 'not_found', 'invalid_request'] as const;
const changes = [...errors, 'already_exists', 'forbidden', 'rate_limited'] as const;

/** SCIM 2.0 (RFC 7644), with the token of the provider in the sign-in file. */
export const scimRoutes = {
  scimList: route.people('everyone GET /scim/:provider/v2/:kind', {
    summary: 'SCIM: list users or groups, or what the store can do.',
    ...{ ...open, params: Kind, query: ScimQuery, success: { status: 200, type: SCIM }, errors },
  }),
  scimAdd: route.people('everyone POST /scim/:provider/v2/:kind', {
    summary: 'SCIM: add a user or a group.',
    ...{ ...open, params: Kind, body: Resource, success: { status: 201, type: SCIM }, errors: changes },
  }),
  scimGet: route.people('everyone GET /scim/:provider/v2/:kind/:id', {
    summary: 'SCIM: get a user or a group.',
    ...{ ...open, params: One, success: { status: 200, type: SCIM }, errors },
  }),
  scimReplace: route.people('everyone PUT /scim/:provider/v2/:kind/:id', {
    summary: 'SCIM: replace a user or a group.',
    ...{ ...open, params: One, body: Resource, success: { status: 200, type: SCIM }, errors: changes },
  }),
  scimPatch: route.people('everyone PATCH /scim/:provider/v2/:kind/:id', {
    summary: 'SCIM: change a user or a group. `active: false` ends all access of a user at once.',
    ...{ ...open, params: One, body: Resource, success: { status: 200, type: SCIM }, errors: changes },
  }),
  scimRemove: route.people('everyone DELETE /scim/:provider/v2/:kind/:id', {
    summary: 'SCIM: remove a user, whose access ends at once, or a group.',
    ...{ ...open, params: One, success: { status: 204, type: SCIM }, errors: changes },
  }),
};

const Named = z.object({ id: z.string().max(2_000).describe('Id of the resource.') });
const me = { status: 200, body: people.Me } as const;
const ended = { status: 200, body: people.SessionsEnded } as const;

/** Routes for users to manage their own account, and for administrators to manage users. */
export const peopleRoutes = {
  me: route.people('person GET /api/people/me', {
    summary: 'Get the signed-in user with their publishers, sign-in methods and sessions.',
    success: me,
  }),
  changeMe: route.people('person PATCH /api/people/me', {
    summary: 'Change your name.',
    effects: ['writes'],
    body: people.MeChange,
    success: me,
  }),
  exportMe: route.people('person GET /api/people/me/export', {
    summary: 'Download what the store has about you.',
    success: { status: 200, body: people.PersonalExport },
  }),
  deleteMe: route.people('person DELETE /api/people/me', {
    summary: 'Delete your account. What you did stays under a random id.',
    effects: ['takes-access'],
    success: { status: 200, body: people.AccountDeleted },
    errors: ['last_owner'],
  }),
  recoveredActs: route.people('person GET /api/people/me/recovery', {
    summary:
      'List what was done in the name of your account in the 30 days before you recovered it, for 30 days after it.',
    success: { status: 200, body: people.RecoveredActs },
  }),
  undoRecovered: route.people('person POST /api/people/me/recovery/:id/undo', {
    summary: 'Undo an act in the name of your account from before you recovered it.',
    effects: ['moves-ownership', 'takes-access', 'ends-for-many'],
    params: z.object({ id: z.coerce.number().int().min(1).max(MAX_INTEGER).describe('Id of the act.') }),
    success: { status: 200, body: people.RecoveredActs },
    errors: [
      'not_found',
      'not_a_member',
      'already_handled',
      'already_exists',
      'last_owner',
      'app_suspended',
      'rate_limited',
    ],
  }),
  myMails: route.people('person GET /api/people/me/mails', {
    summary: 'Get how you receive mails: each at once, together once a day, or not at all.',
    success: { status: 200, body: people.MailChoices },
  }),
  chooseMails: route.people('person PUT /api/people/me/mails', {
    summary: 'Choose how you receive mails. Mails about access to your account are always sent.',
    effects: ['writes'],
    body: people.MailChoices,
    success: { status: 200, body: people.MailChoices },
  }),
  sendConfirmation: route.people('person POST /api/people/me/email/confirmation', {
    summary: 'Send a link that confirms your email address.',
    effects: ['proves'],
    success: { status: 200, body: people.ConfirmationSent },
    errors: ['not_found', 'already_handled', 'rate_limited'],
  }),
  requestAddress: route.people('person PUT /api/people/me/email', {
    summary:
      'Send a link to a new email address. With it you change the address, which ends every other access to your account.',
    effects: ['makes-credential'],
    body: people.AddressChange,
    success: { status: 200, body: people.ConfirmationSent },
    errors: ['not_found', 'already_handled', 'rate_limited'],
  }),
  proveIdentity: route.people('person POST /api/people/me/proof', {
    summary:
      'Prove your identity again, with your password or a passkey. Routes that need a proof accept it for ten minutes.',
    effects: ['proves'],
    body: people.IdentityProof,
    success: { status: 200, body: people.ProvedIdentity },
    errors: ['rate_limited'],
  }),
  proofOptions: route.people('person POST /api/people/me/proof/options', {
    summary: 'Get the options to prove your identity with a passkey of yours.',
    effects: ['proves'],
    success: { status: 200, body: people.PasskeyOptions },
  }),
  endSession: route.people('person DELETE /api/people/me/sessions/:id', {
    summary: 'End one session.',
    effects: ['revokes'],
    params: Named,
    success: ended,
  }),
  endSessions: route.people('person DELETE /api/people/me/sessions', {
    summary: 'End all sessions, including this one, and revoke your tokens if you want.',
    effects: ['revokes'],
    query: people.EndSessionsQuery,
    success: ended,
  }),
  setPassword: route.people('person PUT /api/people/me/password', {
    summary: 'Set a new password. All other sessions end.',
    effects: ['makes-credential'],
    body: people.PasswordChange,
    success: me,
    errors: ['rate_limited'],
  }),
  removePassword: route.people('person DELETE /api/people/me/password', {
    summary: 'Remove your password. You must have another way to sign in.',
    effects: ['takes-access'],
    success: me,
    errors: ['not_found'],
  }),
  passkeyOptions: route.people('person POST /api/people/me/passkeys/options', {
    summary: 'Get the options to add a passkey.',
    effects: ['makes-credential'],
    provenAddress: true,
    success: { status: 200, body: people.PasskeyOptions },
  }),
  addPasskey: route.people('person POST /api/people/me/passkeys', {
    summary: 'Add a passkey.',
    effects: ['makes-credential'],
    provenAddress: true,
    body: people.NewPasskey,
    success: { status: 201, body: people.Passkey },
    errors: ['already_exists'],
  }),
  renamePasskey: route.people('person PATCH /api/people/me/passkeys/:id', {
    summary: 'Rename a passkey.',
    effects: ['writes'],
    params: Named,
    body: people.PasskeyChange,
    success: me,
  }),
  removePasskey: route.people('person DELETE /api/people/me/passkeys/:id', {
    summary: 'Remove a passkey. You must have another way to sign in.',
    effects: ['takes-access'],
    params: Named,
    success: me,
  }),
  linkIdentity: route.people('person POST /api/people/me/identities/:id', {
    summary: 'Begin to link an account at a sign-in provider: open the returned URL.',
    effects: ['makes-credential'],
    provenAddress: true,
    params: z.object({ id: z.string().max(100).describe('Id of the provider.') }),
    success: { status: 200, body: people.LeadsTo },
  }),
  unlinkIdentity: route.people('person DELETE /api/people/me/identities/:id', {
    summary: 'Unlink an account at a sign-in provider. You must have another way to sign in.',
    effects: ['takes-access'],
    params: Named,
    success: me,
  }),
  people: route.administration('admin GET /api/admin/people', {
    summary: 'Search users; newest first by default.',
    query: people.PeopleQuery,
    success: { status: 200, body: people.PeoplePage },
  }),
  addPerson: route.administration('admin POST /api/admin/people', {
    summary:
      'Create an account for a user, with a link to set its password. The link works once, for an hour.',
    effects: ['opens-access', 'makes-credential'],
    body: access.NewPerson,
    success: { status: 201, body: access.InvitedPerson },
    errors: ['already_exists'],
  }),
  changePerson: route.administration('admin PATCH /api/admin/people/:id', {
    summary: 'Change the role of a user, suspend or restore them. A suspension ends their sessions.',
    effects: ['gives-power', 'takes-access'],
    params: Named,
    body: people.PersonAdministration,
    success: { status: 200, body: people.PersonRecord },
  }),
  makeResetLink: route.administration('admin POST /api/admin/people/:id/reset-link', {
    summary: 'Create a link with which a user sets a new password. It works once, for an hour.',
    effects: ['makes-credential'],
    params: Named,
    success: { status: 201, body: people.ResetLink },
  }),
};
