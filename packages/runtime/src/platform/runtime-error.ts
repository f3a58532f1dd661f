/**
 * The codes and default messages of expected errors, for the user or the agent. Any other error is a fault of the program.
 */
const MESSAGES = {
  // Stores and what they serve
  'store-unreachable': 'The store cannot be reached, or its response is invalid.',
  'store-refused': 'The store refused the request.',
  'sign-in-needed': 'Only members of this store may read it. Sign in to the store.',
  'not-verified': 'The signature of a bundle, key or list is not valid for the pinned key.',
  'rolled-back': 'The store offers a version or list that is older than the last accepted one.',
  'not-for-this-machine': 'The app does not run on this operating system or processor.',
  'requirement-missing': 'The app needs another app or connector first.',
  'not-allowed': 'Your company does not allow this.',
  'consent-needed': 'The user must agree to the permissions of the app.',
  declined: 'The user declined.',
  'not-installed': 'The app is not installed.',
  'switched-off': 'The app is switched off.',
  yanked: 'This version was yanked.',
  'command-refused': 'The program cannot be added as a connector.',
  'id-taken': 'Another app on this computer has this id.',
  'invalid-app': 'The manifest or bundle has errors.',
  // Accounts
  'not-connected': 'The account is not connected.',
  'connect-failed': 'The sign-in failed.',
  'unknown-account': 'The app declares no such account.',
  'token-unavailable': 'The account is connected, but its access token cannot be renewed now.',
  'token-withheld':
    'Panels get no tokens in this browser, which does not keep them to the hosts of their app. Call a tool of the app instead.',
  'scope-refused': 'The app’s server requires scopes that the app does not declare.',
  'vault-locked': 'The vault cannot be opened with this key.',
  'vault-damaged': 'The vault is damaged. It is left as it is.',
  'disk-unavailable':
    'The disk of this computer cannot be used: it is read-only, failing, or closed to this user.',
  // Calls and files
  'invalid-arguments': 'The arguments are not valid JSON.',
  'unknown-tool': 'The app has no such tool.',
  'address-refused': 'The app may not access this address.',
  unreachable: 'The app’s server cannot be reached.',
  'too-large': 'It is larger than allowed.',
  'too-slow': 'It took longer than allowed.',
  'too-many': 'There are too many at the same time.',
  'file-refused': 'The tool does not accept this file.',
  'media-failed': 'The file cannot be converted for the tool.',
  'server-failed': 'The app’s server failed or broke the protocol.',
  // Panels
  'unknown-panel': 'The app has no such panel.',
  'unknown-file': 'There is no such file here.',
  'not-granted': 'The app does not have the permission for this.',
  'not-offered': 'This client does not support this.',
} as const;

export type RefusalCode = keyof typeof MESSAGES;

/**
 * Why a sign-in failed: the user declined at the server; the server refused with an error code; the answer came from another issuer
 * (RFC 9207); the server has no PKCE with S256; a server or the store did not answer; the ten minutes passed; no browser opened; or a
 * server broke the protocol.
 */
export type SignInCause =
  | 'denied'
  | 'refused'
  | 'issuer'
  | 'pkce'
  | 'unreachable'
  | 'timed-out'
  | 'no-browser'
  | 'protocol';

/** The `detail` of a `connect-failed`. */
export type ConnectFailedDetail = {
  cause: SignInCause;
  /** The error code of the authorization server (RFC 6749 sections 4.1.2.1 and 5.2), in lower case; null when it sent none. */
  oauthError: string | null;
};

/**
 * The `detail` of each code, for programs. A code that is not here has none. Texts in it are for programs too: escape what you show of a server.
 */
