import * as device from '../records/device.ts';
import type { Route } from './route.ts';

/** Device sign-in (RFC 8628): a program shows a code, and the user approves it in a browser, which may be on another device. */
export const deviceRoutes = {
  startDevice: {
    method: 'post',
    path: '/api/developer/device/start',
    tag: 'Tokens',
    summary: 'Start a device sign-in.',
    auth: 'none',
    body: device.DeviceAsk,
    optionalBody: true,
    success: { status: 200, body: device.DeviceStart },
    errors: ['rate_limited'],
  },
  pollDevice: {
    method: 'post',
    path: '/api/developer/device/poll',
    tag: 'Tokens',
    summary:
      'Poll a device sign-in. After the approval, the first poll returns the token; later ones fail with `expired`.',
    auth: 'none',
    body: device.DevicePoll,
    success: { status: 200, body: device.DevicePollAnswer },
    errors: ['access_denied', 'expired', 'slow_down'],
  },
  devicePage: {
    method: 'get',
    path: '/device',
    tag: 'Tokens',
    summary: 'Page to type the code that a device shows.',
    auth: 'person',
    page: true,
    query: device.DevicePageQuery,
    success: { status: 200, type: 'text/html' },
    errors: ['rate_limited'],
  },
  lookAtDevice: {
    method: 'post',
    path: '/device',
    tag: 'Tokens',
    summary: 'Page that shows which program requests access, and which scopes.',
    auth: 'person',
    page: true,
    form: device.DeviceLookForm,
    success: { status: 200, type: 'text/html' },
    errors: ['not_found', 'rate_limited'],
  },
  answerDevice: {
    method: 'post',
    path: '/device/answer',
    tag: 'Tokens',
    summary: 'Approve or deny a device sign-in.',
    auth: 'person',
    page: true,
    form: device.DeviceAnswerForm,
    success: { status: 200, type: 'text/html' },
    errors: ['not_a_member', 'already_handled', 'limit_reached'],
  },
} as const satisfies Record<string, Route>;
