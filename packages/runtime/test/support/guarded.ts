import type { RequestListener } from 'node:http';
import type { Say } from '@svc/testkit/dns-server';
import { onTestFinished } from 'vitest';
import { createGuardedFetch, type GuardedFetchOptions } from '../../src/network/guarded-fetch.ts';
import { serveSite } from './internet.ts';
import { system } from './system.ts';

/** The host of an app's server, another that the app may reach, and the origin of the former. */
export const HOST = 'mcp.acme.example';
export const OTHER = 'cdn.acme.example';
export const HOME = `https://${HOST}`;

/** A guarded fetch for the app of HOST, with one server on this machine in place of the Internet. */
export async function opened(answer: RequestListener, options: Partial<GuardedFetchOptions> = {}, say?: Say) {
  const { connecting, ...server } = await serveSite(`${HOST},${OTHER},acme.example`, answer, say);
  const guarded = createGuardedFetch({
    system,
    allowed: [HOST, OTHER],
    allowLoopback: false,
    home: HOME,
    ...options,
    connecting: { ...connecting, ...options.connecting },
  });
  onTestFinished(() => guarded.close());
  return { guarded, ...server };
}
