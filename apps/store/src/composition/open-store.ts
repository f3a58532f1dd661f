import { type MailServer, sendMails } from '../core/mail/send-mails.ts';
import { tellModerators } from '../core/moderation/queue.ts';
import { purgeExpired } from '../core/operations/purge-expired.ts';
import { mailedLinks } from '../core/people/change-address.ts';
import { recheckWebsites } from '../core/publishers/check-website.ts';
import type { BundleInspector } from '../core/publishing/inspection-queues.ts';
import { resumeVersions } from '../core/publishing/resume.ts';
import { sweepOrphans } from '../core/publishing/sweep-orphans.ts';
import { every } from '../platform/every.ts';
import { runProbes } from '../platform/probe.ts';
import type { Log } from '../platform/system.ts';
import { openParts, type StoreBounds, type StoreParts, type StoreSystem } from './open-parts.ts';
import type { Settings } from './settings.ts';
import { createStore } from './store.ts';
import { watchMail } from './watched-services.ts';

/**
 * Writes mails to the log, for stores without a mail server: the operator reads them there, including their links, and forwards them.
 * No other code logs a link.
 */
const createLogTransport = (log: Log): MailServer => ({
  async send({ to, subject, text }) {
    log.info({ to, subject, text }, 'A mail was not sent: set SVC_SMTP_URL to a mail server.');
    return true;
  },
  async check() {},
});

const HOUR = 3_600;
const DAY = 24 * HOUR;

// It is loaded on demand: many stores send no mail.
const smtp = () => import('../adapters/mail/smtp-transport.ts');

/** Sends mails to the mail server, or logs them when there is none. */
const mailTransportOf = async ({ smtp: server, baseUrl, log, outages }: StoreParts): Promise<MailServer> =>
  server ? watchMail(outages, (await smtp()).createSmtpTransport(server, baseUrl)) : createLogTransport(log);

/** Seconds between two looks for changes of other processes: an act is seen in all of them within a second. */
const FOLLOW = [0.25, 0.25] as const;

/** Work that is repeated. The signal aborts it when the store stops. */
type Job = (signal?: AbortSignal) => Promise<unknown>;

/** What is due, as each process of a store looks for it. */
async function dueWork(
  parts: StoreParts,
  { letters }: Pick<ReturnType<typeof createStore>, 'letters'>,
): Promise<Record<'sendDueMails' | 'recheckDueWebsites' | 'checkServices', Job>> {
  const deps = { ...parts, ...parts.stores };
  const mailDeps = {
    ...deps,
    letters,
    invitationUrl: parts.invitationLinks.url,
    ...mailedLinks({ ...deps, ...parts.personLinks, hasProviders: parts.providers.size > 0 }),
    unsubscribeMac: parts.personLinks.unsubscribeMac,
    transport: await mailTransportOf(parts),
  };
  const checks = [
    () => mailDeps.transport.check(),
    ...[...parts.providers.values()].map(({ check }) => check),
  ];
  return {
    async sendDueMails(signal) {
      await tellModerators(deps);
      await sendMails({ ...mailDeps, storeName: parts.brandBook.now().name }, signal);
    },
    // Each records and logs its fault.
    checkServices: () => Promise.allSettled(checks.map((check) => check())),
    recheckDueWebsites: (signal) => recheckWebsites(deps, signal),
  };
}

/**
 * Starts the work that a store repeats.
 * @returns what is due, to run it at any time; `stop` waits for what runs, and writes what was counted in memory
 */
