import type { SigningKey } from '@svc/signing';
import type { RouteHandler } from '../access/bind-route.ts';
import { originOf } from '../access/context.ts';
import { csrfTokenFor, type ForgeryDeps } from '../access/csrf.ts';
import { personOf } from '../access/signed-in.ts';
import { sendPage } from '../http/page.ts';
import { createMac } from '../platform/secret.ts';
import { type ApproveDeps, answerDevice, findByUserCode } from './approve-device.ts';
import { answeredPage, askPage, codePage } from './device-page.ts';
import { type DeviceDeps, pollDevice, startDevice } from './device-sign-in.ts';
import { requireUnlocked } from './guess-lock.ts';

type RouteDeps = Omit<DeviceDeps, 'macOfCode'> &
  Omit<ApproveDeps, 'macOfCode' | 'sealLook'> &
  ForgeryDeps & { unitOfWork: DeviceDeps['unitOfWork']; signingKey: Pick<SigningKey, 'privateKey'> };

const NO_STORE = { 'Cache-Control': 'no-store' };
const WRONG_CODE =
  'Nothing waits under this code. Compare it with the device: it may have run out, or be mistyped.';

/** Device sign-in: what the device asks, and the pages on which a person answers. */
export function deviceRoutes(parts: RouteDeps) {
  const { privateKey } = parts.signingKey;
  const deps = {
    ...parts,
    macOfCode: createMac(privateKey, 'device-user-code'),
    sealLook: createMac(privateKey, 'device-look'),
  };
  return {
    startDevice: (async (c, { body }) =>
      c.json(
        await startDevice(deps, originOf(c), body),
        200,
        NO_STORE,
      )) satisfies RouteHandler<'startDevice'>,
    pollDevice: (async (c, { body }) =>
      c.json(
        await pollDevice(deps, originOf(c), body.deviceCode),
        200,
        NO_STORE,
      )) satisfies RouteHandler<'pollDevice'>,
    devicePage: (async (c, { query }) => {
      const caller = personOf(c);
      await requireUnlocked(deps, caller);
      return sendPage(c, codePage(caller, csrfTokenFor(deps, c), query.code));
    }) satisfies RouteHandler<'devicePage'>,
    lookAtDevice: (async (c, { form }) => {
      const caller = personOf(c);
      const found = await findByUserCode(deps, caller, form.code);
      const csrf = csrfTokenFor(deps, c);
      if (!found) return sendPage(c, codePage(caller, csrf, form.code, WRONG_CODE), 404);
      return sendPage(c, askPage(caller, csrf, found, deps.clock()));
    }) satisfies RouteHandler<'lookAtDevice'>,
    answerDevice: (async (c, { form }) => {
      const { device, grant } = await answerDevice(deps, personOf(c), form);
      return sendPage(c, answeredPage(device, grant));
    }) satisfies RouteHandler<'answerDevice'>,
  };
}
