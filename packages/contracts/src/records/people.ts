import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { Direction, PublisherSlug, Timestamp } from './common.ts';
import { refuseHidden, refuseUnreadableName } from './plain-text.ts';

/** What a person may do in the whole store; each may what the one before it may. */
export const PERSON_ROLES = ['person', 'moderator', 'administrator'] as const;
export const PersonRole = z.enum(PERSON_ROLES);
export type PersonRole = z.infer<typeof PersonRole>;

/** What a person may do for a publisher: a member publishes and yanks; an owner also says who its members are. */
export const MEMBER_ROLES = ['member', 'owner'] as const;
export const MemberRole = z.enum(MEMBER_ROLES);
export type MemberRole = z.infer<typeof MemberRole>;

const { name, email, password, passkeyLabel, defaultPage, maxPage } = LIMITS.people;

const wellFormed = (text: string): boolean => text.isWellFormed();

/** What a person is called. */
export const PersonName = z.string().trim().min(1).max(name).superRefine(refuseUnreadableName);

/** An email address, in lower case: whatever case it was typed in, it is one person's. */
export const Email = z.string().trim().toLowerCase().max(email).pipe(z.email());

/** A password as a person types it. Whether a new one is good enough is decided with name and email beside it. */
export const Password = z
  .string()
  .max(password.most)
  .refine(wellFormed, { error: 'must be well-formed Unicode' })
  .describe(`${password.least} to ${password.most} characters.`);

const PersonId = z.string().describe('Names the person, as in the audit log after `person:`.');

/** A browser in which a person is signed in. */
const Session = z.object({
  id: z.string(),
  current: z.boolean().describe('Whether it is the one that asks.'),
  createdAt: Timestamp,
  lastSeenAt: Timestamp.describe('Noted once in five minutes. ISO 8601, UTC.'),
  address: z.string().nullable().describe('Where it was begun.'),
  agent: z.string().describe('What the browser called itself.'),
});

