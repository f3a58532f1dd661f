import { z } from 'zod';
import { Timestamp } from './common.ts';

/** A setting in force. What could hold a secret is never shown. */
const Setting = z.object({
  name: z.string().describe('As the environment spells it, or `policy.` and a key of the policy file.'),
  value: z.string().describe('Of a secret only `set` or `not set`; empty when there is none.'),
  secret: z.boolean(),
  given: z.boolean().describe('Whether the operator set it; otherwise it is the default.'),
});

/** All settings in force in the process that answers. */
export const SettingsInForce = z.object({ settings: z.array(Setting) }).meta({ id: 'SettingsInForce' });
export type SettingsInForce = z.infer<typeof SettingsInForce>;

const Count = z.int().min(0);

/** How a store fares. */
export const StoreHealth = z
  .object({
    at: Timestamp,
    probes: z
      .array(z.object({ name: z.string(), ok: z.boolean() }))
      .describe('What the store cannot do without, as `/readyz` asks for it.'),
    queue: z
      .object({
        waiting: Count,
        overdue: Count,
        oldestAt: Timestamp.nullable().describe('When the oldest of them was submitted.'),
        unassigned: Count.describe('Those assigned to no moderator.'),
        changesRequested: Count.describe('Those that wait for an answer of their publisher.'),
        locked: Count.describe('Those that a moderator looks at just now.'),
      })
      .describe('Versions that wait for a person, and those whose due date has passed.'),
    versions: z
      .object({
        submitted: Count,
        checking: Count,
        approved: Count,
        oldestAt: Timestamp.nullable().describe('When the oldest of them was submitted.'),
        abandoned: Count.describe('Those on which no process holds a lease: the next one continues them.'),
      })
      .describe('Versions under way without a person: seconds are usual, minutes are not.'),
    mails: z.object({
      waiting: Count,
      tried: Count.describe('Those of them that were tried and could not be sent yet.'),
      oldestAt: Timestamp.nullable(),
      carried: z.boolean().describe('Whether a mail server is set; otherwise mails go into the log.'),
    }),
    revocations: z
      .object({
        entries: Count,
        signedAt: Timestamp,
        stale: z.boolean().describe('Signed longer than an hour ago, which is later than promised.'),
      })
      .nullable()
      .describe('The list that was signed last; null before the first.'),
    jobs: z
      .array(
        z.object({
          name: z.string(),
          doneAt: Timestamp.nullable().describe('When it last came to its end.'),
          failedAt: Timestamp.nullable().describe('When it last failed.'),
        }),
      )
      .describe('What the process that answers does again and again, since it started.'),
  })
  .meta({ id: 'StoreHealth' });
export type StoreHealth = z.infer<typeof StoreHealth>;
