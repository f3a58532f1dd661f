import { AUDIT_WORDS, type AuditAction } from '@svc/contracts';
import type { AuditEvent } from '../audit/audit-log.ts';

/** An entry of the audit log, or an event that becomes one. */
export type Act = Pick<AuditEvent<AuditAction>, 'action' | 'appId' | 'version' | 'publisher' | 'detail'>;

const A_ROLE: Readonly<Record<string, string>> = { owner: 'an owner', member: 'a member' };

/** The id of the user whom an act is about; null when it is about none. */
export function concernedBy({ action, detail = {} }: Pick<Act, 'action' | 'detail'>): string | null {
  const id = action === 'publisher.transfer' ? detail.to : detail.personId;
  return typeof id === 'string' ? id : null;
}

type Words = (about: { who: string; detail: Record<string, unknown>; app: string }) => string;

/** What an act did, for those that the words of the audit log do not describe enough. */
const WORDS: Partial<Record<AuditAction, Words>> = {
  'member.add': ({ who, detail }) => `made ${who} ${A_ROLE[String(detail.role)]}`,
  'member.change': ({ who, detail }) => `made ${who} ${A_ROLE[String(detail.role)]}`,
  'member.remove': ({ who }) => `removed ${who} from the members`,
  'publisher.transfer': ({ who }) => `handed the publisher over to ${who}`,
  'publisher.change': ({ detail }) =>
    'website' in detail
      ? `changed the website to ${detail.website || 'none'}`
      : 'verified' in detail
        ? `${detail.verified ? 'marked the publisher as verified' : 'removed the verification'}`
        : AUDIT_WORDS['publisher.change'],
  'publisher.verify': ({ detail }) =>
    detail.by === 'administrator'
      ? 'marked the publisher as verified'
      : `verified the publisher by ${detail.website ?? 'its website'}`,
  'publisher.unverify': () => 'removed the verification',
  'ci.add': ({ detail, app }) => `let the CI workflow ${detail.workflow} publish ${app}`,
  'ci.remove': ({ detail, app }) => `removed the CI workflow ${detail.workflow} of ${app}`,
  'webhook.add': ({ detail }) => `added a webhook to ${detail.host}`,
  'webhook.remove': ({ detail }) => `removed the webhook to ${detail.host}`,
  'reviewer.deposit': ({ detail, app }) => `deposited a reviewer account for ${app} at ${detail.host}`,
  'reviewer.remove': ({ app }) => `deleted the reviewer account of ${app}`,
  'app.offer': ({ detail, app }) =>
    detail.to ? `offered ${app} to the publisher ${detail.to}` : `took back the offer of ${app}`,
  'app.transfer': ({ detail, app }) => `accepted ${app} from the publisher ${detail.from}`,
  'app.publishing': ({ app }) => `changed who may publish ${app}`,
};

/**
 * An act in words, which follow the name of its actor. It quotes names that others chose: escape it.
 * @param nameOf the name of a user; undefined when the account does not exist any more
 */
export function actWords(act: Act, nameOf: (personId: string) => string | undefined): string {
  const id = concernedBy(act);
  const who = id === null ? 'a user' : `"${nameOf(id) ?? 'a deleted account'}"`;
  const app = [act.appId, act.version].filter(Boolean).join(' ') || 'an app';
  const words = WORDS[act.action]?.({ who, detail: act.detail ?? {}, app });
  return words ?? `${AUDIT_WORDS[act.action]}${act.appId ? `: ${app}` : ''}`;
}
