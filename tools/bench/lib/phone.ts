import type { Page } from 'playwright-core';

/** A mid-range phone on a slow connection, as Lighthouse simulates it: CPU slowed down to a quarter. */
const SLOWER_BY = 4;
export const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 204_800,
  uploadThroughput: 93_750,
};

type Screen = { width: number; height: number; deviceScaleFactor: number; mobile: boolean };

/** Bytes that a page has loaded, compressed: all, and those of scripts. */
type Loaded = { bytes: number; scriptBytes: number };

/**
 * Slows a page down to such a phone, with an empty cache.
 * @param screen its screen, where it matters
 * @returns what the page has loaded so far
 */
export async function throttle(page: Page, { screen }: { screen?: Screen } = {}): Promise<() => Loaded> {
  const tools = await page.context().newCDPSession(page);
  await tools.send('Network.enable');
  await tools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await tools.send('Network.emulateNetworkConditions', NETWORK);
  await tools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_BY });
  if (screen) await tools.send('Emulation.setDeviceMetricsOverride', screen);
  const scripts = new Set<string>();
  const loaded: Loaded = { bytes: 0, scriptBytes: 0 };
  tools.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  tools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    loaded.bytes += encodedDataLength;
    if (scripts.has(requestId)) loaded.scriptBytes += encodedDataLength;
  });
  return () => ({ ...loaded });
}
