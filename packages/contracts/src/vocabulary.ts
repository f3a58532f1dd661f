/** The reasons for a review that have a text of their own. Any other is `flagged:` and the code of a finding. */
const TEXTS = {
  'publisher-confirmation':
    'A member of the publisher must confirm it on the page of the app, after a look at the changes and the hash.',
  'first-version': 'It is the first version of this app. Every first version is reviewed.',
  'permissions-widened': 'It asks for new permissions.',
  'publisher-unverified':
    'Its publisher is not verified. Verify it on the page of the publisher, under Website.',
  carried: 'It comes from another store, and this store reviews what it carries of it.',
  'flagged:face.changed':
    'Its name, author, icon, permission texts, approval texts or CI workflow change. A moderator compares them.',
  'flagged:tools.changed':
    'It adds a tool, or changes the name or description of one. Agents follow these words, so a moderator reads them.',
  'flagged:requires.id':
    'It requires an app that is not published in this store. It can be approved once that app is published.',
  'flagged:people.stopped':
    'The store stopped an app or a publisher of the people behind it. A moderator looks at their record.',
  'flagged:two-persons': 'The policy of the store demands two moderators for it: both approve it.',
  'flagged:check.error': 'A check could not be completed.',
} as const;
export type KnownReviewReason = keyof typeof TEXTS;
export const REVIEW_REASONS = Object.keys(TEXTS) as KnownReviewReason[];

const FLAGGED = 'flagged:';

const isKnown = (reason: string): reason is KnownReviewReason => Object.hasOwn(TEXTS, reason);

/** Explains to the publisher why a moderator reviews a version. Escape the text: it contains unknown codes as they are. */
export function reviewReasonText(reason: string): string {
  if (isKnown(reason)) return TEXTS[reason];
  if (reason.startsWith(FLAGGED)) return `The checks found ${reason.slice(FLAGGED.length)}.`;
  return 'The store requires a review.';
}

// The constants of the contract, apart from its schemas: code that only compares does not need to load zod, which takes the
// command line more time than all its checks.

export { LIMITS } from './limits.ts';
export { MANAGED_WORDS } from './managed-words.ts';

/** Version of the manifest format. */
export const STORE_API_VERSION = 3;

/** The behaviour hints of MCP tools: the value that MCP assumes without one, and the value with which a client asks less. */
export const TOOL_HINTS = {
  readOnlyHint: { assumed: false, loose: true },
  destructiveHint: { assumed: true, loose: false },
  idempotentHint: { assumed: false, loose: true },
  openWorldHint: { assumed: true, loose: false },
} as const;

export type ToolHint = keyof typeof TOOL_HINTS;

export const TOOL_HINT_NAMES = Object.keys(TOOL_HINTS) as ToolHint[];

/** The behaviour hints that a server gives, without its other annotations. */
export function toolHintsOf(annotations: unknown): Partial<Record<ToolHint, boolean>> {
  const given = (annotations ?? {}) as Partial<Record<ToolHint, unknown>>;
  return Object.fromEntries(
    TOOL_HINT_NAMES.flatMap((name) => (typeof given[name] === 'boolean' ? [[name, given[name]]] : [])),
  );
}

/** Name of the manifest inside a bundle. */
export const MANIFEST_FILE = 'plugin.json';

/** Categories of the catalogue. */
export const CATEGORIES = [
  'media',
  'design',
  'productivity',
  'developer',
  'data',
  'marketing',
  'sales',
  'games',
  'communication',
  'finance',
  'education',
  'other',
] as const;

/** Grants that a store app may request. Every app has `storage`, listed or not. */
export const STORE_GRANTS = [
  'storage',
  'files:receive',
  'files:return',
  'host:media',
  'project:write',
] as const;

/** Grants that only built-in apps may have. */
export const BUILT_IN_GRANTS = ['network', 'exec', 'project:read'] as const;

/** Apps that ship with the client. Their ids are reserved. */
export const BUILT_IN_APPS = ['browser-use', 'media', 'chat-artifacts', 'computer-use'] as const;

/** The line of the README that `svc init` writes; publishers replace it. */
export const README_TEMPLATE = 'Describe a first request, the result, and what the app needs.';

/** A name that a server may give its tools (MCP, "Tool Names"). */
export const REMOTE_TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** The name of a tool of the manifest on its MCP server. */
export const remoteNameOf = ({
  id,
  remoteName,
}: {
  id: string;
  remoteName?: string | null | undefined;
}): string => remoteName ?? id;

/** Media operations that the client supports. */
export const MEDIA_OPS = ['resize', 'crop', 'convert', 'compress', 'trim'] as const;

/** Formats that the client can convert to. */
export const MEDIA_FORMATS = [
  'png',
  'jpeg',
  'webp',
  'avif',
  'gif',
  'mp4',
  'webm',
  'mp3',
  'wav',
  'm4a',
  'ogg',
] as const;

/** The page a panel opens when its manifest names none. */
export const DEFAULT_PANEL_ENTRY = 'ui/index.html';

/** Chat providers an app may name in `requires.providers`. */
export const PROVIDERS = ['svc-chat', 'claude-code', 'codex', 'gemini-cli', 'opencode', 'cursor'] as const;

/** The outcomes of an appeal: the decision stays, or is reversed. */
export const APPEAL_OUTCOMES = ['upheld', 'reversed'] as const;

/** Topics of mails that users can choose, and their names. */
export const MAIL_TOPICS = {
  reviews: 'Reviews of versions',
  appeals: 'Appeals and reports',
  apps: 'Apps and publishers',
  moderation: 'What waits for moderators',
} as const;
export type MailTopic = keyof typeof MAIL_TOPICS;
export const isMailTopic = (name: string): name is MailTopic => Object.hasOwn(MAIL_TOPICS, name);
/** How a user gets the mails of a topic: each at once, together once a day, or not. */
export const MAIL_CHOICES = ['at-once', 'daily', 'off'] as const;
export type MailChoice = (typeof MAIL_CHOICES)[number];

