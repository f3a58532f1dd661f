import { z } from 'zod';
import { named } from '../named.ts';
import { Email, PersonName, PersonRecord, ResetLink } from './people.ts';

/** Who may create an account, create a publisher and read the catalogue, and how users with a role sign in. */
export const AccessRules = named.object('AccessRules', {
  signUp: z
    .enum(['open', 'invited', 'closed'])
    .describe('Who may create an account: anyone, only users with an invitation, or only administrators.'),
  publishers: z
    .enum(['open', 'approved'])
    .describe('Who may create a publisher: every user, or only administrators.'),
  read: z
    .enum(['public', 'members'])
    .describe('Who may see apps and download bundles: anyone, or only users and tokens.'),
  roles: z
    .enum(['any', 'grace', 'passkey'])
    .describe(
      'How moderators and administrators sign in: in any way; with a passkey, which they have 14 days to add; or with a passkey from the start.',
    ),
});
export type AccessRules = z.infer<typeof AccessRules>;

/** The default rules. A new store begins with `grace` for `roles`. */
export const OPEN_ACCESS: AccessRules = { signUp: 'open', publishers: 'open', read: 'public', roles: 'any' };

/** Request body that sets access rules; those that it leaves out stay. */
export const AccessState = AccessRules.partial().strict().meta({ id: 'AccessState' });

/** Rules that belong together, most open first, and `custom` for any others. */
export const ACCESS_PRESETS = ['public', 'company', 'private', 'custom'] as const;
export type AccessPreset = (typeof ACCESS_PRESETS)[number];

/** The form that sets access rules. */
export const AccessForm = AccessRules.partial()
  .extend({
    preset: z
      .enum(ACCESS_PRESETS)
      .optional()
      .describe(
        'Sets who may sign up, publish and read, whatever the form says of these; `custom` sets nothing.',
      ),
  })
  .strict();

/** The longest text of a logo of 256 KiB in base64. */
const LOGO_TEXT = 4 * Math.ceil((256 * 1024) / 3);

/** Request body that sets what the store is called and how it looks. */
export const BrandState = named.strictObject('BrandState', {
  name: z
    .string()
    .min(1)
    .max(1_000)
    .nullable()
    .optional()
    .describe('At most 40 characters; null for the default.'),
  accent: z
    .string()
    .min(1)
    .max(1_000)
    .nullable()
    .optional()
    .describe('Such as `#0b57b0`; null for the default.'),
  logo: z
    .base64()
    .min(1)
    .max(LOGO_TEXT)
    .nullable()
    .optional()
    .describe('A square PNG, JPEG, WebP or SVG of at most 256 KiB, in base64; null for the default.'),
});
export type BrandState = z.infer<typeof BrandState>;

/** What administrators chose for the brand; null where they chose nothing. */
export const Brand = named.object('Brand', {
  name: z.string().nullable(),
  accent: z.string().nullable(),
  logoSha256: z.string().nullable().describe('Of the PNG that the store drew of the logo.'),
});

/** Request body that creates an account for a user. */
export const NewPerson = named.strictObject('NewPerson', { name: PersonName, email: Email });
export type NewPerson = z.infer<typeof NewPerson>;

/** A new account, with the link to set its password. */
export const InvitedPerson = named.object('InvitedPerson', { person: PersonRecord, link: ResetLink });
export type InvitedPerson = z.infer<typeof InvitedPerson>;
