/**
 * Everything that the programs do again and again: what asks a peer, how often, how the pauses of many clients differ, what it makes of
 * `Retry-After`, and how long a pause becomes at most while the peer fails. `test/pollers.test.ts` finds each pause of the sources here.
 */
export type Poller = {
  /** What it asks for. */
  what: string;
  /** Whom it asks. */
  peer:
    | 'store'
    | 'sign-in'
    | 'server of an app'
    | 'upstream'
    | 'collector'
    | 'receiver'
    | 'witness'
    | 'database';
  /** Text of the source that sets the pause. */
  every: string;
  /** By how much pauses differ between processes. A peer with few of them needs none. */
  jitter: string;
  retryAfter: 'a least, up to an hour' | 'a least' | 'none is sent' | 'by the limit of the peer' | 'not read';
  /** The longest pause while it fails. */
  bound: string;
};

/** As `pauseBefore` of the runtime has it: 20 % jitter, 5 minutes after a failure, doubled up to 30. */
const CLIENT = {
  peer: 'store',
  jitter: '20 %',
  retryAfter: 'a least, up to an hour',
  bound: '30 minutes',
} as const;

/** A few processes on their own database: a failed run waits for the next time. */
const JOB = { peer: 'database', jitter: 'none', retryAfter: 'none is sent', bound: 'its pause' } as const;

/** By the file of the source, each with all its pauses that ask a peer. */
export const POLLERS: Readonly<Record<string, readonly Poller[]>> = {
  'packages/runtime/src/revocations/revocation-watch.ts': [
    { what: 'yanks', every: 'REVOCATION_POLL_MS = 3 * MINUTE_MS', ...CLIENT },
  ],
  'packages/runtime/src/managed/watch.ts': [
    { what: 'settings of the company', every: 'MANAGED_POLL_MS = HOUR_MS / 4', ...CLIENT },
  ],
  'packages/runtime/src/install/update-watch.ts': [
    { what: 'newer versions', every: 'UPDATE_POLL_MS = 4 * HOUR_MS', ...CLIENT },
  ],
  'packages/runtime/src/accounts/relay.ts': [
    {
      what: 'the code of a sign-in, while its card is open',
      ...{ peer: 'store', every: 'firstMs: 1000, laterMs: 3000', jitter: 'the user', bound: '3 seconds' },
      retryAfter: 'by the limit of the peer',
    },
  ],
  'packages/runtime/src/accounts/revocations.ts': [
    {
      what: 'tokens to revoke',
      ...{ peer: 'server of an app', every: 'MAX_SLEEP_MS = 60 * 60_000', jitter: 'the user' },
      ...{ retryAfter: 'none is sent', bound: 'an hour' },
    },
  ],
  'packages/runtime/src/calls/operations.ts': [
    {
      what: 'the state of a task, as often as its server asks',
      ...{ peer: 'server of an app', every: 'MAX_POLL_MS = 15_000', jitter: 'the call' },
      ...{ retryAfter: 'none is sent', bound: '15 seconds' },
    },
  ],
  'packages/runtime/src/calls/connection.ts': [
    {
      what: 'a stream that ended',
      ...{ peer: 'server of an app', every: 'LISTEN_AGAIN_MS * 2 ** attempt', jitter: 'the call' },
      ...{ retryAfter: 'none is sent', bound: 'a few tries' },
    },
  ],
  'apps/desktop/src/store-session.ts': [
    {
      what: 'the token of a device, while its page is open',
      ...{ peer: 'store', every: 'INTERVAL = { min: 1, max: 60 }', jitter: 'the user' },
      ...{ retryAfter: 'by the limit of the peer', bound: 'the end of the code' },
    },
  ],
  'apps/cli/src/follow-version.ts': [
    {
      what: 'the status of a version, for svc publish and status --watch',
      ...{ peer: 'store', every: 'context.wait(pauseMs, signal)', jitter: 'the user' },
      ...{ retryAfter: 'a least', bound: 'its pause' },
    },
  ],
  'apps/cli/src/sign-in/wait-for-token.ts': [
    {
      what: 'the token of a device, for svc login',
      ...{ peer: 'store', every: 'TICK_MS', jitter: 'the user', bound: 'the end of the code' },
      retryAfter: 'by the limit of the peer',
    },
  ],
  'apps/cli/src/commands/log.ts': [
    {
      what: 'the log, for svc log --watch',
      ...{
        peer: 'store',
        every: 'LOOK_MS',
        jitter: 'the user',
        retryAfter: 'none is sent',
        bound: 'its pause',
      },
    },
  ],
  'apps/store/src/composition/commands/mirror/mirror-command.ts': [
    {
      what: 'all that a mirror copies, with --every',
      ...{ peer: 'store', every: 'every * 1_000', jitter: 'the operator', retryAfter: 'a least' },
      bound: 'its pause',
    },
  ],
  'apps/store/src/composition/commands/mirror/read-store.ts': [
    {
      what: 'an answer again',
      ...{ peer: 'store', every: 'MAX_RETRY_AFTER', jitter: 'the operator', retryAfter: 'a least' },
      bound: 'a few tries',
    },
  ],
};