const PasskeyFields = z.object({
  id: z.string(),
  label: z.string(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});

/** A passkey of a person. */
export const Passkey = PasskeyFields.meta({ id: 'Passkey' });
export type Passkey = z.infer<typeof Passkey>;

/** An account elsewhere by which a person signs in. */
const Identity = z.object({
  id: z.string(),
  provider: z
    .string()
    .describe('What the provider is called here, or its address when the store uses it no longer.'),
  account: z.string().describe('What the provider calls the person.'),
  createdAt: Timestamp,
});

/** The person who is signed in, and how. */
export const Me = z
  .object({
    id: PersonId,
    name: z.string(),
    email: z.string().nullable(),
    emailVerified: z.boolean(),
    role: PersonRole,
    createdAt: Timestamp,
    memberships: z.array(z.object({ publisher: PublisherSlug, name: z.string(), role: MemberRole })),
    csrf: z.string().describe('Comes along as `X-Svc-Csrf` with what a script changes.'),
    hasPassword: z.boolean(),
    passkeys: z.array(PasskeyFields),
    identities: z.array(Identity),
    providers: z
      .array(z.object({ id: z.string(), label: z.string() }))
      .describe('Providers by which people may sign in to this store.'),
    sessions: z.array(Session).describe('The one used last comes first.'),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;

/** What a person changes about themselves. */
export const MeChange = z.strictObject({ name: PersonName }).meta({ id: 'MeChange' });
export type MeChange = z.infer<typeof MeChange>;

/** How many sessions were ended. */
export const SessionsEnded = z.object({ ended: z.int() }).meta({ id: 'SessionsEnded' });

/** A new password, and the present one of a person who has one. */
export const PasswordChange = z
  .strictObject({ current: Password.optional(), password: Password })
  .meta({ id: 'PasswordChange' });
export type PasswordChange = z.infer<typeof PasswordChange>;

const PasskeyLabel = z.string().trim().min(1).max(passkeyLabel).superRefine(refuseHidden);

/** What the browser is asked to make or to use a passkey with, for `PublicKeyCredential.parse…OptionsFromJSON` (WebAuthn section 5.1). */
export const PasskeyOptions = z.looseObject({ challenge: z.string() }).meta({ id: 'PasskeyOptions' });

/** A new passkey, as `PublicKeyCredential.toJSON` gives it. */
export const NewPasskey = z
  .strictObject({
    label: PasskeyLabel,
    credential: z.looseObject({
      id: z.string(),
      rawId: z.string(),
      type: z.literal('public-key'),
      clientExtensionResults: z.looseObject({}),
      response: z.looseObject({
        clientDataJSON: z.string(),
        attestationObject: z.string(),
        transports: z.array(z.string().max(20)).max(10).optional(),
      }),
    }),
  })
  .meta({ id: 'NewPasskey' });
export type NewPasskey = z.infer<typeof NewPasskey>;

export const PasskeyChange = z.strictObject({ label: PasskeyLabel }).meta({ id: 'PasskeyChange' });

/** What a passkey says of its holder, as `PublicKeyCredential.toJSON` gives it. */
export const PasskeySignIn = z
  .strictObject({
    next: z.string().max(2_000).optional().describe('Path of this store to go on to.'),
    credential: z.looseObject({
      id: z.string(),
      rawId: z.string(),
      type: z.literal('public-key'),
      clientExtensionResults: z.looseObject({}),
      response: z.looseObject({
        clientDataJSON: z.string(),
        authenticatorData: z.string(),
        signature: z.string(),
        userHandle: z.string().nullish(),
      }),
    }),
  })
  .meta({ id: 'PasskeySignIn' });
export type PasskeySignIn = z.infer<typeof PasskeySignIn>;

/** Where a browser goes on to. */
export const LeadsTo = z.object({ url: z.string() }).meta({ id: 'LeadsTo' });

/** A person as an administrator sees them. */
const PersonFields = z.object({
  id: PersonId,
  name: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  role: PersonRole,
  suspended: z.boolean(),
  createdAt: Timestamp,
});
export const PersonRecord = PersonFields.meta({ id: 'PersonRecord' });
export type PersonRecord = z.infer<typeof PersonRecord>;

/** What an administrator changes about a person. */
export const PersonAdministration = z
  .strictObject({ role: PersonRole.optional(), suspended: z.boolean().optional() })
  .refine((change) => Object.keys(change).length > 0, { error: 'Name at least one of role and suspended.' })
  .meta({ id: 'PersonAdministration' });
export type PersonAdministration = z.infer<typeof PersonAdministration>;

/** Which people; all conditions must hold. */
export const PeopleQuery = z.object({
  q: z.string().trim().max(email).optional().describe('How the name or the email address begins.'),
  role: PersonRole.optional(),
  suspended: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  sort: z
    .enum(['created', 'name'])
    .default('created')
    .describe('By when the account was made, or by the name.'),
  direction: Direction.optional().describe('`desc` with `created`, else `asc`, when left out.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(maxPage)
    .default(defaultPage)
    .describe('People a page; 100 when left out.'),
  cursor: z.string().max(400).optional().describe('`nextCursor` of the page before.'),
});
export type PeopleQuery = z.infer<typeof PeopleQuery>;

/** One page of people. */
export const PeoplePage = z
  .object({
    people: z.array(PersonFields),
    nextCursor: z.string().nullable().describe('Null on the last page.'),
  })
  .meta({ id: 'PeoplePage' });
export type PeoplePage = z.infer<typeof PeoplePage>;

/** A link by which a person sets a new password, once. */
export const ResetLink = z.object({ url: z.string(), expiresAt: Timestamp }).meta({ id: 'ResetLink' });
export type ResetLink = z.infer<typeof ResetLink>;

/** Where a link to confirm an email address was sent. */
export const ConfirmationSent = z.object({ sentTo: z.string() }).meta({ id: 'ConfirmationSent' });
