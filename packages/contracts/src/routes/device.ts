import * as device from '../records/device.ts';
import type { Route } from './route.ts';

/** Device sign-in (RFC 8628): a program shows a code, and a person approves it in a browser that may be elsewhere. */
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
      'Ask whether the person has answered. Once approved the first poll gets the token, and no other does.',
    auth: 'none',
    body: device.DevicePoll,
    success: { status: 200, body: device.DevicePollAnswer },
    errors: ['access_denied', 'expired', 'slow_down'],
  },
  devicePage: {
    method: 'get',
    path: '/device',
    tag: 'Tokens',
    summary: 'The page on which one types the code that a device shows.',
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
    summary: 'The page that shows who asks, and for what.',
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
    summary: 'Approve or deny what one has looked at.',
    auth: 'person',
    page: true,
    form: device.DeviceAnswerForm,
    success: { status: 200, type: 'text/html' },
    errors: ['not_a_member', 'already_handled', 'limit_reached'],
  },
} as const satisfies Record<string, Route>;
