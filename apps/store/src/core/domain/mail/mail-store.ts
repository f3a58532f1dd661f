import type { AccessRules, DecisionKind, PersonRole } from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { columnsOf, fieldsOf } from '../../../platform/database/fields.ts';
import { allOf, hasChanged, isInactiveAt, run } from '../../../platform/database/queries.ts';
import type { Database, Tables } from '../../../platform/database/schema.ts';
import type { AccountAction } from '../audit/audit-log.ts';
import type { Act } from './act-words.ts';

type AccountChanged = {
  personId: string;
  action: AccountAction;
  what: string;
  at: string;
  address: string | null;
};

type OfVersion = { publisher: string; appId: string; version: string };

/** The details of each kind of mail of the core, without secrets: text and links are created when it is sent. */
export type CoreMails = {
  invitation: { invitation: string };
  'version-approved': OfVersion;
  'version-rejected': OfVersion & { note: string; rule?: string; policy?: number };
  'review-message': OfVersion & { text: string; requestsChanges: boolean };
  'version-waiting': OfVersion;
  'version-uploaded': OfVersion;
  'review-assigned': { appId: string; version: string };
  'review-answer': { appId: string; version: string; text: string };
  'verification-lost': { publisher: string; website: string };
  'name-approved': { publisher: string; name: string };
  'name-refused': { publisher: string; name: string; note: string };
  'publisher-suspended': { publisher: string; reason?: string };
  'app-suspended': { publisher: string; appId: string; reason: string };
  'reviews-waiting': { waiting: number; overdue: number };
  'new-sign-in': { personId: string; at: string; address: string | null; agent: string };
  'app-offered': { publisher: string; appId: string; from: string };
  'app-moved': { publisher: string; appId: string; from: string; to: string };
  'account-suspended': { reason: string };
  /** `by` is the name of the caller in the audit log. */
  'role-changed': { personId: string; role: PersonRole; suspended: boolean; by: string };
  /** `passkey` is the rule of the store about how the role is used. */
  'own-role-changed': { role: PersonRole; passkey: AccessRules['roles'] };
  'password-reset': { personId: string };
  'confirm-email': { personId: string };
  'new-address': { personId: string; email: string };
  'account-changed': AccountChanged;
  'version-yanked': OfVersion & { reason: string };
  'address-changed': { personId: string };
  /** The end of an act of which the members got a mail. */
  'decision-undone': {
    act: DecisionKind;
    publisher: string;
    appId: string | null;
    version: string | null;
    reason: string;
  };
  'account-unsuspended': { reason: string };
  /** `by` is the name of the caller in the audit log. */
  'publisher-changed': Act & { publisher: string; by: string; at: string; address: string | null };
};

/** The details of the mails of extensions: each extension declares its kinds, in its folder. */
// biome-ignore lint/suspicious/noEmptyInterface: extensions add to it by declaration merging.
export interface ExtensionMails {}

/** The details of each kind of mail. */
export type MailDetails = CoreMails & ExtensionMails;

/** The kind of a mail and its details. */
export type MailContent = {
  [Kind in keyof MailDetails]: { kind: Kind; detail: MailDetails[Kind] };
}[keyof MailDetails];

/** A queued mail. */
export type OutgoingMail = MailContent & {
  id: string;
  recipient: string;
  createdAt: string;
  nextTryAt: string;
  /** The number of attempts to send it. */
  tries: number;
};

/** Mails whose recipient waits for them. */
const AWAITED: readonly MailContent['kind'][] = ['password-reset', 'confirm-email', 'new-address'];

/** Whether a mail goes to another domain. */
const isElsewhere = (domain: string) =>
  sql<SqlBool>`recipient not like ${`%@${domain.replace(/[\\%_]/g, '\\$&')}`} escape '\\'`;

const mailOf = (row: Selectable<Tables['mails']>): OutgoingMail => fieldsOf(row) as object as OutgoingMail;

export function createMailStore(db: Database) {
  const all = db.selectFrom('mails').selectAll();
  return {
    add: ({ detail, ...mail }: OutgoingMail): Promise<void> =>
      run(db.insertInto('mails').values({ ...columnsOf(mail), detail_json: JSON.stringify(detail) })),
    /**
     * The mails that are due: those that a user waits for first, then one of each recipient after the other, the longest waiting
     * first. So many mails to one do not delay those to others.
     * @param busy domains whose mails wait, and whether those that failed before do
     */
    due: (
      now: string,
      limit: number,
      busy: { domains: readonly string[]; failing: boolean } = { domains: [], failing: false },
    ): Promise<OutgoingMail[]> => {
      const isAwaited = sql`case when kind in (${sql.join(AWAITED)}) then 0 else 1 end`;
      const turns = db
        .selectFrom('mails')
        .selectAll()
        .select(sql<number>`row_number() over (partition by recipient order by next_try_at, id)`.as('turn'))
        .where(isInactiveAt('mails.next_try_at', now))
        .where((where) => where.and(busy.domains.map(isElsewhere)))
        .$if(busy.failing, (fresh) => fresh.where('tries', '=', 0))
        .as('waiting');
      return allOf(
        db
          .selectFrom(turns)
          .selectAll()
          .orderBy(isAwaited)
          .orderBy('turn')
          .orderBy('next_try_at')
          .orderBy('id')
          .limit(limit),
        ({ turn: _turn, ...row }) => mailOf(row),
      );
    },
    /** The mails of a recipient, the oldest first. */
    to: (recipient: string, limit: number): Promise<OutgoingMail[]> =>
      allOf(all.where('recipient', '=', recipient).orderBy('created_at').orderBy('id').limit(limit), mailOf),
    /**
     * Claims a mail and counts an attempt; false when another process has claimed it.
     * @param until when other processes may try again, unless it is sent by then
     */
    claim: ({ id, tries }: Pick<OutgoingMail, 'id' | 'tries'>, until: string): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('mails')
          .set({ tries: tries + 1, next_try_at: until })
          .where('id', '=', id)
          .where('tries', '=', tries),
      ),
    /** Postpones a claimed mail until a time. */
    postpone: (id: string, until: string): Promise<void> =>
      run(db.updateTable('mails').set({ next_try_at: until }).where('id', '=', id)),
    remove: (id: string): Promise<void> => run(db.deleteFrom('mails').where('id', '=', id)),
  };
}

export type MailStore = ReturnType<typeof createMailStore>;
