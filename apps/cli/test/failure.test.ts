import { expect, it } from 'vitest';
import { unreachable } from '../src/failure.ts';

/** An error of `fetch` with this cause, as undici throws it. */
const fetchFailed = (fields: { message?: string; cause?: Error; [name: string]: unknown }) => {
  const { message = '', cause, ...more } = fields;
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message, { cause }), more) });
};
const refused = (address: string, port: number) =>
  fetchFailed({ message: 'connect ECONNREFUSED', code: 'ECONNREFUSED', address, port });
const unknown = (hostname: string) => fetchFailed({ code: 'ENOTFOUND', hostname });
const cancelled = (message: string) =>
  fetchFailed({ message: 'Request was cancelled.', code: 0, cause: new Error(message) });

it.each<[string, unknown, string]>([
  ['the store is down', refused('192.0.2.1', 443), 'connection refused. Start the store'],
  [
    'its proxy is down',
    refused('192.0.2.1', 3128),
    'the proxy at 192.0.2.1:3128 cannot be reached (ECONNREFUSED).',
  ],
  ['the store has no address', unknown('store.test'), 'host not found.'],
  [
    'its proxy has no address',
    unknown('proxy.test'),
    'the proxy at proxy.test cannot be reached (ENOTFOUND).',
  ],
  [
    'its proxy wants a password for a tunnel',
    cancelled('Proxy response (407) !== 200 when HTTP Tunneling'),
    'the proxy needs a user name and a password',
  ],
  [
    'its proxy wants a password',
    fetchFailed({ message: 'Proxy Authentication Required (407)' }),
    'the proxy needs a user name and a password',
  ],
  [
    'its proxy refuses the host',
    cancelled('Proxy response (403) !== 200 when HTTP Tunneling'),
    'the proxy answers HTTP 403',
  ],
  [
    'it has no TLS',
    fetchFailed({ message: 'ssl/record.c:77', code: 'ERR_SSL_WRONG_VERSION_NUMBER' }),
    'it does not use TLS',
  ],
  ['an error has no message', fetchFailed({}), 'the request failed.'],
  ['it is no error of a connection', 'odd', 'the request failed.'],
])('says why the store is not reached when %s', (_when, error, why) => {
  const { message } = unreachable('https://store.test', error);
  expect(message).toContain(`Cannot reach the store at https://store.test: ${why}`);
});

it('knows the port of a store', () => {
  for (const [store, port] of [
    ['http://store.test', 80],
    ['https://store.test:8443', 8443],
  ] as const)
    expect(unreachable(store, refused('192.0.2.1', port)).message).toContain(
      'connection refused. Start the store',
    );
});
