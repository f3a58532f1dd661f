import * as device from '../records/device.ts';
import { route } from './route.ts';

/** Device sign-in (RFC 8628): a program shows a code, and the user approves it in a browser, which may be on another device. */
export const deviceRoutes = {
  startDevice: route.tokens('everyone POST /api/developer/device/start', {
    summary: 'Start a device sign-in.',
    body: device.DeviceAsk,
    optionalBody: true,
    success: { status: 200, body: device.DeviceStart },
  }),
  pollDevice: route.tokens('everyone POST /api/developer/device/poll', {
    summary:
      'Poll a device sign-in. After the approval, the first poll returns the token; later ones fail with `expired`.',
    body: device.DevicePoll,
    success: { status: 200, body: device.DevicePollAnswer },
    errors: ['access_denied', 'expired', 'slow_down'],
  }),
  devicePage: route.tokens('person GET /device', {
    summary: 'Page to type the code that a device shows.',
    freshProof: true,
    provenAddress: true,
    page: true,
    query: device.DevicePageQuery,
    errors: ['rate_limited'],
  }),
  findDevice: route.tokens('person POST /device', {
    summary: 'Page that shows which program requests access, and which scopes.',
    page: true,
    form: device.DeviceLookForm,
    errors: ['not_found', 'rate_limited'],
  }),
  answerDevice: route.tokens('person POST /device/answer', {
    summary: 'Approve or deny a device sign-in.',
    freshProof: true,
    provenAddress: true,
    page: true,
    form: device.DeviceAnswerForm,
    errors: ['not_a_member', 'already_handled', 'limit_reached'],
  }),
};
