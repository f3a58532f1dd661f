/** Bundle path -> bytes; files only, in the order of the central directory. */
export type BundleEntries = ReadonlyMap<string, Uint8Array>;
