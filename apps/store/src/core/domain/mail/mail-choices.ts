import {
  isMailTopic,
  MAIL_CHOICES,
  MAIL_TOPICS,
  type MailChoice,
  type MailChoices,
  type MailTopic,
} from '@svc/contracts';
import type { Database } from '../../../platform/database/schema.ts';
import { type Mac, sameSecret } from '../../../platform/secret.ts';
import type { Letters } from './letter.ts';
import type { MailContent } from './mail-store.ts';

/** The topic of each kind of mail of the core that a user can choose; mails about access to an account have none, and are always sent at once. */
const TOPICS: Readonly<Partial<Record<MailContent['kind'], MailTopic>>> = {
  'version-approved': 'reviews',
  'version-rejected': 'reviews',
  'review-message': 'reviews',
  'review-assigned': 'reviews',
  'review-answer': 'reviews',
  'version-uploaded': 'apps',
  'app-offered': 'apps',
  'name-approved': 'apps',
  'name-refused': 'apps',
  'verification-lost': 'apps',
  'reviews-waiting': 'moderation',
};

export const topicOf = (letters: Letters, { kind }: Pick<MailContent, 'kind'>): MailTopic | null =>
  TOPICS[kind] ?? letters[kind]?.topic ?? null;

/** Stores which mails users want, where it is not each at once. */
export const createMailChoiceStore = (db: Database) => ({
  async of(personId: string): Promise<MailChoices> {
    const rows = await db.selectFrom('mail_choices').selectAll().where('person_id', '=', personId).execute();
    const chosen = new Map(rows.map(({ topic, choice }) => [topic, choice as MailChoice]));
    return Object.fromEntries(
      Object.keys(MAIL_TOPICS).map((topic) => [topic, chosen.get(topic) ?? MAIL_CHOICES[0]]),
    ) as MailChoices;
  },
  async set(personId: string, topic: MailTopic, choice: MailChoice): Promise<void> {
    await db
      .insertInto('mail_choices')
      .values({ person_id: personId, topic, choice })
      .onConflict((conflict) => conflict.columns(['person_id', 'topic']).doUpdateSet({ choice }))
      .execute();
  },
});

export type MailChoiceStore = ReturnType<typeof createMailChoiceStore>;

/** The path of the page that ends the mails of a topic for a user, with one click of a mail program too (RFC 8058). */
export const unsubscribePath = (mac: Mac, personId: string, topic: MailTopic): string =>
  `/unsubscribe?key=${Buffer.from(personId).toString('base64url')}.${topic}.${mac(`${personId} ${topic}`)}`;

/** Reads the key of such a path; null for one that is not of this store. */
export function readUnsubscribeKey(mac: Mac, key: string): { personId: string; topic: MailTopic } | null {
  const [id = '', topic = '', given = ''] = key.split('.');
  const personId = Buffer.from(id, 'base64url').toString();
  return isMailTopic(topic) && sameSecret(given, mac(`${personId} ${topic}`)) ? { personId, topic } : null;
}
