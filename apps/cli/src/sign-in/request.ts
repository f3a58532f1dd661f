import type { DeviceStart } from '@svc/contracts';
import { failed } from '../failure.ts';

/** A pending device sign-in, validated. */
export type SignInRequest = {
  deviceCode: string;
  /** The code that the user enters: `XXXX-XXXX`. */
  userCode: string;
  /** The page to enter it on, and the same URL with the code. */
  page: string;
  pageWithCode: string;
  /** Whether the page is on the origin of the store. */
  isOwnPage: boolean;
  /** Time between two polls, and until the codes expire, in milliseconds. */
  intervalMs: number;
  expiresInMs: number;
};

const USER_CODE = /^[A-Z0-9]{4}-[A-Z0-9]{4}$/;
const DEVICE_CODE = /^[!-~]{1,512}$/;

/** Maximum length of a page URL: it must fit into a QR code, and a user must be able to read it. */
const MAX_PAGE = 300;

const SECOND = 1_000;

/** Limits for the values of the store, in seconds: no flood of polls, and no endless wait. */
const INTERVAL = { min: 1, max: 60 };
const EXPIRES_IN = { min: 1, max: 30 * 60 };

const within = (value: number, { min, max }: { min: number; max: number }): number =>
  Math.min(max, Math.max(min, value));

/** Parses the URL of the page. Only http and https URLs are accepted: a browser would run or read others. */
function pageOf(text: string): URL | null {
  const page = URL.parse(text);
  if (page === null || !['http:', 'https:'].includes(page.protocol)) return null;
  // A user name can make the URL look like one of another host.
  if (page.username || page.password) return null;
  return page.href.length <= MAX_PAGE ? page : null;
}

/**
 * Validates the response to the start of a device sign-in (RFC 8628 section 3.2).
 * @param store URL of the store
 * @throws CommandError when the response is malformed
 */
export function signInOf(answer: DeviceStart, store: string): SignInRequest {
  const page = pageOf(answer.verifyUrl);
  if (page === null || !USER_CODE.test(answer.userCode) || !DEVICE_CODE.test(answer.deviceCode)) {
    throw failed(`${store} sent an invalid sign-in response. Is the URL correct?`);
  }
  const withCode = new URL(page);
  withCode.searchParams.set('code', answer.userCode);
  return {
    deviceCode: answer.deviceCode,
    userCode: answer.userCode,
    page: page.href,
    pageWithCode: withCode.href,
    isOwnPage: page.origin === new URL(store).origin,
    intervalMs: within(answer.interval, INTERVAL) * SECOND,
    expiresInMs: within(answer.expiresIn, EXPIRES_IN) * SECOND,
  };
}
