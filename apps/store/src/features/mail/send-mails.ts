import type { OutgoingMail } from '../../domain/mail/mail-store.ts';
import { type WriteDeps, writeLetter } from '../../domain/mail/write-letter.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { TERMS } from '../../platform/terms.ts';
import type { MailTransport } from './mail-transport.ts';

const MINUTE_MS = 60_000;

/** The lease of a process on a mail, in milliseconds: longer than the timeouts of a mail server. */
const LEASE_MS = 5 * MINUTE_MS;
/** The pause after the first try, in milliseconds. It doubles with each try, up to the maximum. */
const PAUSE_MS = 5 * MINUTE_MS;
const MAX_PAUSE_MS = TERMS['mails.next_try_at'];
/** How long a mail is retried (RFC 5321 section 4.5.4.1 asks for four or five days, but our news is stale by then). */
const GIVE_UP_MS = 3 * 24 * 60 * MINUTE_MS;

/** The minimum of tries: a clock that is ahead for a moment must not make a new mail fail. */
const MIN_TRIES = 5;

const BATCH = 20;

export type SendDeps = WriteDeps & Pick<Parts, 'mails' | 'log'> & { transport: MailTransport };

const later = (deps: SendDeps, ms: number): string => new Date(deps.clock().getTime() + ms).toISOString();

/** The pause after a number of tries, in milliseconds. */
const pauseAfter = (tries: number): number => Math.min(PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS);

async function retryLater(
  deps: SendDeps,
  { id, kind, createdAt, tries }: OutgoingMail,
  error: Error,
): Promise<void> {
  const next = later(deps, pauseAfter(tries + 1));
  const isOver = tries + 1 >= MIN_TRIES && Date.parse(next) - Date.parse(createdAt) > GIVE_UP_MS;
  const fields = { mail: id, kind, tries: tries + 1, why: error.message };
  if (isOver) {
    deps.log.error(fields, 'A mail could not be sent for three days and was dropped.');
    await deps.mails.remove(id);
    return;
  }
  deps.log.warn({ ...fields, next }, 'A mail could not be sent and will be retried.');
  await deps.mails.postpone(id, next);
}

async function send(deps: SendDeps, mail: OutgoingMail): Promise<void> {
  const { id, recipient: to, kind } = mail;
  const written = await writeLetter(deps, mail);
  if (!written) return deps.mails.remove(id);
  let isAccepted: boolean;
  try {
    isAccepted = await deps.transport.send({ id, to, ...written });
  } catch (error) {
    return retryLater(deps, mail, error as Error);
  }
  if (!isAccepted)
    deps.log.warn({ mail: id, kind }, 'The mail server refused a mail permanently; it was dropped.');
  await deps.mails.remove(id);
}

/**
 * Sends the mails that are due. A process claims each mail first, so that only one process sends it. If the process dies after
 * the mail server accepted a mail and before that is recorded, the mail is sent again, with the same Message-ID.
 * @param signal stops after the current mail
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
