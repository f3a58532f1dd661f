/** Timeout of a test for an expected event, in milliseconds; generous, for busy machines. */
export const TIMEOUT_MS = 60_000;
