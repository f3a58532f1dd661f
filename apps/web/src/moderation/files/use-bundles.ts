import { useEffect, useState } from 'react';
import type { Listing } from './opened.ts';
import { createReader, type Reader } from './reader.ts';

/** How far the bundles have been opened. */
export type Bundles =
  | { kind: 'loading' }
  | { kind: 'failed'; message: string }
  | { kind: 'open'; reader: Reader; listing: Listing; baseFault: string | null };

async function download(path: string): Promise<Uint8Array> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The store answered ${response.status} to ${path}.`);
  return new Uint8Array(await response.arrayBuffer());
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What cannot be fetched to compare with must not keep anybody from reading what is under review. */
const downloadBase = (path: string | null) =>
  path === null
    ? Promise.resolve({ base: null, baseFault: null })
    : download(path).then(
        (base) => ({ base, baseFault: null }),
        (error: unknown) => ({ base: null, baseFault: messageOf(error) }),
      );

/**
 * Opens the bundle under review beside the published one.
 * @param turn another number opens them again
 */
export function useBundles(nextPath: string, basePath: string | null, turn: number): Bundles {
  const [bundles, setBundles] = useState<Bundles>({ kind: 'loading' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn is another try
  useEffect(() => {
    const reader = createReader();
    let isOver = false;
    const open = async () => {
      const [next, { base, baseFault }] = await Promise.all([download(nextPath), downloadBase(basePath)]);
      const listing = await reader.open(next, base);
      if (!isOver) setBundles({ kind: 'open', reader, listing, baseFault });
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
