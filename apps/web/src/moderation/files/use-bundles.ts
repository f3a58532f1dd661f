import { useEffect, useState } from 'react';
import type { Listing } from './opened.ts';
import { createReader, type Reader } from './reader.ts';

/** The state of opening the bundles. */
export type Bundles =
  | { kind: 'loading' }
  | { kind: 'failed'; message: string }
  | { kind: 'open'; reader: Reader; listing: Listing; baseError: string | null };

async function download(path: string): Promise<Uint8Array> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The store answered ${response.status} to ${path}.`);
  return new Uint8Array(await response.arrayBuffer());
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Downloads the base. A failure is reported, and does not stop the review of the new bundle. */
const downloadBase = (path: string | null) =>
  path === null
    ? Promise.resolve({ base: null, baseError: null })
    : download(path).then(
        (base) => ({ base, baseError: null }),
        (error: unknown) => ({ base: null, baseError: messageOf(error) }),
      );

/**
 * Opens the bundle under review and the published one.
 * @param turn a new number opens them again
 */
export function useBundles(nextPath: string, basePath: string | null, turn: number): Bundles {
  const [bundles, setBundles] = useState<Bundles>({ kind: 'loading' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn is a retry
  useEffect(() => {
    const reader = createReader();
    let isOver = false;
    const open = async () => {
      const [next, { base, baseError }] = await Promise.all([download(nextPath), downloadBase(basePath)]);
      const listing = await reader.open(next, base);
      if (!isOver) setBundles({ kind: 'open', reader, listing, baseError });
    };
    setBundles({ kind: 'loading' });
    open().catch((error: unknown) => {
      if (!isOver) setBundles({ kind: 'failed', message: messageOf(error) });
    });
    return () => {
      isOver = true;
      reader.close();
    };
  }, [nextPath, basePath, turn]);
  return bundles;
}
