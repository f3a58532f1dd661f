import { type DeviceAnswerForm, LIMITS, type TokenScope } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { type Mac, sameSecret } from '../../platform/secret.ts';
import { type PersonCaller, requireMember } from '../domain/identity/caller.ts';
import type { DeviceGrant, DeviceRecord } from '../domain/identity/device-store.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { readUserCode } from './device-sign-in.ts';
import { recordFailedCode, requireUnlocked } from './guess-lock.ts';
import { requireBelowLimit } from './own-tokens.ts';

export type ApproveDeps = Pick<Parts, 'rateLimits' | 'clock' | 'unitOfWork'> & {
  /** The MAC of user codes. */
  macOfCode: Mac;
  /** The MAC that proves that a person was shown a code. */
  macOfShown: Mac;
};

/** A device that a person was shown, with the MAC that proves it. */
export type ShownDevice = { device: DeviceRecord; code: string; seal: string };

const shownMac = (macOfShown: Mac, { person, sessionId }: PersonCaller, code: string): string =>
  macOfShown(`${person.id} ${sessionId} ${code}`);

/**
 * Finds the pending device of a typed code. A wrong code counts against the person.
 * @returns null when no device waits with this code
 * @throws ApiError rate_limited after too many wrong codes
 */
export async function findByUserCode(
  { unitOfWork, clock, macOfCode, macOfShown }: ApproveDeps,
  caller: PersonCaller,
  typed: string,
): Promise<ShownDevice | null> {
  const code = readUserCode(typed);
  return unitOfWork(async ({ devices, rateLimits }) => {
    await requireUnlocked({ rateLimits, clock }, caller);
    const device =
      code === null ? null : await devices.findByUserCode(macOfCode(code), clock().toISOString());
    if (code !== null && device?.state === 'pending') {
      return { device, code, seal: shownMac(macOfShown, caller, code) };
    }
    await recordFailedCode({ rateLimits, clock }, caller);
    return null;
  });
}

const notWaiting = () =>
  new ApiError(
    'already_handled',
    'This code is no longer valid: it was approved or denied already, or it has expired. Nothing was changed. To sign in a device, start again on the device.',
  );

/** The grant of a form: of the requested scopes, those that are selected. */
function grantOf(caller: PersonCaller, { asked }: DeviceRecord, form: DeviceAnswerForm): DeviceGrant {
  const scopes = asked.scopes.filter((scope: TokenScope) => form[scope] === 'on');
  if (scopes.length === 0) {
    throw new ApiError('invalid_request', 'Select at least one permission, or deny the device.');
  }
  if (form.publisher !== '') requireMember(caller, form.publisher);
  return { scopes, publisher: form.publisher === '' ? null : form.publisher };
}

/** The code of a form, if this person was shown it. Nothing is revealed about other codes. */
function requireShownCode(
  macOfShown: Mac,
  caller: PersonCaller,
  { code: typed, seal }: DeviceAnswerForm,
): string {
  const code = readUserCode(typed);
  if (code !== null && sameSecret(seal, shownMac(macOfShown, caller, code))) return code;
  throw new ApiError(
    'forbidden',
    'This is not the code that you were shown. Nothing was changed: enter the code again.',
  );
}

/**
 * Approves or denies a device that a person was shown. Of two concurrent answers the second one is refused.
 * @returns the device and its grant; a null grant when it was denied
 * @throws ApiError forbidden, not_a_member, already_handled, limit_reached
 */
export async function answerDevice(
  deps: ApproveDeps,
  caller: PersonCaller,
  form: DeviceAnswerForm,
): Promise<{ device: DeviceRecord; grant: DeviceGrant | null }> {
  const userCodeSeal = deps.macOfCode(requireShownCode(deps.macOfShown, caller, form));
  const { id: personId } = caller.person;
  const now = deps.clock().toISOString();
  return deps.unitOfWork(async (stores) => {
    const { devices, tokens, audit } = stores;
    const device = await devices.findByUserCode(userCodeSeal, now);
    if (device?.state !== 'pending') throw notWaiting();
    const { client } = device;
    if (form.answer === 'deny') {
      if (!(await devices.deny(userCodeSeal, personId, now))) throw notWaiting();
      await audit.add(caller, now, { action: 'device.deny', detail: { client } });
      return { device, grant: null };
    }
    const grant = grantOf(caller, device, form);
    await requireBelowLimit(tokens, { personId }, now, 1 + (await devices.countApproved(personId, now)));
    if (!(await devices.approve(userCodeSeal, { personId, grant }, now))) throw notWaiting();
    const { publisher, scopes } = grant;
    const detail = { client, scopes, days: LIMITS.tokens.days.default };
    await audit.add(caller, now, {
      action: 'device.approve',
      ...(publisher !== null && { publisher }),
      detail,
    });
    return { device, grant };
  });
}
