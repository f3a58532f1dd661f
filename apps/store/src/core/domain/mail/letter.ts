import type { MailTopic, RouteName } from '@svc/contracts';
import { escapeLines, escapeText } from '@svc/text';
import type { Clock } from '../../../platform/system.ts';
import type { InvitationStore } from '../identity/invitation-store.ts';
import type { PersonStore } from '../identity/person-store.ts';
import type { PublisherStore } from '../identity/publisher-store.ts';
import type { AppStore } from '../versions/app-store.ts';
import type { MailDetails } from './mail-store.ts';

export type WriteDeps = {
  invitations: InvitationStore;
  people: PersonStore;
  publishers: PublisherStore;
  apps: Pick<AppStore, 'namesOf'>;
  clock: Clock;
  baseUrl: string;
  /** The routes that the store has. */
  routeNames: ReadonlySet<RouteName>;
  /** The letters of the extensions. */
  letters: Letters;
  storeName: string;
  invitationUrl(id: string): string;
  /** Creates a link to set a new password; null when there is no such user, or no password to set. */
  resetLink(personId: string): Promise<string | null>;
  /** Creates a link to confirm an email address; null when there is none to confirm. */
  confirmLink(personId: string): Promise<string | null>;
  /** Creates a link to change the email address of an account; null when there is no such account. */
  addressLink(personId: string, email: string): Promise<string | null>;
};

export type Text = { subject: string; text: string };

/**
 * Writes the mails of a kind; null for one that is obsolete.
 * @param deps `app` is the app that a mail is about: its name, which the publisher chose, with its id
 */
export type Write<Kind extends keyof MailDetails> = (
  deps: WriteDeps & { app: string },
  detail: MailDetails[Kind],
) => Promise<Text | null>;

/** The mails of extensions, by their kind: how they are written, and the topic that users can choose; without one they are always sent at once. */
export type Letters = {
  readonly [Kind in keyof MailDetails]?: { topic?: MailTopic; write: Write<Kind> };
};

/** Escapes untrusted text as one line, which cannot inject a header (RFC 5322 section 2.2). */
export const oneLine = (text: string): string => escapeText(text, 'mail');

/** Quotes untrusted text (RFC 3676 section 4.5), so that no line of it looks like one of the store. */
export const quoted = (text: string): string => escapeLines(text, 'mail', '> ');

export const timeText = (at: string): string => `${at.slice(0, 16).replace('T', ' at ')} UTC`;

export const decisionsUrl = ({ baseUrl }: WriteDeps, publisher: string): string =>
  `${baseUrl}/account/publishers/${publisher}/decisions`;

/** What the publisher can do about a decision, as the last paragraph of its mail; nothing in a store without appeals. */
export const appealWords = (deps: WriteDeps, publisher: string): string =>
  deps.routeNames.has('appeal')
    ? `\n\nYou can appeal within 90 days: another moderator than the first decides.\n${decisionsUrl(deps, publisher)}`
    : '';
