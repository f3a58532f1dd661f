import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A place of the system for secrets, one for each account. Everything in it rejects when there is none, or it is locked. */
export type Keyring = {
  /** The secret, or null when there is none. */
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  /** Nothing happens when there is none. */
  delete(account: string): Promise<void>;
};

type Operation = keyof Keyring;

/** What reaches the keyring itself, and how long it may take. */
type KeyringProcess = { program: string; limitMs: number };

/**
 * A locked keyring asks its user for a password, so they must have the time to type it. Where nobody sees the
 * question, it is never answered, and the call would never end.
 */
const LIMIT_MS = 30_000;

/** Longest secret that is read, in bytes. */
const MAX_BYTES = 64 * 1024;

/** The program beside this one, which is TypeScript in the repository and JavaScript in the package. */
const ownProgram = (): string =>
  fileURLToPath(new URL(`./keyring-process${path.extname(import.meta.url)}`, import.meta.url));

/**
 * The keyring of the system: Keychain, Credential Manager, or the Secret Service of the desktop. A process of its own
 * asks it: a call that waits for ever cannot be ended otherwise, and not even this process could then end. Secrets go
 * through pipes, as arguments of a process can be read by everybody on the machine.
 * @param env the environment, which says where the desktop's services are; the token in it is not handed on
 */
export function systemKeyring(
  env: Readonly<Record<string, string | undefined>>,
  { program = ownProgram(), limitMs = LIMIT_MS }: Partial<KeyringProcess> = {},
): Keyring {
  const { SVC_TOKEN: _token, ...rest } = env;
  const options = { env: rest, timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: MAX_BYTES } as const;
  const run = (operation: Operation, account: string, secret = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = execFile(process.execPath, [program, operation, account], options, (error, stdout) => {
        // The error of execFile holds what the process wrote, which is nothing to hand on.
        if (error) reject(new Error(error.killed ? 'it does not answer' : 'it cannot be used'));
        else resolve(stdout);
      });
      // A process that ended before it read anything says why by its exit code.
      child.stdin?.on('error', () => {});
      child.stdin?.end(secret);
    });
  return {
    get: async (account) => (await run('get', account)) || null,
    set: async (account, secret) => void (await run('set', account, secret)),
    delete: async (account) => void (await run('delete', account)),
  };
}
