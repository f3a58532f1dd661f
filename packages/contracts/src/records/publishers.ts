import { z } from 'zod';
import { named } from '../named.ts';
import { Publisher, PublisherName, PublisherStorage } from './admin.ts';
import { PublisherSlug, Timestamp } from './common.ts';
import { MemberRole } from './people.ts';
import { AccessToken } from './tokens.ts';

const MAX_ADDRESS = 200;

/** Whether a URL is that of a website whose ownership can be verified: a domain name and the default port. */
function isWebsiteUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, port, username, password } = new URL(text);
  const isName = /^(?=.{1,253}$)(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]*$/.test(hostname);
  return protocol === 'https:' && isName && port === '' && username === '' && password === '';
}

/** URL of a publisher's website. Its host is verified, so it must be a domain name, with nothing that could disguise it. */
const Website = z
  .string()
  .max(MAX_ADDRESS)
  .regex(/^https:\/\/[^\s\\]+$/, { error: 'must be an https URL', abort: true })
  .refine(isWebsiteUrl, {
    error: 'must be an https URL with a domain name and without a port, user or password',
  })
  .describe('An https URL; verification checks its host.');

/** Request body that creates a publisher of the caller. */
export const NewOwnPublisher = named.strictObject('NewOwnPublisher', {
  slug: PublisherSlug,
  name: PublisherName,
  website: Website.optional(),
});
export type NewOwnPublisher = z.infer<typeof NewOwnPublisher>;

/** Request body that edits a publisher. */
export const PublisherEdit = z
  .strictObject({
    name: PublisherName.optional().describe(
      'A new name of a verified publisher must be approved by an administrator. It must not look like the name of another publisher.',
    ),
    website: Website.nullable()
      .optional()
      .describe(
        'Null removes it. Another host removes the verification, unless an administrator verified the publisher.',
      ),
  })
  .refine((edit) => Object.keys(edit).length > 0, { error: 'Give at least one of `name` and `website`.' })
  .meta({ id: 'PublisherEdit' });
export type PublisherEdit = z.infer<typeof PublisherEdit>;

/** A member of a publisher. */
export const PublisherMember = named.object('PublisherMember', {
  personId: z.string(),
  name: z.string(),
  email: z.string().nullable().describe('Only for owners; null for other members, and when it is unknown.'),
  role: MemberRole,
  since: Timestamp,
});
export type PublisherMember = z.infer<typeof PublisherMember>;

/** Who may act for a publisher, for administrators: its members, and the valid tokens of it and of them. */
export const PublisherAccess = named.object('PublisherAccess', {
  members: z.array(PublisherMember),
  tokens: z.array(AccessToken),
});
export type PublisherAccess = z.infer<typeof PublisherAccess>;

/** Request body that changes the role of a member. */
export const MemberChange = named.strictObject('MemberChange', { role: MemberRole });
export type MemberChange = z.infer<typeof MemberChange>;

/** Request body that transfers a publisher. */
export const PublisherTransfer = named.strictObject('PublisherTransfer', {
  to: z.string().min(1).max(100).describe('Id of the member who becomes an owner. You become a member.'),
});
export type PublisherTransfer = z.infer<typeof PublisherTransfer>;

const MAX_EMAIL = 254;

/** Request body that invites a user to a publisher. */
export const NewInvitation = named.strictObject('NewInvitation', {
  email: z
    .email()
    .max(MAX_EMAIL)
    .toLowerCase()
    .optional()
    .describe('Email address that gets the link. Without it, send the link yourself.'),
  role: MemberRole,
});
export type NewInvitation = z.infer<typeof NewInvitation>;

/** A pending invitation. */
export const Invitation = named.object('Invitation', {
  id: z.string(),
  role: MemberRole,
  email: z.string().optional(),
  invitedBy: z.string().describe('Name of the owner who sent the invitation.'),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  url: z
    .string()
    .optional()
    .describe('The link, only for owners. Any signed-in user who has it can accept the invitation, once.'),
});
export type Invitation = z.infer<typeof Invitation>;

/** How a publisher was verified. */
export const VERIFIED_BY = ['website', 'administrator'] as const;
const VerifiedBy = z.enum(VERIFIED_BY);
export type VerifiedBy = z.infer<typeof VerifiedBy>;

/** The two ways in which a publisher can prove that it owns its website; one is enough. */
const Proof = z.object({
  dns: z.object({ name: z.string(), value: z.string() }).describe('A TXT record with this name and value.'),
  file: z.object({ url: z.string(), text: z.string() }).describe('A file at this URL with this text.'),
});

/** The verification status of a publisher. */
const Verification = z.object({
  verifiedBy: VerifiedBy.nullable().describe('Null when it is not verified.'),
  checkedAt: Timestamp.nullable().describe('When the website was last checked.'),
  missingSince: Timestamp.nullable().describe(
    'When the proof was first found missing. The verification ends after 14 days.',
  ),
  publish: Proof.nullable().describe('The proof to publish; null without a website.'),
});

/** A publisher, and the role of the caller in it. */
export const OwnPublisher = Publisher.extend({ role: MemberRole }).meta({ id: 'OwnPublisher' });
export type OwnPublisher = z.infer<typeof OwnPublisher>;

/** The publishers of which the caller is a member, sorted by slug. */
export const OwnPublishers = named.object('OwnPublishers', { publishers: z.array(OwnPublisher) });
export type OwnPublishers = z.infer<typeof OwnPublishers>;

/** A publisher, for its members. */
export const PublisherDetail = OwnPublisher.extend({
  members: z.array(PublisherMember),
  invitations: z.array(Invitation),
  verification: Verification,
  storage: PublisherStorage,
  pendingName: z
    .object({ name: z.string(), askedAt: Timestamp })
    .optional()
    .describe('The requested new name, until an administrator approves or refuses it.'),
}).meta({ id: 'PublisherDetail' });
export type PublisherDetail = z.infer<typeof PublisherDetail>;

/** The result of looking for the proof in one of the two places. */
export const ProofCheck = z.object({
  place: z.enum(['dns', 'file']),
  at: z.string().describe('Name of the record, or URL of the file.'),
  found: z.boolean(),
  message: z.string().describe('What was found, and what to do.'),
});
export type ProofCheck = z.infer<typeof ProofCheck>;

/** The result of a verification. The file is not checked when the record is found. */
export const VerificationResult = named.object('VerificationResult', {
  verified: z.boolean(),
  checks: z.array(ProofCheck),
});
export type VerificationResult = z.infer<typeof VerificationResult>;
