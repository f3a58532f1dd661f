import { readFileSync, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { MANAGED_KEYS, type ManagedKey, ManagedSettings } from '@svc/contracts';
import { readPrivateNetworks } from '@svc/contracts/public-address';
import { storeAddress } from '@svc/contracts/store-address';
import { readPublicKey } from '@svc/signing';
import type { ManagedOptions } from '../managed/managed-options.ts';
import { mirrorsOf } from '../managed/rules.ts';
import { readAuthorities } from './authorities.ts';
import { type MachineText, requireOfAdministrator, systemPolicies } from './policy-store.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What the operator of a machine sets for all of its users, in the policies of the system or in `managed.json`. */
export type MachineSettings = {
  /** The private networks; null when users choose them. */
  privateNetworks: readonly string[] | null;
  /** A file with certificate authorities to trust in addition, as PEM; null when there is none. */
  caFile: string | null;
  /** The address of the only store; null when users choose it. */
  store: string | null;
  /** The public key of that store as PEM; null when it is trusted on first use. */
  storeKey: string | null;
  /** Whether the settings that the store serves are in force too. */
  settingsFromStore: boolean;
  /** The other settings of the company. */
  managed: ManagedSettings;
};

const NONE: MachineSettings = {
  ...{ privateNetworks: null, caFile: null, store: null, storeKey: null },
  ...{ settingsFromStore: false, managed: {} },
};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** The text of the file; null when there is none. @throws TypeError when others than root could have written it */
function fileText(platform: NodeJS.Platform, file: string): MachineText | null {
  try {
    if (platform !== 'win32') requireOfAdministrator(file, statSync(file));
    return { place: file, text: readFileSync(file, 'utf8') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Reads the settings of the machine: those of the policies of its system, else those of the file. Settings that another user could have
 * written, or that are not understood, are refused: a setting of the operator must not be lost unnoticed.
 * @param policies what device management has set in the system itself
 * @throws TypeError with a sentence that names the place
 */
export function readMachineSettings(
  platform: NodeJS.Platform,
  file: string,
  policies: typeof systemPolicies = systemPolicies,
): MachineSettings {
  const found = policies(platform) ?? fileText(platform, file);
  if (found === null) return NONE;
  const { place, text } = found;
  const wrong = (what: string) => new TypeError(`${place} cannot be used: ${what}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong('it is not JSON.');
  }
  const { privateNetworks = null, caFile = null, ...others } = (value ?? {}) as Record<string, unknown>;
  if (privateNetworks !== null && !isTexts(privateNetworks))
    throw wrong('"privateNetworks" must be a list of hosts and networks.');
  if (
    caFile !== null &&
    !(typeof caFile === 'string' && (posix.isAbsolute(caFile) || win32.isAbsolute(caFile)))
  )
    throw wrong('"caFile" must be the full path of a PEM file.');
  checkedNetworks(privateNetworks ?? [], `${place} cannot be used: "privateNetworks"`);
  return { privateNetworks, caFile, ...companySettings(others, wrong) };
}

/** What the file says of the store, and of apps and the rest. */
function companySettings(
  { store = null, storeKey = null, settingsFromStore = false, ...others }: Record<string, unknown>,
  wrong: (what: string) => TypeError,
): Pick<MachineSettings, 'store' | 'storeKey' | 'settingsFromStore' | 'managed'> {
  const unknown = Object.keys(others).find((name) => !MANAGED_KEYS.includes(name as ManagedKey));
  if (unknown !== undefined) throw wrong(`${unknown} is not a setting.`);
  const { success, data, error } = ManagedSettings.safeParse(others);
  if (!success) {
    const [issue] = error.issues;
    throw wrong(`"${issue?.path.join('.')}" ${issue?.message}.`);
  }
  if (typeof settingsFromStore !== 'boolean') throw wrong('"settingsFromStore" must be true or false.');
  if (settingsFromStore && (store === null || storeKey === null))
    throw wrong('"settingsFromStore" needs "store" and "storeKey" beside it.');
  if (storeKey !== null && store === null) throw wrong('"storeKey" needs "store" beside it.');
  return {
    store: store === null ? null : checkedStore(store, wrong),
    storeKey: storeKey === null ? null : checkedKey(storeKey, wrong),
    settingsFromStore,
    managed: data,
  };
}

function checkedStore(store: unknown, wrong: (what: string) => TypeError): string {
  try {
    return storeAddress(String(store));
  } catch (error) {
    throw wrong(`"store" is not valid: ${(error as Error).message}`);
  }
}

/** A key as PEM, or the base64 of its SubjectPublicKeyInfo in one line, which fits in any file. */
function checkedKey(given: unknown, wrong: (what: string) => TypeError): string {
  const text = String(given).trim();
  const pem = text.startsWith('-----')
    ? text
    : `-----BEGIN PUBLIC KEY-----\n${text}\n-----END PUBLIC KEY-----\n`;
  try {
    readPublicKey(pem);
    return pem;
  } catch {
    throw wrong('"storeKey" must be the public key of the store: GET /api/apps/public-key of it has it.');
  }
}

/** Reads a list of networks. @throws TypeError with where the list is, for an entry that is invalid or covers everything */
function checkedNetworks(list: string | readonly string[], where: string): readonly string[] {
  try {
    return readPrivateNetworks(list).entries;
  } catch (error) {
    throw new TypeError(`${where} is not valid: ${(error as Error).message}`);
  }
}

/**
 * The private networks that this program may reach: those of the machine, which its users cannot change; or else those of
 * `SVC_PRIVATE_NETWORKS`; null when neither sets any.
 * @param file the settings of the machine (`machineFile`)
 * @throws TypeError for an entry that is invalid or covers everything, with the name of the file or variable
 */
export function givenNetworks(
  env: Env,
  file: string,
  platform: NodeJS.Platform = process.platform,
): readonly string[] | null {
  const managed = readMachineSettings(platform, file).privateNetworks;
  if (managed) return managed;
  const given = env.SVC_PRIVATE_NETWORKS;
  return given ? checkedNetworks(given, 'SVC_PRIVATE_NETWORKS') : null;
}

/** The mirrors that `SVC_MIRRORS` names, as they are written. */
export const mirrorsIn = ({ SVC_MIRRORS = '' }: Env): string[] =>
  SVC_MIRRORS.split(/[\s,]+/).filter((mirror) => mirror !== '');

/**
 * The mirrors for a program that does not read the settings of a store: those of the machine, else those of `SVC_MIRRORS`.
 * @param file the settings of the machine (`machineFile`)
 * @throws TypeError with a sentence that names the file
 */
export function givenMirrors(
  env: Env,
  file: string,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  return mirrorsOf([readMachineSettings(platform, file).managed], mirrorsIn(env));
}

/**
 * The certificate authorities that the machine's settings and `SVC_CA_FILE` name, as PEM.
 * @param file the settings of the machine (`machineFile`)
 * @throws TypeError with the name of the file or variable, when one cannot be used
 */
export function givenAuthorities(
  env: Env,
  file: string,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const { caFile } = readMachineSettings(platform, file);
  const named = [
    [`"caFile" of ${file}`, caFile],
    ['SVC_CA_FILE', env.SVC_CA_FILE],
  ] as const;
  return named.flatMap(([name, authorities]) => {
    try {
      return authorities ? readAuthorities(authorities) : [];
    } catch (error) {
      throw new TypeError(`${name} ${(error as Error).message}.`);
    }
  });
}

/**
 * What the machine's settings make of a client: the options `managed`, `pin` and `store` of `openRuntime`; without them where the file has
 * nothing of the kind.
 * @param file the settings of the machine (`machineFile`)
 * @throws TypeError with a sentence that names the file
 */
export function managedOptions(
  file: string,
  platform: NodeJS.Platform = process.platform,
): { store: string | null; pin?: string; managed?: ManagedOptions } {
  const {
    store,
    storeKey,
    settingsFromStore: fromStore,
    managed: settings,
  } = readMachineSettings(platform, file);
  return {
    store,
    ...(storeKey !== null && { pin: storeKey }),
    ...((fromStore || Object.keys(settings).length > 0) && { managed: { settings, fromStore } }),
  };
}
