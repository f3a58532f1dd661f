import type { MailChoice, MailTopic } from '@svc/contracts';
import { runBeside } from '../../platform/run-beside.ts';
import type { Mac } from '../../platform/secret.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import type { WriteDeps } from '../domain/mail/letter.ts';
import { type MailChoiceStore, topicOf, unsubscribePath } from '../domain/mail/mail-choices.ts';
import type { OutgoingMail } from '../domain/mail/mail-store.ts';
import { writeLetter } from '../domain/mail/write-letter.ts';
import type { Parts } from '../domain/parts/parts.ts';

export type MailMessage = {
  id: string;
  to: string;
  subject: string;
  text: string;
  /** The URL that ends mails like this one, with one click of a mail program too (RFC 8058). */
  unsubscribe?: string;
};

/** Sends mails: over SMTP, or to the log. */
export interface MailTransport {
  /**
   * Sends a mail.
   * @returns false when the mail was refused permanently
   * @throws when a retry may succeed; the error contains no secret
   */
  send(mail: MailMessage): Promise<boolean>;
}

export interface MailServer extends MailTransport {
  /** Checks that the server answers, and accepts the login. @throws when it does not; the error contains no secret */
  check(): Promise<void>;
}

const MINUTE_MS = 60_000;

/** The lease of a process on a mail, in milliseconds: longer than the timeouts of a mail server. */
const LEASE_MS = 5 * MINUTE_MS;
/** The pause after the first try, in milliseconds. It doubles with each try, up to the maximum. */
const PAUSE_MS = 5 * MINUTE_MS;
const MAX_PAUSE_MS = 6 * 60 * MINUTE_MS;
/** The minimum of tries: a clock that is ahead for a moment must not make a new mail fail. */
const MIN_TRIES = 5;

const BATCH = 20;

/** Recipient domains to which mails are sent at once, and those of them whose last try failed. */
const DOMAINS = 8;
const FAILING = 2;

export type SendDeps = WriteDeps &
  Pick<Parts, 'mails' | 'log' | 'retentionDays'> & {
    people: Pick<PersonStore, 'findByEmail'>;
    mailChoices: Pick<MailChoiceStore, 'of'>;
    unsubscribeMac: Mac;
    transport: MailTransport;
  };

const domainOf = ({ recipient }: OutgoingMail): string => recipient.slice(recipient.lastIndexOf('@') + 1);

const later = (deps: SendDeps, ms: number): string => new Date(deps.clock().getTime() + ms).toISOString();

/** The pause after a number of tries, in milliseconds. */
const pauseAfter = (tries: number): number => Math.min(PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS);

async function retryLater(
  deps: SendDeps,
  { id, kind, createdAt, tries }: OutgoingMail,
  error: Error,
): Promise<void> {
  const next = later(deps, pauseAfter(tries + 1));
  const isOver =
    tries + 1 >= MIN_TRIES && Date.parse(next) - Date.parse(createdAt) > deps.retentionDays.mails * DAY_MS;
  const fields = { mail: id, kind, tries: tries + 1, why: error.message };
  if (isOver) {
    deps.log.error(fields, `A mail could not be sent for ${deps.retentionDays.mails} days and was dropped.`);
    await deps.mails.remove(id);
    return;
  }
  deps.log.warn({ ...fields, next }, 'A mail could not be sent and will be retried.');
  await deps.mails.postpone(id, next);
}

/** The hour of the day at which digests are sent, in UTC. */
const DIGEST_HOUR = 6;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MAX_DIGEST = 100;

/** The first time after another one at which digests are sent. */
function digestAfter(time: string): string {
  const first = new Date(time);
  first.setUTCHours(DIGEST_HOUR, 0, 0, 0);
  return (first > new Date(time) ? first : new Date(first.getTime() + DAY_MS)).toISOString();
}

type Way = { choice: MailChoice; topic: MailTopic; personId: string } | null;

/** How the recipient wants a mail; null for one that is always sent at once. */
async function wayOf(deps: SendDeps, mail: OutgoingMail): Promise<Way> {
  const topic = topicOf(deps.letters, mail);
  const person = topic && (await deps.people.findByEmail(mail.recipient));
  return topic && person
    ? { choice: (await deps.mailChoices.of(person.id))[topic], topic, personId: person.id }
    : null;
}

