/**
 * Every expected "no" of the runtime, with what the person or the agent can do about it. What is not here is a fault of the
 * program.
 */
const MESSAGES = {
  // Stores and what they serve
  'store-unreachable': 'The store cannot be reached, or does not answer as a store does.',
  'store-refused': 'The store refuses the request.',
  'not-verified': 'A bundle, a key or a list is not what the pinned key signed.',
  'rolled-back': 'Something older than what was accepted before was offered.',
  'not-for-this-machine': 'The app does not run on this operating system or processor.',
  'requirement-missing': 'The app needs another app or connector first.',
  'consent-needed': 'A person must agree to what the app may reach.',
  declined: 'The person said no.',
  'not-installed': 'There is no such app here.',
  'switched-off': 'The app is switched off.',
  withdrawn: 'The store has withdrawn this version.',
  'command-refused': 'The program cannot be added as a connector.',
  'id-taken': 'Another app on this computer has this id.',
  'invalid-app': 'The manifest or bundle has errors.',
  // Accounts
  'not-connected': 'The account is not connected.',
  'connect-failed': 'The sign-in did not lead to a token.',
  'unknown-account': 'The app declares no such account.',
  'token-unavailable': 'The account is connected, but its sign-in server gives no fresh token at the moment.',
  'token-withheld':
    'Panels get no tokens in this browser, which does not keep them to the hosts of their app. Call a tool of the app instead.',
  'scope-refused': 'The app’s server asks for access that signing in again cannot give.',
  'vault-locked': 'The vault cannot be opened with this key.',
  'vault-damaged': 'The vault is damaged. It is left as it is.',
  // Calls and files
  'invalid-arguments': 'The arguments are not what JSON can carry.',
  'unknown-tool': 'The app has no such tool.',
  'address-refused': 'The address is not one the app may reach.',
  unreachable: 'The app’s server cannot be reached.',
  'too-large': 'It is larger than allowed.',
  'too-slow': 'It took longer than allowed.',
  'too-many': 'There are more at once than allowed.',
  'file-refused': 'The file is not one the tool takes.',
  'media-failed': 'The file cannot be prepared as the tool asks.',
  'server-failed': 'The app’s server failed or broke the protocol.',
  // Panels
  'unknown-panel': 'The app has no such panel.',
  'unknown-file': 'There is no such file here.',
  'not-granted': 'The app was not granted this.',
  'not-offered': 'This client does not offer it.',
} as const;

export type RefusalCode = keyof typeof MESSAGES;

/**
 * An expected "no" of the runtime. The message is for the person or the agent and never holds a secret; `detail` adds what
 * a program can use.
 */
export class RuntimeError extends Error {
  readonly code: RefusalCode;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(
    code: RefusalCode,
    message: string = MESSAGES[code],
    { detail = {}, cause }: { detail?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'RuntimeError';
    this.code = code;
    this.detail = detail;
  }
}
