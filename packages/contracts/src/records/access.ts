import { z } from 'zod';
import { Email, PersonName, PersonRecord, ResetLink } from './people.ts';

/** Who may have an account, who may have a publisher, and who may see what is published. */
export const AccessRules = z
  .object({
    signUp: z
      .enum(['open', 'invited', 'closed'])
      .describe('Who makes an account: everybody, who has an invitation, or administrators alone.'),
    publishers: z
      .enum(['open', 'approved'])
      .describe('Who makes a publisher: everybody with an account, or administrators alone.'),
    read: z
      .enum(['public', 'members'])
      .describe('Who sees apps and takes bundles: everybody, or who has an account or a token.'),
  })
  .meta({ id: 'AccessRules' });
export type AccessRules = z.infer<typeof AccessRules>;

/** The rules of a store where no one has chosen any. */
export const OPEN_ACCESS: AccessRules = { signUp: 'open', publishers: 'open', read: 'public' };

/** Body by which an administrator makes an account for a person. */
export const NewPerson = z.strictObject({ name: PersonName, email: Email }).meta({ id: 'NewPerson' });
export type NewPerson = z.infer<typeof NewPerson>;

/** An account that was made for a person, with the link by which they choose a password. */
export const InvitedPerson = z
  .object({ person: PersonRecord, link: ResetLink })
  .meta({ id: 'InvitedPerson' });
export type InvitedPerson = z.infer<typeof InvitedPerson>;
