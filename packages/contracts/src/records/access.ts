import { z } from 'zod';
import { Email, PersonName, PersonRecord, ResetLink } from './people.ts';

/** Who may create an account, create a publisher and read the catalogue. */
export const AccessRules = z
  .object({
    signUp: z
      .enum(['open', 'invited', 'closed'])
      .describe('Who may create an account: anyone, only users with an invitation, or only administrators.'),
    publishers: z
      .enum(['open', 'approved'])
      .describe('Who may create a publisher: every user, or only administrators.'),
    read: z
      .enum(['public', 'members'])
      .describe('Who may see apps and download bundles: anyone, or only users and tokens.'),
  })
  .meta({ id: 'AccessRules' });
export type AccessRules = z.infer<typeof AccessRules>;

/** The default rules. */
export const OPEN_ACCESS: AccessRules = { signUp: 'open', publishers: 'open', read: 'public' };

/** Request body that creates an account for a user. */
export const NewPerson = z.strictObject({ name: PersonName, email: Email }).meta({ id: 'NewPerson' });
export type NewPerson = z.infer<typeof NewPerson>;

/** A new account, with the link to set its password. */
export const InvitedPerson = z
  .object({ person: PersonRecord, link: ResetLink })
  .meta({ id: 'InvitedPerson' });
export type InvitedPerson = z.infer<typeof InvitedPerson>;
