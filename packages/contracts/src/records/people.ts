import { z } from 'zod';

/** What somebody may do in the whole store; each may what the one before it may. */
export const PERSON_ROLES = ['person', 'moderator', 'administrator'] as const;
export const PersonRole = z.enum(PERSON_ROLES);
export type PersonRole = z.infer<typeof PersonRole>;

/** What somebody may do for a publisher: a member publishes and yanks; an owner also says who its members are. */
export const MEMBER_ROLES = ['member', 'owner'] as const;
export const MemberRole = z.enum(MEMBER_ROLES);
export type MemberRole = z.infer<typeof MemberRole>;
