import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { MAIL_CHOICES } from '../vocabulary.ts';
import { Direction, MAX_INTEGER, Note, PublisherSlug, pageSize, Suspension, Timestamp } from './common.ts';
import { refuseHidden, refuseUnreadableName } from './plain-text.ts';

/** Roles of users in the store; each includes the ones before it. */
export const PERSON_ROLES = ['person', 'moderator', 'administrator'] as const;
export const PersonRole = z.enum(PERSON_ROLES);
export type PersonRole = z.infer<typeof PersonRole>;

/** Roles of users in a publisher: a member publishes and yanks; an owner also manages the members. */
export const MEMBER_ROLES = ['member', 'owner'] as const;
export const MemberRole = z.enum(MEMBER_ROLES);
export type MemberRole = z.infer<typeof MemberRole>;

const { name, email, password, passkeyLabel, defaultPage, maxPage } = LIMITS.people;

const wellFormed = (text: string): boolean => text.isWellFormed();

/** Display name of a user. */
export const PersonName = z.string().trim().min(1).max(name).superRefine(refuseUnreadableName);

/** An email address in lower case: addresses that differ only in case belong to the same user. */
export const Email = z.string().trim().toLowerCase().max(email).pipe(z.email());

/** A password. Whether a new one is strong enough is checked elsewhere, together with name and email address. */
export const Password = z
  .string()
  .max(password.max)
  .refine(wellFormed, { error: 'must be well-formed Unicode' })
  .describe(`${password.min} to ${password.max} characters.`);

/** The password of a form that is shown again, encrypted by the store: at most twelve bytes for each letter, as JSON may escape it; in base64. */
export const KeptPassword = z
  .string()
  .max(password.max * 16)
  .describe('The password that was typed before, encrypted by the store.');

const PersonId = z.string().describe('Id of the user, as in the audit log after `person:`.');

/** A session: a browser in which a user is signed in. */
const Session = z.object({
  id: z.string(),
  current: z.boolean().describe('Whether it is the session of this request.'),
  createdAt: Timestamp,
  lastSeenAt: Timestamp.describe('Time of the last request, to five minutes. ISO 8601, UTC.'),
  address: z.string().nullable().describe('IP address from which the user signed in.'),
  agent: z.string().describe('`User-Agent` of the browser.'),
});

