import type { DeviceStart } from '@svc/contracts';
import { failed } from '../failure.ts';

/** A device sign-in that has begun, as far as the answer of the store can be believed. */
export type SignInRequest = {
  deviceCode: string;
  /** What the person types: `XXXX-XXXX`. */
  userCode: string;
  /** The page on which they type it, and the same with the code in it. */
  page: string;
  pageWithCode: string;
  /** Whether the page is one of the store itself. */
  isOwnPage: boolean;
  /** Time between two polls, and until the codes expire, in milliseconds. */
  intervalMs: number;
  expiresInMs: number;
};

const USER_CODE = /^[A-Z0-9]{4}-[A-Z0-9]{4}$/;
const DEVICE_CODE = /^[!-~]{1,512}$/;

/** Longest address of a page: what a code to scan can still hold, and a person can still look through. */
const MAX_PAGE = 300;

const SECOND = 1_000;

/** Bounds in seconds to what a store may ask for: neither to be flooded, nor to be waited for the whole day. */
const INTERVAL = { least: 1, most: 60 };
const EXPIRES_IN = { least: 1, most: 30 * 60 };

const within = (value: number, { least, most }: { least: number; most: number }): number =>
  Math.min(most, Math.max(least, value));

/** The address of the page, if it is one to show: what a browser would run, or read from the disk, is none. */
function pageOf(text: string): URL | null {
  const page = URL.parse(text);
  if (page === null || !['http:', 'https:'].includes(page.protocol)) return null;
  // Such an address reads as if it belonged to the host that its user name looks like.
  if (page.username || page.password) return null;
  return page.href.length <= MAX_PAGE ? page : null;
}

/**
 * Reads the answer to the start of a device sign-in (RFC 8628 section 3.2).
 * @param store address of the store that was asked
 * @throws CommandError when what it says could not have been said by a store
 */
export function signInOf(answer: DeviceStart, store: string): SignInRequest {
  const page = pageOf(answer.verifyUrl);
  if (page === null || !USER_CODE.test(answer.userCode) || !DEVICE_CODE.test(answer.deviceCode)) {
    throw failed(`${store} does not sign in as a store does. Is the address right?`);
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