export type RefusalDetails = {
  /** Seconds to wait, where a proxy before the store says so; whether the store answered with something that is not of the API. */
  'store-unreachable': { retryAfter?: number; invalid?: true };
  /** The error of the API, where the store answered with one. */
  'store-refused': { code?: string; status?: number; requestId?: string; retryAfter?: number };
  /** What is wrong with the signature, where it is one; the app and the version that another one replaces. */
  'not-verified': { refusal?: string; appId?: string; version?: string };
  /**
   * Of an app, the offered and the newest known version; of a list, its time and that of the last accepted one; of a log, the store, and the
   * file with the evidence, or the evidence itself where no file could be written.
   */
  'rolled-back': {
    store?: string;
    evidence?: string;
    appId?: string;
    version?: string;
    newest?: string;
    signedAt?: string;
    last?: string | null;
  };
  /** What the manifest names, and the processor of this machine. */
  'not-for-this-machine': { platforms?: readonly string[] | undefined; arch?: readonly string[] | undefined };
  'requirement-missing': { appId: string; missing: readonly unknown[] };
  /** The setting of the company that refuses it. */
  'not-allowed': { setting: string; appId?: string };
  'consent-needed': { appId: string };
  'not-installed': { appId: string };
  'switched-off': { appId?: string };
  yanked: { appId?: string; reason?: string; at?: string; comesBack?: boolean };
  /** `store` where the app is installed from another one. */
  'id-taken': { appId: string; store?: string };
  /** The errors of the manifest and the bundle. */
  'invalid-app': { issues: readonly unknown[] };
  /** `scopes` that the server requires and the token lacks. */
  'not-connected': { accountId: string; scopes?: readonly string[] };
  'connect-failed': ConnectFailedDetail;
  'scope-refused': { scopes: readonly string[] };
  /** The HTTP status, or the code of a JSON-RPC error, that the app's server answered; `retryAfter` in seconds. */
  'server-failed': { status?: number; retryAfter?: number; rpc?: number };
};

/** The detail of a code. */
export type DetailOf<Code extends RefusalCode> = Code extends keyof RefusalDetails
  ? Readonly<RefusalDetails[Code]>
  : Readonly<Record<string, never>>;

/** Whether an error is a refusal with this code; its `detail` then has the type of the code. */
export const isRefusal = <Code extends RefusalCode>(
  error: unknown,
  code: Code,
): error is RuntimeError & { code: Code; detail: Partial<DetailOf<Code>> } =>
  error instanceof RuntimeError && error.code === code;

/** The detail of a failed sign-in; null for another error. */
export const connectFailure = (error: unknown): ConnectFailedDetail | null =>
  error instanceof RuntimeError && error.code === 'connect-failed'
    ? (error.detail as ConnectFailedDetail)
    : null;

/** Creates the error of a failed sign-in. It has no cause of its own, which could contain a secret. */
export const connectFailed = (
  message: string,
  cause: SignInCause,
  oauthError: string | null = null,
): RuntimeError =>
  new RuntimeError('connect-failed', message, {
    detail: { cause, oauthError } satisfies ConnectFailedDetail,
  });

/**
 * An expected error of the runtime. The message is for the user or the agent and never contains a secret; `detail` is for programs.
 */
export class RuntimeError<Code extends RefusalCode = RefusalCode> extends Error {
  readonly code: RefusalCode;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(
    code: Code,
    message: string = MESSAGES[code],
    { detail = {} as DetailOf<Code>, cause }: { detail?: DetailOf<Code>; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'RuntimeError';
    this.code = code;
    this.detail = detail;
  }
}

const DISK_FULL = 'The disk of this computer is full. Free some space, and try again.';

/** What the codes of a full, read-only, failing or closed disk mean: those of errno(3), and the primary result codes of SQLite. */
const DISK_FAULTS: ReadonlyMap<unknown, string | undefined> = new Map<unknown, string | undefined>([
  ...['ENOSPC', 'EDQUOT', 13].map((code) => [code, DISK_FULL] as const),
  ...['EROFS', 'EACCES', 'EPERM', 'EIO', 8, 10, 14].map((code) => [code, undefined] as const),
]);

/** The refusal that an error is: itself, or `disk-unavailable` for an error of the disk; null for a fault of the program. */
export function asRefusal(error: unknown): RuntimeError | null {
  if (error instanceof RuntimeError) return error;
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  const fault = typeof errcode === 'number' ? errcode & 0xff : code;
  return DISK_FAULTS.has(fault)
    ? new RuntimeError('disk-unavailable', DISK_FAULTS.get(fault), { cause: error })
    : null;
}
