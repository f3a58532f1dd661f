import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { win32 } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The settings of a machine as JSON, and what names the place that they come from. */
export type MachineText = { place: string; text: string };

/** Runs a program. @returns its output; null when it ends with code 1, as `reg.exe` does for a value that does not exist */
type Run = (program: string, args: readonly string[]) => string | null;

/** Longest time of such a program, in milliseconds, and the most bytes of its answer. */
const LIMITS = { timeout: 10_000, maxBuffer: 4 * 1024 * 1024 };

const run: Run = (program, args) => {
  try {
    return execFileSync(program, args, {
      ...LIMITS,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    });
  } catch (error) {
    if ((error as { status?: unknown }).status === 1) return null;
    throw error;
  }
};

/** The key of the registry that group policies and Intune write, and only administrators may change. */
const REGISTRY_KEY = 'HKLM\\SOFTWARE\\Policies\\svc';
const REGISTRY_VALUE = 'Settings';

/** Preferences that a configuration profile forces. Only root, and with it device management, writes to this folder. */
const MANAGED_PREFERENCES = '/Library/Managed Preferences/svc.desktop.plist';

/** What `reg query` prints between the name, the type and the value of a line. */
const REG_COLUMN = '    ';

function registryText(env: Env, runs: Run): MachineText | null {
  const program = win32.join(env.SystemRoot || 'C:\\Windows', 'System32', 'reg.exe');
  const output = runs(program, ['query', REGISTRY_KEY, '/v', REGISTRY_VALUE, '/reg:64']);
  if (output === null) return null;
  const place = `${REGISTRY_KEY}\\${REGISTRY_VALUE}`;
  const lines = output.split('\n').map((line) => line.trim().split(REG_COLUMN));
  const [, type = '', ...value] = lines.find(([name]) => name === REGISTRY_VALUE) ?? [];
  const text = value.join(REG_COLUMN);
  if (text === '' || !['REG_SZ', 'REG_EXPAND_SZ'].includes(type))
    throw new TypeError(`${place} must be a text (REG_SZ).`);
  return { place, text };
}

/** The preferences without what a configuration profile adds of its own (`PayloadUUID`). */
function withoutPayload(json: string): string {
  const entries = Object.entries(JSON.parse(json) as object);
  return JSON.stringify(Object.fromEntries(entries.filter(([name]) => !name.startsWith('Payload'))));
}

/**
 * Requires that only an administrator may change a file (POSIX), as it decides for every user of the machine.
 * @throws TypeError with a sentence that names the file
 */
export function requireOfAdministrator(file: string, { uid, mode }: { uid: number; mode: number }): void {
  if (uid !== 0 || (mode & 0o022) !== 0)
    throw new TypeError(`${file} must belong to root, and only root may write it.`);
}

function preferencesText(file: string, runs: Run): MachineText | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return null;
  requireOfAdministrator(file, stats);
  const text = runs('/usr/bin/plutil', ['-convert', 'json', '-o', '-', file]);
  if (text === null) throw new TypeError(`${file} cannot be used: it is not a property list.`);
  return { place: file, text: withoutPayload(text) };
}

/**
 * Reads the settings of a machine from the policies of its system: on Windows the value `Settings` of
 * `HKLM\SOFTWARE\Policies\svc`, which holds the JSON; on macOS the forced preferences of the domain `svc.desktop`. Linux has no such place.
 * @param file the managed preferences of macOS
 * @returns null where device management has set nothing
 * @throws TypeError for a value of another type, or one that others may write; Error when the system cannot be asked
 */
export function readPolicyStore(
  platform: NodeJS.Platform,
  env: Env,
  { runs = run, file = MANAGED_PREFERENCES }: { runs?: Run; file?: string } = {},
): MachineText | null {
  if (platform === 'win32') return registryText(env, runs);
  if (platform === 'darwin') return preferencesText(file, runs);
  return null;
}

let read: { found: MachineText | null } | undefined;

/** The same for this process, which reads them once; null for another platform, as in tests. */
export function systemPolicies(platform: NodeJS.Platform): MachineText | null {
  if (platform !== process.platform) return null;
  read ??= { found: readPolicyStore(platform, process.env) };
  return read.found;
}
