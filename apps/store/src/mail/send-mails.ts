import type { MailStore, OutgoingMail } from '../domain/mail/mail-store.ts';
import { type WriteDeps, writeLetter } from '../domain/mail/write-letter.ts';
import type { Log } from '../platform/system.ts';
import { TERMS } from '../platform/terms.ts';
import type { Carrier } from './carrier.ts';

const MINUTE_MS = 60_000;

/** How long a mail is one process's own, in milliseconds: longer than any mail server is waited for. */
const LEASE_MS = 5 * MINUTE_MS;
/** The pause after the first try; each is twice as long as the one before, up to the longest. */
const PAUSE_MS = 5 * MINUTE_MS;
const MAX_PAUSE_MS = TERMS['mails.next_try_at'];
/** How long a mail is tried (RFC 5321 section 4.5.4.1 asks for four or five days; news of ours is stale by then). */
const GIVE_UP_MS = 3 * 24 * 60 * MINUTE_MS;

/** Tries that a mail has at least: a clock that is ahead for a moment must not give up what was just written. */
const MIN_TRIES = 5;

const BATCH = 20;

export type SendDeps = WriteDeps & { mails: MailStore; carrier: Carrier; log: Log };

const later = (deps: SendDeps, ms: number): string => new Date(deps.clock().getTime() + ms).toISOString();

/** The pause before the next try, after the given number of them. */
const pauseAfter = (tries: number): number => Math.min(PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS);

async function putOff(
  deps: SendDeps,
  { id, kind, createdAt, tries }: OutgoingMail,
  error: Error,
): Promise<void> {
  const next = later(deps, pauseAfter(tries + 1));
  const isOver = tries + 1 >= MIN_TRIES && Date.parse(next) - Date.parse(createdAt) > GIVE_UP_MS;
  const said = { mail: id, kind, tries: tries + 1, why: error.message };
  if (isOver) {
    deps.log.error(said, 'A mail was given up after three days.');
    await deps.mails.remove(id);
    return;
  }
  deps.log.warn({ ...said, next }, 'A mail could not be sent; it is tried again.');
  await deps.mails.putOff(id, next);
}

async function send(deps: SendDeps, mail: OutgoingMail): Promise<void> {
  const { id, recipient: to, kind } = mail;
  const written = await writeLetter(deps, mail);
  if (!written) return deps.mails.remove(id);
  let isTaken: boolean;
  try {
    isTaken = await deps.carrier.carry({ id, to, ...written });
  } catch (error) {
    return putOff(deps, mail, error as Error);
  }
  if (!isTaken) deps.log.warn({ mail: id, kind }, 'A mail was refused for good.');
  await deps.mails.remove(id);
}

/**
 * Sends the mails whose time has come. Each is claimed first, so that of several processes one sends it. A process that dies
 * between the mail server's word and ours leaves a mail that is sent again, under the same Message-ID.
 * @param signal aborted when there is no more time
 */
export async function sendMails(deps: SendDeps, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const due = await deps.mails.due(deps.clock().toISOString(), BATCH);
    for (const mail of due) {
      if (signal?.aborted) return;
      if (await deps.mails.claim(mail, later(deps, LEASE_MS))) await send(deps, mail);
    }
    if (due.length < BATCH) return;
  }
}