/** Actions in the audit log in words; each text follows the name of the actor. */
export const AUDIT_WORDS = {
  'version.submit': 'uploaded a version',
  'version.approve': 'approved a version',
  'version.first': 'approved as the first of two',
  'version.reject': 'rejected a version',
  'version.withdraw': 'retracted a version',
  'version.confirm': 'confirmed a version',
  'version.assign': 'assigned a version',
  'case.assign': 'assigned a case',
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
  'emergency.propose': 'proposed an emergency',
  'emergency.act': 'carried out an emergency',
  'emergency.refuse': 'refused an emergency',
  'emergency.undo': 'undid an emergency',
  'appeal.message': 'wrote in an appeal',
  'appeal.decide': 'decided an appeal',
  'policy.change': 'published a new version of the policy',
  'publisher.create': 'created a publisher',
  'publisher.change': 'edited a publisher',
  'publisher.suspend': 'suspended a publisher',
  'publisher.unsuspend': 'unsuspended a publisher',
  'publisher.name-request': 'requested a new name of a publisher',
  'publisher.name-approve': 'approved the new name of a publisher',
  'publisher.name-refuse': 'rejected the new name of a publisher',
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
  'webhook.pause': 'paused a webhook that stayed down',
  'webhook.resume': 'resumed a webhook',
  'app.publishing': 'changed who may publish an app',
  'device.approve': 'approved a device sign-in',
  'device.deny': 'denied a device sign-in',
  'key.rotate': 'rotated the signing key',
  'key.lost': 'declared a signing key lost',
  'access.change': 'changed the access rules',
  'brand.change': 'changed the name or the logo of the store',
  'featured.change': 'changed the featured apps',
  'managed.change': 'changed the settings of all desktops',
  'upstream.add': 'added an upstream',
  'upstream.change': 'changed what is carried of an upstream',
  'upstream.remove': 'removed an upstream',
  'upstream.key': 'followed the keys of an upstream',
  'upstream.export': 'exported apps of a store to a file',
  'upstream.import': 'imported a file with apps of an upstream',
  'version.carry': 'carried a version of an upstream',
  'person.create': 'created an account',
  'person.change': 'changed an account',
  'person.delete': 'deleted their account',
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
} as const;
export const AUDIT_ACTIONS = Object.keys(AUDIT_WORDS) as (keyof typeof AUDIT_WORDS)[];

/** Parameters of an authorization request that only the client sets: a value from the app would redirect, weaken or rebind the sign-in. */
export const CLIENT_PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'request',
  'request_uri',
  'resource',
  'response_mode',
  'response_type',
  'scope',
  'state',
]);

/** The CI systems whose ID tokens the store understands. `other` identifies a job by the claim `sub` alone. */
export const CI_KINDS = ['github', 'gitlab', 'other'] as const;

/**
 * What may start a job that publishes, by the kind of CI: events that only people who may write to the repository cause (GitHub, "Events that
 * trigger workflows"; GitLab, `CI_PIPELINE_SOURCE`). Others cause `pull_request_target`, `issue_comment`, `workflow_run` and more.
 */
export const CI_EVENTS: Readonly<Record<'github' | 'gitlab', readonly string[]>> = {
  github: ['push', 'release', 'workflow_dispatch', 'repository_dispatch', 'schedule'],
  gitlab: ['push', 'web', 'schedule', 'api', 'trigger', 'pipeline', 'parent_pipeline'],
};

/** Why an attestation does not prove which workflow built a bundle; the code of an issue is `attestation.` and one of these. */
export const ATTESTATION_REFUSALS = [
  'format',
  'certificate',
  'log',
  'signature',
  'subject',
  'identity',
] as const;
export type AttestationRefusal = (typeof ATTESTATION_REFUSALS)[number];

type Workflow = { kind: (typeof CI_KINDS)[number]; issuer: string; claims: Readonly<Record<string, string>> };

const REPOSITORY_CLAIMS = { github: 'repository', gitlab: 'project_path', other: 'sub' } as const;
const FILE_CLAIMS = { github: 'workflow_ref', gitlab: 'ci_config_ref_uri', other: '' } as const;
const HOSTS: Readonly<Record<string, string>> = {
  'token.actions.githubusercontent.com': 'GitHub',
  'gitlab.com': 'GitLab',
};

/** Names a CI workflow for people, such as `GitHub ann/notes, release.yml`. Escape it: others chose the names. */
export function sourceName({ kind, issuer, claims }: Workflow): string {
  const host = URL.parse(issuer)?.host ?? issuer;
  const file = claims[FILE_CLAIMS[kind]]?.split('/').at(-1);
  const from = `${HOSTS[host] ?? host} ${claims[REPOSITORY_CLAIMS[kind]] ?? ''}`;
  return file ? `${from}, ${file}` : from;
}

/** Events that everyone may see: they change what the catalogue has. */
export const PUBLIC_EVENT_TYPES = [
  'version.published',
  'version.yanked',
  'version.unyanked',
  'app.suspended',
  'app.unsuspended',
  'publisher.verified',
  'publisher.unverified',
  'publisher.suspended',
  'publisher.unsuspended',
  'app.deleted',
] as const;

/** All events, those too that only the publisher and administrators see; of the store itself, administrators alone. */
export const EVENT_TYPES = [
  ...PUBLIC_EVENT_TYPES,
  'store.access-changed',
  'store.key-changed',
  'version.submitted',
  'version.approved',
  'version.rejected',
  'version.retracted',
  'version.changes-requested',
  'server.drift',
] as const;
