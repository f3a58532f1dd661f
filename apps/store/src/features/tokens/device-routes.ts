import type { SigningKey } from '@svc/signing';
import type { Handlers } from '../../access/bind-route.ts';
import { originOf } from '../../access/context.ts';
import { type CsrfDeps, csrfTokenFor } from '../../access/csrf.ts';
import { sendPage } from '../../http/page.ts';
import { createMac } from '../../platform/secret.ts';
import { type ApproveDeps, answerDevice, findByUserCode } from './approve-device.ts';
import { answeredPage, askPage, codePage } from './device-page.ts';
import { type DeviceDeps, pollDevice, startDevice } from './device-sign-in.ts';
import { requireUnlocked } from './guess-lock.ts';

type RouteDeps = Omit<DeviceDeps, 'macOfCode'> &
  Omit<ApproveDeps, 'macOfCode' | 'macOfShown'> &
  CsrfDeps & { unitOfWork: DeviceDeps['unitOfWork']; signingKey: Pick<SigningKey, 'privateKey'> };

const WRONG_CODE =
  'No device waits with this code. Compare it with the device: the code may be mistyped or have expired.';

/** Device sign-in: the endpoints of the device, and the pages for the user. */
export function deviceRoutes(parts: RouteDeps) {
  const { privateKey } = parts.signingKey;
  const deps = {
    ...parts,
    macOfCode: createMac(privateKey, 'device-user-code'),
    macOfShown: createMac(privateKey, 'device-look'),
  };
  return {
    startDevice: ({ body }, c) => startDevice(deps, originOf(c), body),
    pollDevice: ({ body }, c) => pollDevice(deps, originOf(c), body.deviceCode),
    devicePage: async ({ caller, query }, c) => {
      await requireUnlocked(deps, caller);
      return sendPage(c, codePage(caller, csrfTokenFor(deps, c), query.code));
    },
    findDevice: async ({ caller, form }, c) => {
      const shown = await findByUserCode(deps, caller, form.code);
      const csrf = csrfTokenFor(deps, c);
      if (!shown) return sendPage(c, codePage(caller, csrf, form.code, WRONG_CODE), 404);
      return sendPage(c, askPage(caller, csrf, shown, deps.clock()));
    },
    answerDevice: async ({ caller, form }, c) => {
      const { device, grant } = await answerDevice(deps, caller, form);
      return sendPage(c, answeredPage(device, grant));
    },
  } satisfies Handlers;
}
