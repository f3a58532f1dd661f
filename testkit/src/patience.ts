/** How long a test waits for what is sure to happen, in milliseconds: it may take long on a busy machine. */
export const TIMEOUT_MS = 60_000;
