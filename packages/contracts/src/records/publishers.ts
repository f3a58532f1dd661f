import { z } from 'zod';
import { Publisher, PublisherName } from './admin.ts';
import { PublisherSlug, Timestamp } from './common.ts';
import { MemberRole } from './people.ts';

const MAX_ADDRESS = 200;

/** Whether an address is that of a website whose host can be shown to have an owner: a name under the default port. */
function namesWebsite(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, port, username, password } = new URL(text);
  const isName = /^(?=.{1,253}$)(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]*$/.test(hostname);
  return protocol === 'https:' && isName && port === '' && username === '' && password === '';
}

/** Address of a publisher's website. Its host is what is verified, so it has a name, and nothing that could hide it. */
const Website = z
  .string()
  .max(MAX_ADDRESS)
  .regex(/^https:\/\/[^\s\\]+$/, { error: 'must be an https address', abort: true })
  .refine(namesWebsite, {
    error: 'must be the https address of a host with a name, without a port, user or password',
  })
  .describe('An https address; its host is what is verified.');

/** Body that makes a publisher of one's own. */
export const NewOwnPublisher = z
  .strictObject({ slug: PublisherSlug, name: PublisherName, website: Website.optional() })
  .meta({ id: 'NewOwnPublisher' });
export type NewOwnPublisher = z.infer<typeof NewOwnPublisher>;

/** Body that edits a publisher. */
export const PublisherEdit = z
  .strictObject({
    name: PublisherName.optional().describe(
      'The new name of a verified publisher waits for an administrator. No two publishers have names that look alike.',
    ),
    website: Website.nullable()
      .optional()
      .describe(
        'Null takes it away. Another host takes the verification away, unless an administrator gave it.',
      ),
  })
  .refine((edit) => Object.keys(edit).length > 0, { error: 'Name at least one of name and website.' })
  .meta({ id: 'PublisherEdit' });
export type PublisherEdit = z.infer<typeof PublisherEdit>;

/** A person who acts for a publisher. */
export const PublisherMember = z
  .object({
    personId: z.string(),
    name: z.string(),
    email: z.string().nullable().describe('For owners alone; null for others, and when it is not known.'),
    role: MemberRole,
    since: Timestamp,
  })
  .meta({ id: 'PublisherMember' });
export type PublisherMember = z.infer<typeof PublisherMember>;

/** Body that gives a member another role. */
export const MemberChange = z.strictObject({ role: MemberRole }).meta({ id: 'MemberChange' });
export type MemberChange = z.infer<typeof MemberChange>;

/** Body that hands a publisher on. */
export const PublisherTransfer = z
  .strictObject({
    to: z.string().min(1).max(100).describe('The member who becomes an owner; you become a member.'),
  })
  .meta({ id: 'PublisherTransfer' });
export type PublisherTransfer = z.infer<typeof PublisherTransfer>;

const MAX_EMAIL = 254;

/** Body that invites a person to act for a publisher. */
export const NewInvitation = z
  .strictObject({
    email: z
      .email()
      .max(MAX_EMAIL)
      .toLowerCase()
      .optional()
      .describe('Where the link is sent. Without it, pass the link on yourself.'),
    role: MemberRole,
  })
  .meta({ id: 'NewInvitation' });
export type NewInvitation = z.infer<typeof NewInvitation>;

/** An invitation that nobody has accepted yet. */
export const Invitation = z
  .object({
    id: z.string(),
    role: MemberRole,
    email: z.string().optional(),
    invitedBy: z.string().describe('Name of the owner who invites.'),
    createdAt: Timestamp,
    expiresAt: Timestamp,
    url: z
      .string()
      .optional()
      .describe('The link, for owners alone. A person who is signed in and has it may accept, once.'),
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof Invitation>;

/** How a publisher was verified. */
export const VERIFIED_BY = ['website', 'administrator'] as const;
const VerifiedBy = z.enum(VERIFIED_BY);
export type VerifiedBy = z.infer<typeof VerifiedBy>;

/** How a publisher shows that its website is its own: by either of the two. */
const Proof = z.object({
  dns: z
    .object({ name: z.string(), value: z.string() })
    .describe('A TXT record of this name with this value.'),
  file: z.object({ url: z.string(), text: z.string() }).describe('A file at this address with this text.'),
});

/** How it stands with the verification of a publisher. */
const Verification = z.object({
  verifiedBy: VerifiedBy.nullable().describe('Null when it is not verified.'),
  checkedAt: Timestamp.nullable().describe('When the website was last looked at.'),
  missingSince: Timestamp.nullable().describe(
    'Since when the proof is missing. After 14 days the verification is taken away.',
  ),
  publish: Proof.nullable().describe('What to publish on the website; null without a website.'),
});

/** A publisher, and what the caller is in it. */
export const OwnPublisher = Publisher.extend({ role: MemberRole }).meta({ id: 'OwnPublisher' });
export type OwnPublisher = z.infer<typeof OwnPublisher>;

/** The publishers that a person acts for, by their slugs. */
export const OwnPublishers = z.object({ publishers: z.array(OwnPublisher) }).meta({ id: 'OwnPublishers' });
export type OwnPublishers = z.infer<typeof OwnPublishers>;

/** A publisher as those see it who act for it. */
export const PublisherDetail = OwnPublisher.extend({
  members: z.array(PublisherMember),
  invitations: z.array(Invitation),
  verification: Verification,
  pendingName: z
    .object({ name: z.string(), askedAt: Timestamp })
    .optional()
    .describe('A new name that waits for an administrator, as that of a verified publisher does.'),
}).meta({ id: 'PublisherDetail' });
export type PublisherDetail = z.infer<typeof PublisherDetail>;

/** What was found at one of the two places where the proof may stand. */
export const ProofCheck = z.object({
  place: z.enum(['dns', 'file']),
  at: z.string().describe('Name of the record, or address of the file.'),
  found: z.boolean(),
  message: z.string().describe('What was found there, and what to do about it.'),
});
export type ProofCheck = z.infer<typeof ProofCheck>;

/** What came of looking for the proof. The file is not looked at once the record is found. */
export const VerificationResult = z
  .object({ verified: z.boolean(), checks: z.array(ProofCheck) })
  .meta({ id: 'VerificationResult' });
export type VerificationResult = z.infer<typeof VerificationResult>;
