/**
 * Bundle path -> bytes; files only, in the order of the central directory. A stored (uncompressed) file is a view of the bundle's
 * bytes: it keeps them in memory, and changes with them.
 */
export type BundleEntries = ReadonlyMap<string, Uint8Array>;