async function startJobs(
  parts: StoreParts,
  store: Pick<
    ReturnType<typeof createStore>,
    'followChanges' | 'dataChecks' | 'writeUses' | 'writeInstalls' | 'hooks' | 'letters' | 'jobs'
  >,
  removeUnusedDrawings: Job,
  { repeatsJobs = true }: StoreBounds,
) {
  const { jobs, log } = parts;
  const deps = { ...parts, ...parts.stores, hooks: store.hooks };
  const due = await dueWork(parts, store);
  /** @param pause seconds to the first run, and from the end of one run to the beginning of the next */
  const repeatReading = (what: string, [first, then]: readonly [number, number], work: Job) =>
    every(what, { firstMs: first * 1_000, thenMs: then * 1_000 }, jobs.track(what, work), log);
  /** Work that changes rows waits while the store is read-only. */
  const repeat = (what: string, pause: readonly [number, number], work: Job) =>
    repeatReading(what, pause, async (signal) => {
      if (!parts.writeGate.isClosed()) await work(signal);
    });
  const checks = repeatReading('Comparing the database with what is kept', [60, 60], store.dataChecks.run);
  store.dataChecks.onReason(checks.soon);
  const repeated = [
    checks,
    repeatReading('Checking the parts of the store', [30, 30], () => runProbes(parts.probes)),
    repeatReading('Checking descriptors and memory', [10, 10], parts.resources.check),
    repeat('Resuming interrupted versions', [5, 5], () => resumeVersions(deps)),
    repeatReading('Recording what is published', [2, 2], store.dataChecks.follow),
    repeatReading('Following other processes', FOLLOW, store.followChanges),
    repeat('Sweeping', [10, HOUR], (signal) => sweepOrphans(deps, signal && { signal })),
    repeat('Removing unused drawings', [60, DAY], removeUnusedDrawings),
    repeat('Sending mails', [5, 5], due.sendDueMails),
    repeatReading('Checking providers and the mail server', [30, 60], due.checkServices),
    repeat('Checking websites', [60, 600], due.recheckDueWebsites),
    repeat('Recording the use of tokens', [10, 10], store.writeUses),
    repeat('Counting installs', [10, 10], store.writeInstalls),
    repeat('Purging expired rows', [60, 600], () => purgeExpired(deps)),
    ...(repeatsJobs ? store.jobs : []).map(({ what, seconds, work }) => repeat(what, seconds, work)),
  ];
  return {
    ...due,
    /** Does the work of an extension once, to its end: what began before is waited for first. @param what its name */
    async runJob(what: string, signal?: AbortSignal): Promise<void> {
      const job = store.jobs.find((one) => one.what === what);
      if (!job) throw new Error(`There is no job ${what}.`);
      // A run that began before does not count: it may have read what has changed since.
      await job.idle?.();
      await job.work(signal);
      await job.idle?.();
    },
    async stop(): Promise<void> {
      await Promise.all(repeated.map(({ stop }) => stop()));
      await Promise.all(store.jobs.map(({ idle }) => idle?.()));
      await store.writeUses().catch((error: unknown) => {
        log.warn({ err: error }, 'The last use of tokens could not be recorded.');
      });
      await store.writeInstalls().catch((error: unknown) => {
        log.warn({ err: error }, 'The last downloads could not be counted.');
      });
    },
  };
}

/**
 * Opens a store on its data folder: creates what is missing, and finishes what an earlier process left unfinished.
 * @throws SettingError when the folder, the key in it or the database cannot be used
 */
export async function openStore(
  settings: Settings,
  system: StoreSystem,
  inspector: BundleInspector,
  bounds: StoreBounds = {},
) {
  const { parts, removeUnusedDrawings, close } = await openParts(settings, system, inspector, bounds);
  const { stores, readiness, signingKey } = parts;
  const store = createStore(parts);
  const deps = { ...parts, ...stores, hooks: store.hooks };
  if (!parts.writeGate.isClosed()) await resumeVersions(deps);
  await store.dataChecks.open();
  const { stop, ...jobs } = await startJobs(parts, store, removeUnusedDrawings, bounds);
  return {
    ...store,
    ...jobs,
    stores,
    keyId: signingKey.keyId,
    readiness,
    async close() {
      await stop();
      await close();
    },
  };
}