/** Gives claimed mails to the mail server as one message, and removes them; or all wait for the next try. */
async function deliver(deps: SendDeps, mails: readonly OutgoingMail[], message: MailMessage): Promise<void> {
  let isAccepted: boolean;
  try {
    isAccepted = await deps.transport.send(message);
  } catch (error) {
    for (const mail of mails) await retryLater(deps, mail, error as Error);
    return;
  }
  for (const { id, kind } of mails) {
    if (!isAccepted)
      deps.log.warn({ mail: id, kind }, 'The mail server refused a mail permanently; it was dropped.');
    await deps.mails.remove(id);
  }
}

/** Sends the mails of a recipient that wait for a digest as one message. */
async function sendDigest(deps: SendDeps, first: OutgoingMail, { topic, personId }: NonNullable<Way>) {
  const now = deps.clock().toISOString();
  const choices = await deps.mailChoices.of(personId);
  const isDaily = (topic: MailTopic | null) => topic !== null && choices[topic] === 'daily';
  const mails = [first];
  for (const mail of await deps.mails.to(first.recipient, MAX_DIGEST)) {
    const isDue = mail.id !== first.id && digestAfter(mail.createdAt) <= now;
    if (!isDue || !isDaily(topicOf(deps.letters, mail))) continue;
    if (await deps.mails.claim(mail, later(deps, LEASE_MS))) mails.push({ ...mail, tries: mail.tries + 1 });
  }
  const letters = (await Promise.all(mails.map((mail) => writeLetter(deps, mail)))).filter(
    (letter) => letter !== null,
  );
  const [only] = letters;
  if (!only) {
    for (const { id } of mails) await deps.mails.remove(id);
    return;
  }
  const isOne = letters.length === 1;
  await deliver(deps, mails, {
    id: first.id,
    to: first.recipient,
    subject: isOne ? only.subject : `${letters.length} messages from ${deps.storeName}`,
    text: letters.map(({ subject, text }) => (isOne ? text : `${subject}\n\n${text}`)).join('\n\n'),
    unsubscribe: deps.baseUrl + unsubscribePath(deps.unsubscribeMac, personId, topic),
  });
}

async function send(deps: SendDeps, mail: OutgoingMail): Promise<void> {
  const { id, recipient: to } = mail;
  const way = await wayOf(deps, mail);
  if (way?.choice === 'off') return deps.mails.remove(id);
  if (way?.choice === 'daily') {
    const at = digestAfter(mail.createdAt);
    return at > deps.clock().toISOString() ? deps.mails.postpone(id, at) : sendDigest(deps, mail, way);
  }
  const written = await writeLetter(deps, mail);
  if (!written) return deps.mails.remove(id);
  const unsubscribe = way && deps.baseUrl + unsubscribePath(deps.unsubscribeMac, way.personId, way.topic);
  await deliver(deps, [mail], { id, to, ...written, ...(unsubscribe && { unsubscribe }) });
}

/** Mails of one recipient domain that are sent one after the other. */
type Lane = { domain: string; mails: OutgoingMail[] };

/**
 * The mails of one domain to which none are on their way: a slow domain delays only its own mails, and domains that failed leave room
 * for others.
 */
async function nextLane(deps: SendDeps, running: readonly Lane[]): Promise<Lane | undefined> {
  const mails = await deps.mails.due(deps.clock().toISOString(), BATCH, {
    domains: running.map(({ domain }) => domain),
    failing: running.filter(({ mails: [mail] }) => mail !== undefined && mail.tries > 0).length >= FAILING,
  });
  const [first] = mails;
  if (!first) return undefined;
  const domain = domainOf(first);
  return { domain, mails: mails.filter((mail) => domainOf(mail) === domain) };
}

/**
 * Sends the mails that are due, those of a few domains at once. A process claims each mail first, so that only one process sends it. If
 * the process dies after the mail server accepted a mail and before that is recorded, the mail is sent again, with the same Message-ID.
 * @param signal stops after the current mails
 */
export const sendMails = (deps: SendDeps, signal?: AbortSignal): Promise<void> =>
  runBeside<Lane>({
    ...{ atOnce: DOMAINS, signal },
    next: (running) => nextLane(deps, running),
    async work({ mails }) {
      for (const mail of mails) {
        if (signal?.aborted) return;
        if (await deps.mails.claim(mail, later(deps, LEASE_MS))) await send(deps, mail);
      }
    },
  });
