import { escapeLines, escapeText } from '@svc/text';
import type { Clock } from '../../platform/system.ts';
import { holds } from '../../platform/terms.ts';
import type { InvitationStore } from '../identity/invitation-store.ts';
import type { PersonStore } from '../identity/person-store.ts';
import type { PublisherStore } from '../identity/publisher-store.ts';
import type { MailContent } from './mail-store.ts';

export type WriteDeps = {
  invitations: InvitationStore;
  people: PersonStore;
  publishers: PublisherStore;
  clock: Clock;
  baseUrl: string;
  storeName: string;
  /** The link of an invitation, by its id. */
  invitationUrl(id: string): string;
  /** A fresh link under which a person sets a new password; null when there is no such person, or nothing to set. */
  resetLink(personId: string): Promise<string | null>;
  /** A fresh link by which a person shows that their address is theirs; null when there is nothing to show. */
  confirmLink(personId: string): Promise<string | null>;
};

type Text = { subject: string; text: string };

/** Text of others as one line, which ends no header and begins none (RFC 5322 section 2.2). */
const oneLine = (text: string): string => escapeText(text, 'mail');

/** What a person wrote: marked as quoted (RFC 3676 section 4.5), so that no line of it passes for ours. */
const quoted = (text: string): string => escapeLines(text, 'mail', '> ');

const AS = { owner: 'an owner', member: 'a member' } as const;

type Writers = {
  [K in MailContent['kind']]: (
    deps: WriteDeps,
    detail: Extract<MailContent, { kind: K }>['detail'],
  ) => Promise<Text | null>;
};

const WRITERS: Writers = {
  async invitation(deps, { invitation: id }) {
    const invitation = await deps.invitations.find(id);
    if (!invitation || !holds('invitations.expires_at', invitation.expiresAt, deps.clock().toISOString()))
      return null;
    const [publisher, inviter] = await Promise.all([
      deps.publishers.find(invitation.publisher),
      deps.people.find(invitation.invitedBy),
    ]);
    if (!publisher || !inviter) return null;
    return {
      subject: `Invitation to act for the publisher ${publisher.slug}`,
      text: `${oneLine(inviter.name)} invites you to act for the publisher ${publisher.slug} ("${oneLine(publisher.name)}") as ${AS[invitation.role]}.

To see the invitation, and to accept it, open:
${deps.invitationUrl(id)}

The link works once, until ${invitation.expiresAt.slice(0, 10)}. If you do not know what this is about, do nothing.`,
    };
  },
  'version-approved': async (_deps, { appId, version }) => ({
    subject: `${appId} ${version} was approved`,
    text: `The review of ${appId} ${version} is done: it was approved, and is published.`,
  }),
  'version-rejected': async (_deps, { appId, version, note }) => ({
    subject: `${appId} ${version} was rejected`,
    text: `The review of ${appId} ${version} is done: it was rejected, for this reason:

${quoted(note)}

Fix what it names, raise the version, and publish again.`,
  }),
  'review-message': async ({ baseUrl }, { publisher, appId, version, text, requestsChanges }) => ({
    subject: requestsChanges
      ? `Changes requested for ${appId} ${version}`
      : `A moderator wrote about ${appId} ${version}`,
    text: `${requestsChanges ? `A moderator requests changes before ${appId} ${version} can be approved` : `A moderator wrote about ${appId} ${version}, which is in review`}:

${quoted(text)}

Answer on the page of the app. To change the bundle, raise the version and publish again.
${baseUrl}/account/publishers/${publisher}/apps/${encodeURIComponent(appId)}`,
  }),
  'review-assigned': async ({ baseUrl }, { appId, version }) => ({
    subject: `${appId} ${version} is assigned to you`,
    text: `Another moderator assigned the review of ${appId} ${version} to you. To look at it, open:
${baseUrl}/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`,
  }),
  'review-answer': async ({ baseUrl }, { appId, version, text }) => ({
    subject: `The publisher answered about ${appId} ${version}`,
    text: `The publisher wrote about ${appId} ${version}, which is in review:

${quoted(text)}

To answer, or to decide, open:
${baseUrl}/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`,
  }),
  'verification-lost': async ({ baseUrl }, { publisher, website }) => ({
    subject: `The publisher ${publisher} is no longer verified`,
    text: `For two weeks ${website} has not shown that it belongs to the publisher ${publisher}. The publisher is therefore no longer verified: a person looks at each new version of its apps.

Publish the proof again, and have it checked: ${baseUrl}/api/publishers/${publisher}`,
  }),
  'name-approved': async (_deps, { publisher, name }) => ({
    subject: `The new name of the publisher ${publisher} was approved`,
    text: `The publisher ${publisher} is now called "${oneLine(name)}".`,
  }),
  'name-refused': async (_deps, { publisher, name, note }) => ({
    subject: `The new name of the publisher ${publisher} was refused`,
    text: `The publisher ${publisher} keeps its name. The name "${oneLine(name)}" was refused, for this reason:

${quoted(note)}`,
  }),
  'publisher-suspended': async (_deps, { publisher }) => ({
    subject: `The publisher ${publisher} was suspended`,
    text: `The publisher ${publisher} was suspended: its apps are not listed, and it cannot publish. Its members can still see everything that is its own.

Ask those who run the store for the reason.`,
  }),
  async 'password-reset'({ resetLink, storeName }, { personId }) {
    const link = await resetLink(personId);
    if (link === null) return null;
    return {
      subject: `A new password for ${storeName}`,
      text: `A person, most likely you, asked for a new password. To choose one, open:
${link}

If it was not you, do nothing: your password stays as it is.`,
    };
  },
  async 'confirm-email'({ confirmLink, storeName }, { personId }) {
    const link = await confirmLink(personId);
    if (link === null) return null;
    return {
      subject: 'Is this address yours?',
      text: `A person, most likely you, created an account at ${storeName} with this address. To confirm that it is yours, open:
${link}

If it was not you, do nothing.`,
    };
  },
};

/** A signature tells where the mail comes from, after the line that RFC 3676 section 4.3 names. */
const signed = (text: string, { storeName, baseUrl }: WriteDeps): string =>
  `${text}\n\n-- \n${storeName}\n${baseUrl}\n`;

/**
 * Writes what a mail says, when it is sent: secrets of links are in no database.
 * @returns null when there is nothing to say any more
 */
export async function writeLetter(deps: WriteDeps, { kind, detail }: MailContent): Promise<Text | null> {
  const write = WRITERS[kind] as (deps: WriteDeps, of: MailContent['detail']) => Promise<Text | null>;
  const written = await write(deps, detail);
  return (
    written && {
      subject: oneLine(written.subject),
      text: signed(written.text, deps),
    }
  );
}
