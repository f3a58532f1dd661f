export { packBundle } from './pack-bundle.ts';
export { type BundleEntries, type BundleReading, readBundle } from './read-bundle.ts';
