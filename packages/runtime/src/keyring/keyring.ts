import { execFile } from 'node:child_process';
import { nodeOf, ownProgram, type Programs } from '../programs/own-program.ts';

/** The system's keyring, with one secret per account. All methods reject when there is no keyring, or it is locked. */
export type Keyring = {
  /** The secret, or null when there is none. */
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  /** Deletes the secret, if there is one. */
  delete(account: string): Promise<void>;
};

type Operation = keyof Keyring;

/** The program that accesses the keyring, its time limit, and where the programs of the runtime are. */
type KeyringProcess = { program: string; limitMs: number; programs: Programs };

/**
 * Time limit of an operation, in milliseconds. A locked keyring prompts for a password; without a visible prompt the call would never
 * return.
 */
const LIMIT_MS = 30_000;

/** Maximum size of a secret, in bytes. */
const MAX_BYTES = 64 * 1024;

/**
 * Opens the system's keyring: Keychain, Credential Manager, or the Secret Service. A separate process accesses it, as a blocked call
 * could not be aborted otherwise. Secrets are passed through pipes, as all users can read the arguments of a process.
 * @param env the environment, for locating desktop services; SVC_TOKEN is removed
 */
export function systemKeyring(
  env: Readonly<Record<string, string | undefined>>,
  { program, limitMs = LIMIT_MS, programs = {} }: Partial<KeyringProcess> = {},
): Keyring {
  const { SVC_TOKEN: _token, ...rest } = env;
  const options = { env: rest, timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: MAX_BYTES } as const;
  const run = (operation: Operation, account: string, secret = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const file = program ?? ownProgram('keyring-process', programs);
      const child = execFile(nodeOf(programs), [file, operation, account], options, (error, stdout) => {
        // The error of execFile contains the output of the process, which may include a secret.
        if (error) reject(new Error(error.killed ? 'it does not answer' : 'it cannot be used'));
        else resolve(stdout);
      });
      // Ignored: if the process exits before reading, its exit code reports the error.
      child.stdin?.on('error', () => {});
      child.stdin?.end(secret);
    });
  return {
    get: async (account) => (await run('get', account)) || null,
    set: async (account, secret) => void (await run('set', account, secret)),
    delete: async (account) => void (await run('delete', account)),
  };
}
