import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { Timestamp } from './common.ts';
import { refuseHiddenInLines } from './plain-text.ts';
import { VersionState } from './versions.ts';

/** Text of a message about a version in review: plain text that is never rendered as markup. */
const MessageText = z
  .string()
  .max(LIMITS.note * 2)
  .transform((written) => written.replace(/\r\n?/g, '\n').trim())
  .pipe(z.string().min(1).max(LIMITS.note).superRefine(refuseHiddenInLines));

/** The role in which a message was written. */
export const AuthorRole = z.enum(['moderator', 'owner', 'member', 'automation']);
export type AuthorRole = z.infer<typeof AuthorRole>;

/** A message about a version. It has the name and role of its author, but no id and no email address. */
export const ReviewMessage = named.object('ReviewMessage', {
  number: z.int().min(1).describe('Place in the conversation, from 1.'),
  at: Timestamp,
  side: z.enum(['store', 'publisher']).describe('The side of the author.'),
  role: AuthorRole.describe('Role of the author when it was written.'),
  name: z.string().nullable().describe('Current name of the author; null for automation.'),
  isYours: z.boolean(),
  requestsChanges: z.boolean().describe('Whether the message requests changes.'),
  text: z.string().describe('Plain text, untrusted: do not render it as markup.'),
});
export type ReviewMessage = z.infer<typeof ReviewMessage>;

/** The messages of moderators and members of the publisher about a version, oldest first. */
export const Conversation = named.object('Conversation', {
  appId: z.string(),
  version: z.string(),
  status: VersionState.describe('The conversation is open while this is `in_review`.'),
  changesRequestedAt: Timestamp.nullable().describe(
    'When the open request for changes was made; null when there is none.',
  ),
  messages: z.array(ReviewMessage),
  left: z.int().min(0).describe('How many messages you can still write.'),
});
export type Conversation = z.infer<typeof Conversation>;

/** A message of a member of the publisher. It answers an open request for changes. */
export const PublisherMessage = named.strictObject('PublisherMessage', { text: MessageText });
export type PublisherMessage = z.infer<typeof PublisherMessage>;

/** A message of a moderator. */
export const ModeratorMessage = z
  .strictObject({
    text: MessageText.optional().describe('Required without a `reason`.'),
    reason: z.string().optional().describe('Id of a canned reason. Its text is put before yours.'),
    requestChanges: z
      .boolean()
      .optional()
      .describe('Requests changes: the version stays in review until the publisher answers.'),
    override: z.boolean().optional().describe('Requests changes even if another moderator holds the lock.'),
  })
  .refine(({ text, reason }) => text !== undefined || reason !== undefined, {
    path: ['text'],
    error: 'Give a `text`, a `reason` or both.',
  })
  .meta({ id: 'ModeratorMessage' });
export type ModeratorMessage = z.infer<typeof ModeratorMessage>;
