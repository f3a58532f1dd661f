import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { APPEAL_OUTCOMES } from '../vocabulary.ts';
import { MAX_INTEGER, Note, PublisherSlug, RuleId, Timestamp } from './common.ts';
import { REPORT_CATEGORIES, REPORT_OUTCOMES } from './reports.ts';

/** The rule for what no other rule covers. Every version of the policy has it. */
export const OTHER_RULE = 'other';

const PolicyRule = named.object('PolicyRule', {
  id: RuleId,
  title: z.string().trim().min(1).max(LIMITS.moderation.reasonTitle),
  text: Note,
});
export type PolicyRule = z.infer<typeof PolicyRule>;

const rules = z.array(PolicyRule).min(1).max(50);
const VersionNumber = z.int().min(1).describe('1 is the built-in policy; each change adds one.');

/** A version of the policy. */
export const Policy = named.object('Policy', {
  version: VersionNumber,
  intro: z.string(),
  rules,
  note: z.string().describe('What changed.'),
  at: Timestamp.nullable().describe('Since when it applies; null for the built-in one.'),
  versions: z
    .array(z.object({ version: VersionNumber, note: z.string(), at: Timestamp.nullable() }))
    .describe('All versions, newest first.'),
});
export type Policy = z.infer<typeof Policy>;

/** Query of the policy. */
export const PolicyQuery = z.object({
  version: z.coerce.number().int().min(1).max(MAX_INTEGER).optional().describe('The newest by default.'),
});

/** Request body that publishes a new version of the policy. */
export const PolicyChange = named.strictObject('PolicyChange', {
  from: VersionNumber.optional().describe(
    'The version that you read: with it, a change of another administrator is not lost.',
  ),
  intro: Note,
  rules: rules
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, {
      error: 'Each id must be unique.',
    })
    .refine((all) => all.some(({ id }) => id === OTHER_RULE), {
      error: `A rule must have the id ${OTHER_RULE}: decisions that no other rule covers cite it.`,
    }),
  note: Note.describe('What changes, for publishers.'),
});
export type PolicyChange = z.infer<typeof PolicyChange>;

/** What a decision of the store did. */
export const DECISION_KINDS = [
  'version-rejected',
  'version-yanked',
  'app-suspended',
  'publisher-suspended',
  'emergency',
] as const;
export const DecisionKind = z.enum(DECISION_KINDS);
export type DecisionKind = z.infer<typeof DecisionKind>;

const AppealOutcome = z.enum(APPEAL_OUTCOMES);
export type AppealOutcome = z.infer<typeof AppealOutcome>;

const AppealMessage = named.object('AppealMessage', {
  side: z.enum(['publisher', 'store']),
  name: z.string().nullable().describe('Name of the author; null for automation and deleted accounts.'),
  at: Timestamp,
  text: z.string(),
});

/** A decision of the store about a publisher, an app or a version, with its appeal. */
export const Decision = named.object('Decision', {
  id: z.string(),
  kind: DecisionKind,
  publisher: PublisherSlug,
  appId: z.string().nullable(),
  appName: z
    .string()
    .nullable()
    .describe('Name in the newest upload; the id when there is none. Null for a decision about a publisher.'),
  version: z.string().nullable(),
  rule: z.object({ id: z.string(), title: z.string() }).describe('The rule of the policy that it cites.'),
  policy: VersionNumber,
  note: z.string(),
  at: Timestamp,
  appeal: z
    .object({
      state: z.enum(['open', ...APPEAL_OUTCOMES]),
      at: Timestamp,
      answer: z.string().nullable(),
      answeredAt: Timestamp.nullable(),
    })
    .nullable(),
  canAppeal: z.boolean().describe('Whether its publisher may appeal, or write in the open appeal.'),
  messages: z.array(AppealMessage),
});
export type Decision = z.infer<typeof Decision>;

/** The decisions about a publisher, newest first. */
export const Decisions = named.object('Decisions', { decisions: z.array(Decision) });
export type Decisions = z.infer<typeof Decisions>;

/** An open appeal, for moderators. */
export const OpenAppeal = Decision.extend({
  publisherName: z.string(),
  decidedBy: z.string(),
  conflict: z
    .enum(['uploader', 'member', 'administrator'])
    .nullable()
    .describe(
      'Why you cannot decide it: you took the decision, you are a member of the publisher, or only administrators can.',
    ),
}).meta({ id: 'OpenAppeal' });
export type OpenAppeal = z.infer<typeof OpenAppeal>;

/** The open appeals, the longest waiting first. */
export const OpenAppeals = named.object('OpenAppeals', { appeals: z.array(OpenAppeal) });
export type OpenAppeals = z.infer<typeof OpenAppeals>;

/** Request body of a message in an appeal. */
export const AppealText = named.strictObject('AppealText', { text: Note });

/** Request body that decides an appeal. */
export const AppealDecision = named.strictObject('AppealDecision', {
  outcome: AppealOutcome,
  note: Note.describe('For the publisher.'),
});
export type AppealDecision = z.infer<typeof AppealDecision>;

const counts = <K extends string>(keys: z.ZodType<K>) => z.object({ what: keys, count: z.int() });

/** What the store decided in a year. */
export const Transparency = named.object('Transparency', {
  year: z.int(),
  decisions: z.array(z.object({ kind: DecisionKind, rule: z.string(), count: z.int() })),
  appeals: z.array(counts(z.enum(['open', ...APPEAL_OUTCOMES]))),
  reports: z.array(
    z.object({
      category: z.enum(REPORT_CATEGORIES),
      state: z.enum(['open', ...REPORT_OUTCOMES]),
      count: z.int(),
    }),
  ),
});
export type Transparency = z.infer<typeof Transparency>;

/** Query of the transparency report. */
export const TransparencyQuery = z.object({
  year: z.coerce.number().int().min(2000).max(9999).optional().describe('The current year by default.'),
});
