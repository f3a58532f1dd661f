/** Only the machine itself may be talked to without https: for tests, and for a provider beside the store. */
export const isLoopback = ({ hostname }: URL): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
