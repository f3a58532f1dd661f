/** Only loopback addresses may be used without https: for tests, and for a provider on the same machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
