import {
  type DeviceAsk,
  type DevicePollAnswer,
  type DeviceStart,
  LIMITS,
  TOKEN_SCOPES,
  USER_CODE_LETTERS,
} from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { RateLimitError } from '../../platform/rate.ts';
import { hashSecret, type Mac, newSecret } from '../../platform/secret.ts';
import type { RandomBytes } from '../../platform/system.ts';
import { endOf } from '../../platform/terms.ts';
import type { Origin } from '../domain/audit/audit-log.ts';
import { personName } from '../domain/identity/caller.ts';
import type { ApprovedDevice, DeviceRecord, DeviceStore } from '../domain/identity/device-store.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { type MakeDeps, makeToken } from './own-tokens.ts';

const LENGTH = 8;
const SHAPE = new RegExp(`^[${USER_CODE_LETTERS}]{${LENGTH}}$`);

/** Creates a random user code of 8 letters, one of 20^8. Bytes above the last multiple of 20 are discarded, against modulo bias. */
function newUserCode(random: RandomBytes): string {
  const fair = 256 - (256 % USER_CODE_LETTERS.length);
  let code = '';
  while (code.length < LENGTH) {
    for (const byte of random(LENGTH)) {
      if (byte < fair && code.length < LENGTH) code += USER_CODE_LETTERS[byte % USER_CODE_LETTERS.length];
    }
  }
  return code;
}

/** Formats a user code for display: `XXXX-XXXX`. */
export const shownUserCode = (code: string): string =>
  `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;

/** Parses a typed code: in any case, with or without the hyphen, with spaces. Null when it is malformed. */
export function readUserCode(typed: string): string | null {
  const code = typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
  return SHAPE.test(code) ? code : null;
}

const { intervalSeconds, expirySeconds, pending } = LIMITS.device;

/** Tolerance for the clock of a device that keeps to the interval, in milliseconds. */
const SLACK_MS = 500;

/** With 100,000 pending sign-ins, a new user code collides once in some 250,000 starts. More collisions in a row are not chance. */
const MAX_TRIES = 5;

export type DeviceDeps = MakeDeps & Pick<Parts, 'devices' | 'baseUrl'> & { macOfCode: Mac };

/** Stores a sign-in with a unique user code. */
async function addWithUserCode(
  { random, macOfCode }: DeviceDeps,
  devices: DeviceStore,
  device: Omit<DeviceRecord, 'userCodeSeal'>,
): Promise<string> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const userCode = newUserCode(random);
    if (await devices.add({ ...device, userCodeSeal: macOfCode(userCode) })) return userCode;
  }
  throw new Error('Every new user code is in use: the random generator is faulty.');
}

/**
 * Starts a device sign-in (RFC 8628 section 3.2). Both codes are only in the response; the store keeps hashes.
 * With too many pending, the oldest one ends: a limit per network would lock out an office.
 */
export async function startDevice(
  deps: DeviceDeps,
  from: Origin,
  { client = 'a program without a name', scopes = [...TOKEN_SCOPES], publisher }: DeviceAsk,
): Promise<DeviceStart> {
  const deviceCode = newSecret(deps.random);
  const { clock } = deps;
  const userCode = await deps.unitOfWork(async ({ devices }) => {
    const now = clock();
    if ((await devices.countLive(now.toISOString())) >= pending) await devices.removeOldestPending();
    return addWithUserCode(deps, devices, {
      deviceHash: hashSecret(deviceCode),
      client,
      address: from.address,
      createdAt: now.toISOString(),
      expiresAt: endOf('device_codes.expires_at', now),
      asked: { scopes: [...new Set(scopes)], publisher: publisher ?? null },
      state: 'pending',
    });
  });
  return {
    deviceCode,
    userCode: shownUserCode(userCode),
    verifyUrl: `${deps.baseUrl}/device`,
    interval: intervalSeconds,
    expiresIn: expirySeconds,
  };
}

const expired = () =>
  new ApiError('expired', 'This device code is unknown, has expired or was used: start the sign-in again.');

const denied = () => new ApiError('access_denied', 'The user denied this sign-in.');

/** Exchanges an approved sign-in for a token of the person, in one transaction. */
async function deliver(deps: DeviceDeps, from: Origin, deviceHash: string): Promise<string> {
  return deps.unitOfWork(async (stores) => {
    const approved = await stores.devices.takeApproved(deviceHash, deps.clock().toISOString());
    if (!approved) throw expired();
    const person = await stores.people.find(approved.personId);
    if (!person || person.suspended) throw denied();
    const actor = { name: personName(approved.personId), from };
    return (await makeToken(deps, stores, actor, requestOf(approved))).token;
  });
}

const requestOf = ({ client, personId, grant }: ApprovedDevice) => ({
  kind: 'device' as const,
  name: client,
  personId,
  publisher: grant.publisher,
  appId: null,
  scopes: grant.scopes,
  days: LIMITS.tokens.days.default,
});

/**
 * Answers a poll of a device (RFC 8628 section 3.4). Of many concurrent polls one gets the token.
 * @throws ApiError access_denied, expired, slow_down
 */
export async function pollDevice(
  deps: DeviceDeps,
  from: Origin,
  deviceCode: string,
): Promise<DevicePollAnswer> {
  const deviceHash = hashSecret(deviceCode);
  const now = deps.clock();
  const at = now.toISOString();
  const device = await deps.devices.findByDevice(deviceHash, at);
  if (!device) throw expired();
  if (device.state === 'denied') throw denied();
  const since = new Date(now.getTime() - intervalSeconds * 1000 + SLACK_MS).toISOString();
  if (!(await deps.devices.poll(deviceHash, at, since))) {
    // RFC 8628 section 3.5: from then on the device waits five seconds more each time.
    const slower = `Poll every ${intervalSeconds} seconds, and from now on ${intervalSeconds} seconds more slowly.`;
    const quota = { name: 'polls', limit: 1, windowSeconds: intervalSeconds, remaining: 0 };
    throw new RateLimitError({ ...quota, resetSeconds: intervalSeconds }, slower, 'slow_down');
  }
  return device.state === 'approved' ? { token: await deliver(deps, from, deviceHash) } : { pending: true };
}
