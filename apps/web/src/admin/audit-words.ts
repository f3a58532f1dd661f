import type { AuditAction, AuditEntry } from '@svc/contracts';
import { AUDIT_WORDS } from '@svc/contracts/vocabulary';

type Detail = AuditEntry['detail'];

/** Actions whose details say what happened: the words for a detail and its value, or any with null. The first that applies names the action. */
const DETAIL_WORDS: Readonly<
  Partial<
    Record<AuditAction, readonly (readonly [name: string, value: Detail[string] | null, words: string])[]>
  >
> = {
  'app.offer': [
    ['to', '', 'took back the offer of an app'],
    ['to', null, 'offered an app to another publisher'],
  ],
  'version.deprecate': [
    ['note', '', 'ended the deprecation of a version'],
    ['note', null, 'deprecated a version'],
  ],
  'app.state': [
    ['delisted', true, 'delisted an app'],
    ['deprecation', '', 'listed an app, not deprecated'],
    ['deprecation', null, 'listed an app as deprecated'],
  ],
  'publisher.change': [
    ['suspended', true, 'suspended a publisher'],
    ['suspended', false, 'unsuspended a publisher'],
    ['verified', true, 'verified a publisher'],
    ['verified', false, 'removed the verification of a publisher'],
  ],
  'person.change': [
    ['suspended', true, 'suspended a user'],
    ['suspended', false, 'unsuspended a user'],
    ['role', 'administrator', 'made a user administrator'],
    ['role', 'moderator', 'made a user moderator'],
    ['role', 'person', 'made a user an ordinary user'],
  ],
  'member.add': [
    ['role', 'owner', 'added an owner'],
    ['role', 'member', 'added a member'],
  ],
  'member.change': [
    ['role', 'owner', 'made a user owner'],
    ['role', 'member', 'made a user member, no longer owner'],
  ],
};

/** An action of the audit log in words, from its details where these say what happened. */
export function actionWords({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): string {
  const found = DETAIL_WORDS[action]?.find(([name, value]) => value === null || detail[name] === value);
  return found?.[2] ?? AUDIT_WORDS[action];
}

/** The detail that names the user whom an action changed. */
const PERSON_DETAILS: Readonly<Partial<Record<AuditAction, string>>> = {
  'member.add': 'personId',
  'member.change': 'personId',
  'member.remove': 'personId',
  'publisher.transfer': 'to',
};

/** The id of the user whom an action changed; null when it changed none. */
export function personIn({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): string | null {
  const id = detail[PERSON_DETAILS[action] ?? 'person'];
  return typeof id === 'string' ? id : null;
}
