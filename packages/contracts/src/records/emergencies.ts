import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { AppId, Note, PublisherSlug, Timestamp } from './common.ts';
import { MemberRole } from './people.ts';

/** Path parameters of an emergency. */
export const EmergencyParam = z.object({ id: z.string().min(1).max(100).describe('Id of the emergency.') });

const target = {
  publisher: PublisherSlug.optional().describe('Acts on this publisher and all its apps.'),
  appId: AppId.max(LIMITS.manifest.id).optional().describe('Acts on this app only.'),
};

const hasOneTarget = ({ publisher, appId }: { publisher?: string | undefined; appId?: string | undefined }) =>
  (publisher === undefined) !== (appId === undefined);

const ONE_TARGET = { error: 'Give exactly one of `publisher` and `appId`.', path: ['publisher'] };

/** What to act on. */
export const EmergencyTarget = z.object(target).refine(hasOneTarget, ONE_TARGET);

/** What users who have the app should do. */
export const ADVICE = ['disconnect-accounts', 'rotate-keys', 'uninstall'] as const;
export const Advice = z.enum(ADVICE);
export type Advice = z.infer<typeof Advice>;

/** What an emergency does. */
const acts = {
  yank: z.boolean().default(true).describe('Yanks every published version.'),
  suspend: z.boolean().default(true).describe('Suspends the publisher, or the app.'),
  revokeTokens: z
    .boolean()
    .default(true)
    .describe('Revokes the tokens of the publisher, and those that its members own or created.'),
  endSessions: z.boolean().default(true).describe('Signs the members of the publisher out.'),
};

const suspendMembers = z
  .array(z.string().min(1).max(100))
  .max(100)
  .default([])
  .describe(
    'Ids of members of the publisher whose accounts it suspends, so that they cannot go on under another name.',
  );

/** Request body that starts an emergency. */
export const NewEmergency = z
  .strictObject({
    ...target,
    ...acts,
    suspendMembers,
    reason: Note.describe('Why. It is signed into the revocation list, and shown to users and publishers.'),
    advice: z
      .array(Advice)
      .max(ADVICE.length)
      .default([])
      .describe('What users should do. It is added to the reason.'),
  })
  .refine(hasOneTarget, ONE_TARGET)
  .refine((body) => body.yank || body.suspend || body.revokeTokens || body.endSessions, {
    error: 'Choose at least one of `yank`, `suspend`, `revokeTokens` and `endSessions`.',
    path: ['yank'],
  })
  .meta({ id: 'NewEmergency' });
export type NewEmergency = z.infer<typeof NewEmergency>;

/** Request body that refuses or undoes an emergency. */
export const EmergencyAnswer = named.strictObject('EmergencyAnswer', {
  reason: Note.describe('Why. It is recorded.'),
});

/** What an emergency reaches. */
export const EmergencyReach = named.object('EmergencyReach', {
  apps: z.int().describe('Apps, published or not.'),
  versions: z.int().describe('Published versions, which a yank ends.'),
  installs: z.int().describe('Installs of the apps.'),
  members: z.int(),
  tokens: z.int().describe('Valid tokens that may act for the publisher.'),
  sessions: z.int().describe('Sessions of the members.'),
  dependants: z
    .array(z.object({ appId: z.string(), name: z.string(), publisher: z.string() }))
    .describe('Listed apps of other publishers that require one of the apps; at most 100.'),
});
export type EmergencyReach = z.infer<typeof EmergencyReach>;

/** An app as users know it. */
const KnownApp = z.object({
  name: z.string().describe('Name in the newest upload.'),
  version: z.string().describe('The newest upload, which has its icon.'),
});

/** A preview of an emergency, which changes nothing. */
export const EmergencyPreview = named.object('EmergencyPreview', {
  name: z.string().describe('Name of the publisher that it acts on, or whose app it acts on.'),
  app: KnownApp.nullable()
    .optional()
    .describe('The app that it acts on; null for all of the publisher. Older stores leave it out.'),
  reach: EmergencyReach,
  needsSecond: z.boolean().describe('Whether a yank must be confirmed by a second administrator.'),
  people: z
    .array(z.object({ id: z.string(), name: z.string(), role: MemberRole, suspended: z.boolean() }))
    .describe('The members of the publisher, the earliest first; at most 100.'),
});
export type EmergencyPreview = z.infer<typeof EmergencyPreview>;

/** The states of an emergency: it waits for a second administrator, was done, was refused by one, or was undone. */
export const EMERGENCY_STATES = ['waiting', 'done', 'refused', 'undone'] as const;
const EmergencyState = z.enum(EMERGENCY_STATES);
export type EmergencyState = z.infer<typeof EmergencyState>;

/** What an emergency did. */
export const EmergencyEffects = z.object({
  versionsYanked: z.int(),
  suspended: z
    .boolean()
    .describe('Whether it suspended the publisher or the app, which was not suspended before.'),
  tokensRevoked: z.int(),
  sessionsEnded: z.int(),
  membersSuspended: z.array(z.string()).optional().describe('Ids of those whose accounts it suspended.'),
});
export type EmergencyEffects = z.infer<typeof EmergencyEffects>;

/** An emergency. Actors are named as in the audit log. */
export const Emergency = named.object('Emergency', {
  id: z.string(),
  state: EmergencyState,
  publisher: PublisherSlug,
  appId: z.string().nullable().describe('Null when it acts on all apps of the publisher.'),
  acts: z.object({
    yank: z.boolean(),
    suspend: z.boolean(),
    revokeTokens: z.boolean(),
    endSessions: z.boolean(),
    suspendMembers: z.array(z.string()).optional(),
  }),
  reason: z.string().describe('The reason with the advice, as users see it.'),
  reach: EmergencyReach.describe('What it reached when it was started.'),
  effects: EmergencyEffects.nullable().describe('Null until it is done.'),
  startedBy: z.string(),
  startedAt: Timestamp,
  decidedBy: z
    .string()
    .nullable()
    .describe('Who confirmed or refused it; the same as `startedBy` if one was enough.'),
  decidedAt: Timestamp.nullable(),
  undoneBy: z.string().nullable(),
  undoneAt: Timestamp.nullable(),
});
export type Emergency = z.infer<typeof Emergency>;

/** The last emergencies, newest first. */
export const Emergencies = named.object('Emergencies', {
  emergencies: z.array(Emergency),
  names: z
    .record(z.string(), z.string())
    .describe('Current names of the actors, and of the publishers as `publisher:<slug>`.'),
  apps: z.record(z.string(), KnownApp).describe('The apps of emergencies about one, by their ids.'),
});
export type Emergencies = z.infer<typeof Emergencies>;