/** The work of `svc-store` that is repeated, by its name in *Health*: what else than its database it asks. */
export const JOBS: Readonly<Record<string, Omit<Poller, 'what' | 'every'>>> = {
  'Comparing the database with what is kept': JOB,
  'Checking the parts of the store': JOB,
  'Checking descriptors and memory': JOB,
  'Resuming interrupted versions': JOB,
  'Recording what is published': JOB,
  'Following other processes': JOB,
  Sweeping: JOB,
  'Removing assignments of decided cases': JOB,
  'Removing unused drawings': JOB,
  'Sending mails': JOB,
  'Checking providers and the mail server': { ...JOB, peer: 'sign-in' },
  'Asking providers about users': { ...JOB, peer: 'sign-in', bound: 'SVC_GROUP_CHECK_MINUTES' },
  'Checking websites': { ...JOB, peer: 'server of an app' },
  'Recording the use of tokens': JOB,
  'Counting installs': JOB,
  'Purging expired rows': JOB,
  'Delivering the audit log': {
    ...JOB,
    peer: 'collector',
    retryAfter: 'a least, up to an hour',
    bound: '5 minutes',
  },
  'Delivering webhooks': { ...JOB, peer: 'receiver', bound: '8 hours' },
  'Publishing the log': { ...JOB, peer: 'witness' },
  'Listing the servers of apps': { ...JOB, peer: 'server of an app' },
  'Following upstreams': { ...JOB, peer: 'upstream', jitter: '17 to 23 seconds' },
  'Carrying apps of upstreams': { ...JOB, peer: 'upstream', jitter: '17 to 23 seconds' },
  'Reading events of upstreams': { ...JOB, peer: 'upstream', jitter: '3 to 5 seconds' },
};

/** Sources whose pauses ask no peer again and again, and why there are pauses. */
export const OTHERS: Readonly<Record<string, string>> = {
  'packages/runtime/src/page/page-streams.ts': 'keeps a stream of this machine open',
  'packages/runtime/src/programs/supervise.ts': 'looks whether its parent lives',
  'packages/runtime/src/programs/media-process.ts': 'looks whether its parent lives',
  'packages/runtime/src/platform/within-time.ts': 'a time limit',
  'packages/runtime/src/platform/process-lock.ts': 'waits for another process of this machine',
  'packages/runtime/src/storage/shared-storage.ts': 'waits for another process of this machine',
  'packages/runtime/src/developer/developer-folder.ts': 'looks at a folder',
  'packages/runtime/src/calls/sessions.ts': 'ends an idle session',
  'packages/runtime/src/calls/older-transport.ts': 'a time limit',
  'packages/runtime/src/calls/lenient/watch-streams.ts': 'holds back what a server sends',
  'packages/runtime/src/calls/lenient/limit-notifications.ts': 'holds back what a server sends',
  'packages/runtime/src/calls/call-tool.ts': 'holds back what a server sends',
  'packages/runtime/src/calls/negotiate-era.ts': 'a time limit',
  'packages/runtime/src/calls/open-command.ts': 'holds back what a program sends',
  'packages/runtime/src/calls/admission.ts': 'a time limit',
  'packages/runtime/src/network/connector.ts': 'a time limit',
  'packages/runtime/src/network/guarded-fetch.ts': 'a time limit',
  'packages/runtime/src/panels/connector-page.ts': 'a time limit',
  'packages/runtime/src/panels/open-panel.ts': 'a time limit',
  'apps/desktop/src/gateway/agent-call.ts': 'a time limit',
  'apps/desktop/src/gateway/bridge.ts': 'a time limit',
  'apps/desktop/src/gateway/find-or-start-desktop.ts': 'waits for a desktop of this machine',
  'apps/desktop/src/gateway/agent-asker.ts': 'tells an agent of this machine that it waits',
  'apps/desktop/src/gateway/tool-refresh.ts': 'a time limit',
  'apps/desktop/src/http/routes.ts': 'keeps a stream of this machine open',
  'apps/desktop/src/chat/temporary.ts': 'deletes a conversation later',
  'apps/desktop/src/commands/start.ts': 'looks whether it is idle',
  'apps/cli/src/io/watch-paths.ts': 'looks at files',
  'apps/store/src/composition/serve.ts': 'lets balancers notice that it stops',
  'apps/store/src/core/publishing/intake.ts': 'measures the pace of an upload',
  'apps/store/src/core/people/password.ts': 'answers wrong passwords late',
  'apps/store/src/adapters/log/open-log.ts': 'writes the log in pieces',
  'apps/store/src/adapters/sqlite/checkpoint-wal.ts': 'keeps the log of SQLite short',
  'apps/store/src/adapters/s3/s3-client.ts': 'a few tries of one request',
  'apps/store/src/extensions/upstreams/export-apps.ts': 'a few tries of one request',
  'apps/store/src/adapters/picture/draw-process.ts': 'a time limit',
  'apps/store/src/platform/every.ts': 'repeats the jobs of the store',
};
