import type { AuditAction, AuditEntry } from '@svc/contracts';

/** The actions of the audit log in words; each text follows the name of the actor. */
export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  'version.submit': 'uploaded a version',
  'version.approve': 'approved a version',
  'version.reject': 'rejected a version',
  'version.confirm': 'confirmed a version',
  'version.withdraw': 'retracted a version',
  'version.assign': 'assigned a version',
  'version.message': 'sent a message about a version',
  'version.request-changes': 'requested changes',
  'version.publish': 'published a version',
  'version.yank': 'yanked a version',
  'version.unyank': 'published a yanked version again',
  'version.tools': 'recorded the tools of a server',
  'server.drift': 'found another list of tools on a server',
  'server.accept': 'accepted the tools of a server',
  'reviewer.deposit': 'deposited a reviewer account',
  'reviewer.remove': 'deleted a reviewer account',
  'app.suspend': 'suspended an app',
  'app.unsuspend': 'unsuspended an app',
  'app.state': 'changed whether an app is listed or deprecated',
  'app.offer': 'offered an app to another publisher, or took the offer back',
  'app.transfer': 'accepted an app of another publisher',
  'app.refuse': 'refused an app of another publisher',
  'app.reassign': 'gave an app to another publisher',
  'app.free': 'took an id that was never published',
  'app.delete': 'deleted an app',
  'version.deprecate': 'changed whether a version is deprecated',
  'report.create': 'reported an app',
  'report.decide': 'decided on reports of an app',
  'appeal.message': 'wrote in an appeal',
  'appeal.decide': 'decided an appeal',
  'policy.change': 'published a new version of the policy',
  'emergency.propose': 'proposed an emergency',
  'emergency.act': 'carried out an emergency',
  'emergency.refuse': 'refused an emergency',
  'emergency.undo': 'undid an emergency',
  'publisher.create': 'created a publisher',
  'publisher.change': 'edited a publisher',
  'publisher.name-request': 'requested a new publisher name',
  'publisher.name-approve': 'approved a publisher name',
  'publisher.name-refuse': 'rejected a publisher name',
  'publisher.verify': 'verified a publisher',
  'publisher.unverify': 'removed the verification of a publisher',
  'publisher.transfer': 'transferred a publisher',
  'publisher.delete': 'deleted a publisher',
  'member.add': 'added a member',
  'member.change': 'changed the role of a member',
  'member.remove': 'removed a member',
  'invitation.create': 'invited a member',
  'invitation.revoke': 'revoked an invitation',
  'token.issue': 'created a token',
  'token.revoke': 'revoked a token',
  'ci.add': 'trusted a CI workflow',
  'ci.remove': 'removed a trusted CI workflow',
  'webhook.add': 'added a webhook',
  'webhook.remove': 'removed a webhook',
  'app.publishing': 'changed who may publish an app',
  'device.approve': 'approved a device sign-in',
  'device.deny': 'denied a device sign-in',
  'key.rotate': 'rotated the signing key',
  'key.lost': 'declared a signing key lost',
  'access.change': 'changed the access rules',
  'featured.change': 'changed the featured apps',
  'person.create': 'created an account',
  'person.delete': 'deleted their account',
  'person.change': 'changed an account',
  'session.begin': 'signed in',
  'session.prove': 'proved their identity again',
  'session.end': 'signed out',
  'password.set': 'set a password',
  'password.remove': 'removed a password',
  'password.link': 'created a password link',
  'email.confirm': 'confirmed an email address',
  'email.change': 'changed their email address',
  'passkey.add': 'added a passkey',
  'passkey.rename': 'renamed a passkey',
  'passkey.remove': 'removed a passkey',
  'identity.add': 'connected a sign-in account',
  'identity.remove': 'disconnected a sign-in account',
  'rating.write': 'rated an app',
  'rating.remove': 'removed a rating',
  'rating.reply': 'replied to a review',
  'rating.unreply': 'removed a reply',
  'rating.flag': 'reported a review',
  'rating.hide': 'hid a review',
  'rating.keep': 'kept a reported review',
};

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
  return found?.[2] ?? ACTION_WORDS[action];
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
