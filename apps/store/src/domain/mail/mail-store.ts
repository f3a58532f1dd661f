import type { AppealOutcome, EmergencyEffects, ReportOutcome } from '@svc/contracts';
import type { Selectable } from 'kysely';
import { columnsOf, fieldsOf } from '../../platform/database/fields.ts';
import { allOf, hasChanged, isInactiveAt } from '../../platform/database/queries.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
import type { AccountAction } from '../audit/audit-log.ts';

/** The kind of a mail and its details, without secrets: text and links are created when it is sent. */
export type MailContent =
  | { kind: 'invitation'; detail: { invitation: string } }
  | { kind: 'version-approved'; detail: { publisher: string; appId: string; version: string } }
  | {
      kind: 'version-rejected';
      detail: {
        publisher: string;
        appId: string;
        version: string;
        note: string;
        rule?: string;
        policy?: number;
      };
    }
  | { kind: 'appeal-message'; detail: { publisher: string; text: string } }
  | { kind: 'appeal-decided'; detail: { publisher: string; outcome: AppealOutcome; note: string } }
  | {
      kind: 'review-message';
      detail: { publisher: string; appId: string; version: string; text: string; requestsChanges: boolean };
    }
  | { kind: 'version-waiting'; detail: { publisher: string; appId: string; version: string } }
  | { kind: 'review-assigned'; detail: { appId: string; version: string } }
  | { kind: 'review-answer'; detail: { appId: string; version: string; text: string } }
  | { kind: 'verification-lost'; detail: { publisher: string; website: string } }
  | { kind: 'name-approved'; detail: { publisher: string; name: string } }
  | { kind: 'name-refused'; detail: { publisher: string; name: string; note: string } }
  | { kind: 'publisher-suspended'; detail: { publisher: string; reason?: string } }
  | { kind: 'app-suspended'; detail: { publisher: string; appId: string; reason: string } }
  | { kind: 'reviews-waiting'; detail: { waiting: number; overdue: number } }
  | { kind: 'deactivations-held'; detail: { provider: string; limit: number } }
  | { kind: 'new-sign-in'; detail: { personId: string; at: string; address: string | null; agent: string } }
  | { kind: 'app-offered'; detail: { publisher: string; appId: string; from: string } }
  | { kind: 'app-moved'; detail: { publisher: string; appId: string; from: string; to: string } }
  | {
      kind: 'emergency';
      detail: { publisher: string; appId: string | null; reason: string } & EmergencyEffects;
    }
  | {
      kind: 'report-decided';
      detail: { appId: string; version: string; outcome: ReportOutcome; note: string };
    }
  | { kind: 'emergency-undone'; detail: { publisher: string; reason: string } }
  | { kind: 'emergency-waiting'; detail: { publisher: string; reason: string } }
  | {
      kind: 'tools-drift';
      detail: { publisher: string; appId: string; version: string; tools: string[]; suspended: boolean };
    }
  | { kind: 'account-suspended'; detail: { reason: string } }
  | { kind: 'password-reset'; detail: { personId: string } }
  | { kind: 'confirm-email'; detail: { personId: string } }
  | { kind: 'new-address'; detail: { personId: string; email: string } }
  | {
      kind: 'account-changed';
      detail: { personId: string; action: AccountAction; what: string; at: string; address: string | null };
    }
  | { kind: 'version-yanked'; detail: { publisher: string; appId: string; version: string; reason: string } }
  | { kind: 'address-changed'; detail: { personId: string } };

/** A queued mail. */
export type OutgoingMail = MailContent & {
  id: string;
  recipient: string;
  createdAt: string;
  nextTryAt: string;
  /** The number of attempts to send it. */
  tries: number;
};

const mailOf = (row: Selectable<Tables['mails']>): OutgoingMail => fieldsOf(row) as object as OutgoingMail;

export function createMailStore(db: Database) {
  return {
    async add({ detail, ...mail }: OutgoingMail): Promise<void> {
      await db
        .insertInto('mails')
        .values({ ...columnsOf(mail), detail_json: JSON.stringify(detail) })
        .execute();
    },
    /** The mails that are due, the longest waiting first. */
    due: (now: string, limit: number): Promise<OutgoingMail[]> =>
      allOf(
        db
          .selectFrom('mails')
          .selectAll()
          .where(isInactiveAt('mails.next_try_at', now))
          .orderBy('next_try_at')
          .orderBy('id')
          .limit(limit),
        mailOf,
      ),
    /** The mails of a recipient, the oldest first. */
    to: (recipient: string, limit: number): Promise<OutgoingMail[]> =>
      allOf(
        db
          .selectFrom('mails')
          .selectAll()
          .where('recipient', '=', recipient)
          .orderBy('created_at')
          .orderBy('id')
          .limit(limit),
        mailOf,
      ),
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
    async postpone(id: string, until: string): Promise<void> {
      await db.updateTable('mails').set({ next_try_at: until }).where('id', '=', id).execute();
    },
    async remove(id: string): Promise<void> {
      await db.deleteFrom('mails').where('id', '=', id).execute();
    },
  };
}

export type MailStore = ReturnType<typeof createMailStore>;