const PasskeyFields = z.object({
  id: z.string(),
  label: z.string(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});

/** A passkey of a user. */
export const Passkey = PasskeyFields.meta({ id: 'Passkey' });
export type Passkey = z.infer<typeof Passkey>;

/** An account at a sign-in provider. */
const Identity = z.object({
  id: z.string(),
  provider: z.string().describe('Name of the provider, or its URL when the store no longer uses it.'),
  account: z.string().describe('Name of the account at the provider.'),
  createdAt: Timestamp,
});

/** The signed-in user. */
export const Me = named.object('Me', {
  id: PersonId,
  name: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  sendsMail: z.boolean().describe('Whether this store sends mail. Without it no address is confirmed.'),
  role: PersonRole,
  roleNeedsPasskey: z
    .boolean()
    .describe('Whether the role has no effect in this session until you sign in with a passkey.'),
  passkeyDueAt: Timestamp.nullable().describe(
    'From when the role needs a passkey; null when it does not, or in a session that a passkey proved.',
  ),
  createdAt: Timestamp,
  memberships: z.array(z.object({ publisher: PublisherSlug, name: z.string(), role: MemberRole })),
  csrf: z
    .string()
    .describe('CSRF token. A script sends it as `X-Svc-Csrf` with every request that changes something.'),
  hasPassword: z.boolean(),
  passkeys: z.array(PasskeyFields),
  identities: z.array(Identity),
  providers: z
    .array(z.object({ id: z.string(), label: z.string() }))
    .describe('Sign-in providers of this store.'),
  sessions: z.array(Session).describe('Most recently used first.'),
});
export type Me = z.infer<typeof Me>;

const Row = z.record(z.string(), z.unknown());

/** What the store has about a user, without secrets. The columns are those of the database. */
export const PersonalExport = named.object('PersonalExport', {
  exportedAt: Timestamp,
  account: Me.omit({ csrf: true, providers: true, sendsMail: true }),
  reviews: z.array(Row),
  flags: z.array(Row).describe('Reviews of others that the user flagged.'),
  reports: z.array(Row),
  versions: z.array(Row).describe('Versions that the user uploaded.'),
  messages: z.array(Row).describe('Messages about versions in review.'),
  tokens: z.array(Row),
  events: z.array(Row).describe('Entries of the audit log, oldest first.'),
});
export type PersonalExport = z.infer<typeof PersonalExport>;

const Choice = z.enum(MAIL_CHOICES);

/** How a user gets mails, by topic. */
export const MailChoices = named.strictObject('MailChoices', {
  reviews: Choice,
  appeals: Choice,
  apps: Choice,
  moderation: Choice,
});
export type MailChoices = z.infer<typeof MailChoices>;

/** An account that was deleted. */
export const AccountDeleted = named.object('AccountDeleted', { deleted: z.literal(true) });
export type AccountDeleted = z.infer<typeof AccountDeleted>;

/** Request body by which users change their own account. */
export const MeChange = named.strictObject('MeChange', { name: PersonName });
export type MeChange = z.infer<typeof MeChange>;

/** Request body by which users change the email address of their account. */
export const AddressChange = named.strictObject('AddressChange', { email: Email });

/** The number of sessions that were ended. */
export const SessionsEnded = named.object('SessionsEnded', {
  ended: z.int(),
  tokensRevoked: z.int().optional().describe('With `tokens`: how many were revoked.'),
});

/** Query of signing out everywhere. */
export const EndSessionsQuery = z.object({
  tokens: z
    .literal('')
    .optional()
    .describe('Also revokes every developer token that you own, or created for a publisher.'),
});

/** A new password, and the current one if the user has one. */
export const PasswordChange = named.strictObject('PasswordChange', {
  current: Password.optional(),
  password: Password,
});
export type PasswordChange = z.infer<typeof PasswordChange>;

const PasskeyLabel = z.string().trim().min(1).max(passkeyLabel).superRefine(refuseHidden);

/** Options to create or use a passkey, for `PublicKeyCredential.parse…OptionsFromJSON` (WebAuthn section 5.1). */
export const PasskeyOptions = z.looseObject({ challenge: z.string() }).meta({ id: 'PasskeyOptions' });

/** What every `PublicKeyCredential` has. */
const PUBLIC_KEY = {
  id: z.string(),
  rawId: z.string(),
  type: z.literal('public-key'),
  clientExtensionResults: z.looseObject({}),
};

/** A new passkey, as `PublicKeyCredential.toJSON` returns it. */
const CreatedCredential = z.looseObject({
  ...PUBLIC_KEY,
  response: z.looseObject({
    clientDataJSON: z.string(),
    attestationObject: z.string(),
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
});

export const NewPasskey = named.strictObject('NewPasskey', {
  label: PasskeyLabel,
  credential: CreatedCredential,
});
export type NewPasskey = z.infer<typeof NewPasskey>;

/** Whose account is created. */
export const NewAccount = named.strictObject('NewAccount', {
  name: PersonName,
  email: Email,
  next: z.string().max(2_000).optional().describe('Path of this store to open after sign-in.'),
});

/** An account that is created with a passkey. */
export const PasskeySignUp = named.strictObject('PasskeySignUp', {
  ...NewAccount.shape,
  credential: CreatedCredential,
});
export type PasskeySignUp = z.infer<typeof PasskeySignUp>;

export const PasskeyChange = named.strictObject('PasskeyChange', { label: PasskeyLabel });

/** An assertion of a passkey, as `PublicKeyCredential.toJSON` returns it. */
export const PasskeySignIn = named.strictObject('PasskeySignIn', {
  next: z.string().max(2_000).optional().describe('Path of this store to open after sign-in.'),
  credential: z.looseObject({
    ...PUBLIC_KEY,
    response: z.looseObject({
      clientDataJSON: z.string(),
      authenticatorData: z.string(),
      signature: z.string(),
      userHandle: z.string().nullish(),
    }),
  }),
});
export type PasskeySignIn = z.infer<typeof PasskeySignIn>;

/** A proof of identity: the password, or an assertion of a passkey. */
export const IdentityProof = z
  .union([z.strictObject({ password: Password }), PasskeySignIn.pick({ credential: true })])
  .meta({ id: 'IdentityProof' });
export type IdentityProof = z.infer<typeof IdentityProof>;

/** Until when a proof of identity is accepted. */
export const ProvedIdentity = named.object('ProvedIdentity', { until: Timestamp });

/** The URL that the browser opens next. */
export const LeadsTo = named.object('LeadsTo', { url: z.string() });

/** A user, for administrators. */
const PersonFields = z.object({
  id: PersonId,
  name: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  role: PersonRole,
  suspended: z.boolean(),
  suspension: Suspension.optional(),
  createdAt: Timestamp,
});
export const PersonRecord = PersonFields.meta({ id: 'PersonRecord' });
export type PersonRecord = z.infer<typeof PersonRecord>;

/** Request body by which an administrator changes a user. */
export const PersonAdministration = z
  .strictObject({
    role: PersonRole.optional(),
    suspended: z.boolean().optional(),
    reason: Note.optional().describe('Why the user is suspended. Users must give a reason to suspend.'),
  })
  .refine(({ role, suspended }) => role !== undefined || suspended !== undefined, {
    error: 'Give at least one of `role` and `suspended`.',
  })
  .meta({ id: 'PersonAdministration' });
export type PersonAdministration = z.infer<typeof PersonAdministration>;

/** Query of the users; all conditions must match. */
export const PeopleQuery = z.object({
  q: z.string().trim().max(email).optional().describe('Part of the name, of the email address or of the id.'),
  id: z.string().max(64).optional().describe('Only this user.'),
  role: PersonRole.optional(),
  suspended: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  sort: z.enum(['created', 'name']).default('created').describe('By creation time or by name.'),
  direction: Direction.optional().describe('The default is `desc` with `created`, otherwise `asc`.'),
  limit: pageSize(maxPage, defaultPage, 'Users per page'),
  cursor: z.string().max(400).optional().describe('`nextCursor` of the previous page.'),
});
export type PeopleQuery = z.infer<typeof PeopleQuery>;

/** A page of users. */
export const PeoplePage = named.object('PeoplePage', {
  people: z.array(
    PersonFields.extend({
      publishers: z.array(z.string()).describe('Slugs of the publishers that the user acts for.'),
    }).meta({ id: 'PersonWithPublishers' }),
  ),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
});
export type PeoplePage = z.infer<typeof PeoplePage>;

/** A single-use link to set a new password. */
export const ResetLink = named.object('ResetLink', { url: z.string(), expiresAt: Timestamp });
export type ResetLink = z.infer<typeof ResetLink>;

/** The email address to which a confirmation link was sent. */
export const ConfirmationSent = named.object('ConfirmationSent', { sentTo: z.string() });

/** Query of a list of SCIM (RFC 7644 section 3.4.2). */
export const ScimQuery = z.object({
  filter: z
    .string()
    .max(1_000)
    .optional()
    .describe('`userName eq "…"`; also `externalId`, `id`, `displayName`, `emails.value`.'),
  startIndex: z.coerce.number().int().max(MAX_INTEGER).optional().describe('From 1.'),
  count: z.coerce.number().int().max(MAX_INTEGER).optional().describe('At most 200.'),
  excludedAttributes: z
    .string()
    .max(1_000)
    .optional()
    .describe('`members` leaves out the members of groups.'),
});
export type ScimQuery = z.infer<typeof ScimQuery>;

/** An act in the name of an account from before its recovery. */
export const RecoveredAct = named.object('RecoveredAct', {
  id: z.int().describe('Id of its entry in the audit log.'),
  at: Timestamp,
  publisher: z.string().nullable(),
  words: z
    .string()
    .describe('What was done, in words that follow a name. It quotes names that others chose.'),
  state: z
    .enum(['open', 'ended', 'final'])
    .describe(
      '`open`: you can undo it; `ended`: it has no effect any more; `final`: it cannot be undone here, see `hint`.',
    ),
  hint: z.string().describe('What to do instead.'),
});
export type RecoveredAct = z.infer<typeof RecoveredAct>;

export const RecoveredActs = named.object('RecoveredActs', {
  recoveredAt: Timestamp.nullable().describe('Null when the account was not recovered in the last 30 days.'),
  acts: z.array(RecoveredAct).describe('Those that can be undone first; at most 100 of each kind.'),
});
export type RecoveredActs = z.infer<typeof RecoveredActs>;
