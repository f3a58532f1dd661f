import type { Connecting } from '@svc/runtime';
import { createGuardedFetch } from '@svc/runtime/parts';
import { onTestFinished } from 'vitest';
import { browse } from '../../packages/runtime/test/support/browser.ts';
import { realSystem } from '../../packages/runtime/test/support/real-system.ts';

/** A user's browser that follows all redirects, reaches only `example.com` hosts and loopback, and signs in. */
export function browserOn(connecting: Connecting) {
  const guarded = createGuardedFetch({
    system: realSystem,
    allowed: ['*.example.com'],
    allowLoopback: true,
    connecting,
  });
  onTestFinished(() => guarded.close());
  const reach: typeof fetch = (url, init) =>
    String(url).startsWith('https:') ? guarded(url, init) : fetch(url, init);
  return async (address: string) => {
    const page = await browse(address, reach);
    await page.body?.cancel();
    return page.ok;
  };
}
