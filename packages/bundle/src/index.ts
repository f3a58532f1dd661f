export type { BundleEntries } from './bundle-entries.ts';
export { packBundle } from './pack-bundle.ts';
export { type BundleReading, readBundle } from './read-bundle.ts';
