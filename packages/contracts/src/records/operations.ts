import { z } from 'zod';
import { named } from '../named.ts';
import { Timestamp } from './common.ts';

/** A setting in force. The value of a secret is never shown. */
const Setting = z.object({
  name: z.string().describe('Name of the environment variable, or `policy.` and a key of the policy file.'),
  value: z.string().describe('The value; `set` or `not set` for a secret; empty when there is none.'),
  secret: z.boolean(),
  about: z.string().describe('What it does, in Markdown; empty for keys of the policy file.'),
  given: z.boolean().describe('Whether the operator set it; if not, the value is the default.'),
});

/** All settings in force in the process that answers. */
export const SettingsInForce = named.object('SettingsInForce', { settings: z.array(Setting) });
export type SettingsInForce = z.infer<typeof SettingsInForce>;

const Count = z.int().min(0);

const Version = z.object({ appId: z.string(), version: z.string() });

/** The health of the store. */
export const StoreHealth = named.object('StoreHealth', {
  at: Timestamp,
  probes: z
    .array(z.object({ name: z.string(), ok: z.boolean() }))
    .describe('Checks of the services that the store depends on, as in `/readyz`.'),
  services: z
    .array(
      z.object({
        name: z.string(),
        ok: z.boolean(),
        since: Timestamp.nullable().describe('Since when it cannot be reached.'),
        failures: Count.describe('Tries that failed since then.'),
      }),
    )
    .describe(
      'Services that the process that answers calls: sign-in providers, the mail server, websites, servers of apps, receivers of webhooks. The store works without them; what they are for waits or is refused.',
    ),
  resources: z
    .array(
      z.object({
        name: z.string().describe('`file descriptors`, `memory` or `heap`.'),
        used: Count,
        limit: Count,
        since: Timestamp.nullable().describe('Since when it has been near its end; null when it is not.'),
      }),
    )
    .describe('What the process that answers can use up: numbers of descriptors, on Linux, and bytes.'),
  queue: z
    .object({
      waiting: Count,
      overdue: Count,
      oldestAt: Timestamp.nullable().describe('When the oldest of them was submitted.'),
      unassigned: Count.describe('Versions without an assigned moderator.'),
      changesRequested: Count.describe('Versions with an open request for changes.'),
      locked: Count.describe('Versions that a moderator has locked.'),
    })
    .describe('Versions in review.'),
  versions: z
    .object({
      submitted: Count,
      checking: Count,
      approved: Count,
      oldestAt: Timestamp.nullable().describe('When the oldest of them was submitted.'),
      abandoned: Count.describe(
        'Versions on which no process holds a lease; another process will continue them.',
      ),
    })
    .describe('Versions in automatic processing. Seconds are normal; minutes are not.'),
  mails: z.object({
    waiting: Count,
    tried: Count.describe('Mails that failed at least once and will be retried.'),
    oldestAt: Timestamp.nullable(),
    carried: z
      .boolean()
      .describe('Whether a mail server is configured; if not, mails are written to the log.'),
  }),
  revocations: z
    .object({
      entries: Count,
      signedAt: Timestamp,
      stale: z.boolean().describe('Whether the list was signed more than an hour ago, which is too old.'),
    })
    .nullable()
    .describe('The latest signed revocation list; null before the first one.'),
  rollback: z
    .object({
      noticedAt: Timestamp,
      yanks: z
        .array(Version)
        .describe('Versions whose yanks the database had lost; they are yanked again. Named for a week.'),
      gone: z
        .array(Version)
        .describe(
          'Published versions that are no longer in the database. Each is named for a month, or until it is back or a greater version of its app is published.',
        ),
    })
    .nullable()
    .describe(
      'What was lost when the database was replaced by an older copy, as far as the store knows; null when nothing was.',
    ),
  log: z
    .object({
      size: Count.describe('Entries that are published.'),
      waiting: Count.describe('Entries that are not published yet. Some for a second are normal.'),
      publishedAt: Timestamp.nullable().describe(
        'When the process that answers last found that every entry is published; null since it started.',
      ),
      cosigned: Count.describe('Witnesses that cosigned the checkpoint.'),
      quorum: Count.describe('Cosignatures that clients may demand.'),
      fault: z
        .string()
        .nullable()
        .describe(
          'What a client or a witness has seen that this log contradicts, as far as this process knows.',
        ),
    })
    .nullable()
    .describe('The log of what changes trust; null where it is switched off.'),
  backup: z
    .object({
      takenAt: Timestamp.nullable().describe('When the last backup was taken that can be restored.'),
      checkedAt: Timestamp,
      fault: z.string().nullable().describe('Why the one that was verified last cannot be restored.'),
    })
    .nullable()
    .describe('What `svc-store backup verify` found last; null before the first time.'),
  jobs: z
    .array(
      z.object({
        name: z.string(),
        doneAt: Timestamp.nullable().describe('When it last succeeded.'),
        failedAt: Timestamp.nullable().describe('When it last failed.'),
      }),
    )
    .describe('Background jobs of the process that answers, since it started.'),
});
export type StoreHealth = z.infer<typeof StoreHealth>;
