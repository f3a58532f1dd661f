import { createStores } from '../../apps/store/src/adapters/database/stores.ts';
import { openMailServer } from '../../apps/store/test/support/mail-server.ts';
import { newApp, uploadForReview } from './arena.ts';
import type { Client, Ref } from './client.ts';
import { type Backend, type Site, withSettings } from './site.ts';
import { wellAfter } from './witness.ts';

/** Number of events per mail at the mail server; the last one is after its acceptance. */
const MOMENTS = ['connect', 'from', 'to', 'data', 'taken'] as const;

export const MOMENTS_OF_A_MAIL = MOMENTS.length;

/** Longer than the lease of a mail and the pause after its first failure, in milliseconds. */
export const PAST_LEASE_MS = 11 * 60_000;

/** A real mail server for the stores of a site, and the checks of the mails due. */
export type Outbox = {
  /** The same back end, with stores that send mail. */
  mailing(backend: Backend): Backend;
  /** Calls a function at each event of each mail. */
  watch(listener: (() => void) | null): void;
  /** Adds a member to the publisher `example`, who receives its mails. */
  addMember(site: Site): Promise<void>;
  /** Approves an app, so that a mail is due. Returns the status of the response. */
  approve(client: Client): Promise<number>;
  /** Moves the clock of a store past all leases. Returns the faults: missing or stuck mails. */
  faults(site: Site, shiftClock: (ms: number) => Promise<void>): Promise<string[]>;
  count(): string;
  close(): Promise<void>;
};

const idOf = (raw: string): string | undefined => /^message-id: (\S+)/im.exec(raw)?.[1];

const mailsIn = async (site: Site): Promise<number> => {
  const db = await site.openDatabase();
  return createStores(db)
    .mails.due('9999', 1_000)
    .then(({ length }) => length)
    .finally(() => db.destroy());
};

async function addMember(site: Site): Promise<void> {
  const db = await site.openDatabase();
  try {
    const { people, members } = createStores(db);
    const now = new Date().toISOString();
    const email = 'anna@example.com';
    const who = { id: 'anna', name: 'Anna', email, emailVerified: true, role: 'person' as const };
    await people.add({ ...who, suspended: false, createdAt: now });
    await members.add({ publisher: 'example', personId: 'anna', role: 'owner', since: now });
  } finally {
    await db.destroy();
  }
}

/** Starts the mail server. */
export async function openOutbox(): Promise<Outbox> {
  let listener: (() => void) | null = null;
  const pass = () => listener?.();
  const server = await openMailServer({
    onConnect: (_session, done) => {
      pass();
      done();
    },
    onMailFrom: (_address, _session, done) => {
      pass();
      done();
    },
    onRcptTo: (_address, _session, done) => {
      pass();
      done();
    },
    onData(stream, { envelope }, done) {
      pass();
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address);
        server.received.push({ from: '', to, raw: Buffer.concat(chunks).toString() });
        done();
        pass();
      });
    },
  });
  const owed: Ref[] = [];
  const settings = { SVC_SMTP_URL: server.url, SVC_MAIL_FROM: 'store@example.com' };
  /** The mails about an approval, which name the app as "Notes (com.example.app1)"; quoted-printable may break the line (RFC 2045 section 6.7). */
  const about = ({ appId }: Ref) =>
    server.received.filter(({ raw }) => {
      const text = raw.replaceAll('=\r\n', '');
      return text.includes(`(${appId})`) && text.includes('the version was approved');
    });
  return {
    addMember,
    mailing: (backend) => withSettings(backend, settings),
    watch(next) {
      listener = next;
    },
    async approve(client) {
      const ref = await uploadForReview(client, newApp());
      const { status } = await client.approve(ref);
      if (status === 200) owed.push(ref);
      return status;
    },
    async faults(site, shiftClock) {
      await shiftClock(PAST_LEASE_MS);
      const emptied = await wellAfter(async () => (await mailsIn(site)) === 0);
      await shiftClock(0);
      const missing = owed.filter((ref) => about(ref).length === 0);
      const renamed = owed.filter((ref) => new Set(about(ref).map(({ raw }) => idOf(raw))).size > 1);
      return [
        ...(emptied === null ? [`${await mailsIn(site)} mails are stuck in the outbox`] : []),
        ...missing.map(({ appId }) => `the mail about ${appId} was never sent`),
        ...renamed.map(({ appId }) => `the mail about ${appId} was sent again under another Message-ID`),
      ];
    },
    count: () =>
      `${owed.length} mails owed, ${server.received.length} received, ${owed.filter((ref) => about(ref).length > 1).length} of them twice or more`,
    close: server.close,
  };
}
