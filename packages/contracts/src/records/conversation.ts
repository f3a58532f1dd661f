import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { Timestamp } from './common.ts';
import { refuseHiddenInLines } from './plain-text.ts';
import { VersionState } from './versions.ts';

/** What is written of a version in review: plain text, of which no page makes markup. */
const MessageText = z
  .string()
  .max(LIMITS.note * 2)
  .transform((written) => written.replace(/\r\n?/g, '\n').trim())
  .pipe(z.string().min(1).max(LIMITS.note).superRefine(refuseHiddenInLines));

/** As what a message was written. */
export const AuthorRole = z.enum(['moderator', 'owner', 'member', 'automation']);
export type AuthorRole = z.infer<typeof AuthorRole>;

/** A message about a version. Its author has a name and a role here, and neither an id nor an address. */
export const ReviewMessage = z
  .object({
    number: z.int().min(1).describe('Place in the conversation, from 1.'),
    at: Timestamp,
    side: z.enum(['store', 'publisher']).describe('For whom it was written.'),
    role: AuthorRole.describe('Role of the author when it was written.'),
    name: z.string().nullable().describe('What the author is called now; null for automation.'),
    isYours: z.boolean(),
    requestsChanges: z.boolean().describe('Whether a moderator requested changes with it.'),
    text: z.string().describe('Plain text. It is from a person: show it as text.'),
  })
  .meta({ id: 'ReviewMessage' });
export type ReviewMessage = z.infer<typeof ReviewMessage>;

/** What a moderator and the members of a publisher said about a version, oldest first. */
export const Conversation = z
  .object({
    appId: z.string(),
    version: z.string(),
    status: VersionState.describe('Messages are taken while it is `in_review`.'),
    changesRequestedAt: Timestamp.nullable().describe(
      'Since when a request for changes waits for an answer of the publisher; null while none does.',
    ),
    messages: z.array(ReviewMessage),
    left: z.int().min(0).describe('Messages that you can still write.'),
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.infer<typeof Conversation>;

/** A message of a publisher's member. It answers a request for changes. */
export const PublisherMessage = z.strictObject({ text: MessageText }).meta({ id: 'PublisherMessage' });
export type PublisherMessage = z.infer<typeof PublisherMessage>;

/** A message of a moderator. */
export const ModeratorMessage = z
  .strictObject({
    text: MessageText.optional().describe('Required without a `reason`.'),
    reason: z.string().optional().describe('Id of a canned reason, whose text goes ahead of yours.'),
    requestChanges: z
      .boolean()
      .optional()
      .describe('Request changes: the version stays in review and waits for the publisher.'),
    override: z.boolean().optional().describe('Request changes although another moderator holds the lock.'),
  })
  .refine(({ text, reason }) => text !== undefined || reason !== undefined, {
    path: ['text'],
    error: 'Write a text, or give the id of a canned reason.',
  })
  .meta({ id: 'ModeratorMessage' });
export type ModeratorMessage = z.infer<typeof ModeratorMessage>;
