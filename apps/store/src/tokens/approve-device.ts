import { type DeviceAnswerForm, LIMITS, type TokenScope } from '@svc/contracts';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import { type PersonCaller, requireMember } from '../domain/identity/caller.ts';
import type { DeviceGrant, DeviceRecord, DeviceStore } from '../domain/identity/device-store.ts';
import type { TokenStore } from '../domain/identity/token-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { RateLimitStore } from '../platform/rate-limit-store.ts';
import { type Mac, sameSecret } from '../platform/secret.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';
import { readUserCode } from './device-code.ts';
import { recordFailedCode, requireUnlocked } from './guess-lock.ts';
import { requireRoom } from './make-token.ts';

export type ApproveDeps = {
  unitOfWork: UnitOfWork<{
    devices: DeviceStore;
    rateLimits: RateLimitStore;
    tokens: TokenStore;
    audit: AuditLog;
  }>;
  rateLimits: RateLimitStore;
  clock: Clock;
  /** Seals user codes. */
  macOfCode: Mac;
  /** Seals that a person has looked at a code. */
  sealLook: Mac;
};

/** What a person has looked at, and the seal that shows it. */
export type LookedAt = { device: DeviceRecord; code: string; seal: string };

const lookSeal = (sealLook: Mac, { person, sessionId }: PersonCaller, code: string): string =>
  sealLook(`${person.id} ${sessionId} ${code}`);

/**
 * Finds what waits under a code that a person typed. A wrong code counts against them and their address.
 * @returns null when nothing waits under it
 * @throws ApiError rate_limited after too many wrong codes
 */
export async function findByUserCode(
  { unitOfWork, clock, macOfCode, sealLook }: ApproveDeps,
  caller: PersonCaller,
  typed: string,
): Promise<LookedAt | null> {
  const code = readUserCode(typed);
  return unitOfWork(async ({ devices, rateLimits }) => {
    await requireUnlocked({ rateLimits, clock }, caller);
    const found = code === null ? null : await devices.findByUserCode(macOfCode(code), clock().toISOString());
    if (code !== null && found?.state === 'pending') {
      return { device: found, code, seal: lookSeal(sealLook, caller, code) };
    }
    await recordFailedCode({ rateLimits, clock }, caller);
    return null;
  });
}

const notWaiting = () =>
  new ApiError(
    'already_handled',
    'Nothing waits under this code any more: it was approved or denied already, or it has run out. Nothing was changed. To sign a device in, start again there.',
  );

/** Only what was asked for can be granted, and of that what is still checked. */
function grantOf(caller: PersonCaller, { asked }: DeviceRecord, form: DeviceAnswerForm): DeviceGrant {
  const scopes = asked.scopes.filter((scope: TokenScope) => form[scope] === 'on');
  if (scopes.length === 0) {
    throw new ApiError('invalid_request', 'Choose at least one thing that the device may do, or deny it.');
  }
  if (form.publisher !== '') requireMember(caller, form.publisher);
  return { scopes, publisher: form.publisher === '' ? null : form.publisher };
}

/** The code of a form, when it is one that this person has looked at: nothing is said of any other. */
function lookedAtCode(sealLook: Mac, caller: PersonCaller, { code: typed, seal }: DeviceAnswerForm): string {
  const code = readUserCode(typed);
  if (code !== null && sameSecret(seal, lookSeal(sealLook, caller, code))) return code;
  throw new ApiError(
    'forbidden',
    'This is not the code that you looked at. Nothing was changed: type the code again.',
  );
}

/**
 * Approves or denies what a person has looked at, once: of two answers at once the second is refused.
 * @returns the device as it was asked about, and what it was granted; null when it was denied
 * @throws ApiError forbidden, not_a_member, already_handled, limit_reached
 */
export async function answerDevice(
  deps: ApproveDeps,
  caller: PersonCaller,
  form: DeviceAnswerForm,
): Promise<{ device: DeviceRecord; grant: DeviceGrant | null }> {
  const userCodeSeal = deps.macOfCode(lookedAtCode(deps.sealLook, caller, form));
  const { id: personId } = caller.person;
  const now = deps.clock().toISOString();
  return deps.unitOfWork(async ({ devices, tokens, audit }) => {
    const device = await devices.findByUserCode(userCodeSeal, now);
    if (device?.state !== 'pending') throw notWaiting();
    const { client } = device;
    if (form.answer === 'deny') {
      if (!(await devices.deny(userCodeSeal, personId, now))) throw notWaiting();
      await audit.add(caller, now, { action: 'device.deny', detail: { client } });
      return { device, grant: null };
    }
    const grant = grantOf(caller, device, form);
    await requireRoom(tokens, { personId }, now, 1 + (await devices.countApproved(personId, now)));
    if (!(await devices.approve(userCodeSeal, { personId, grant }, now))) throw notWaiting();
    const { publisher, scopes } = grant;
    const detail = { client, scopes, days: LIMITS.tokens.days.usual };
    await audit.add(caller, now, {
      action: 'device.approve',
      ...(publisher !== null && { publisher }),
      detail,
    });
    return { device, grant };
  });
}
