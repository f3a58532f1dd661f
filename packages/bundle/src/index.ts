export type { BundleEntries } from './bundle-entries.ts';
export { packBundle } from './pack-bundle.ts';
export {
  type BundleOpening,
  type BundleReading,
  directoryBytes,
  openBundle,
  readBundle,
} from './read-bundle.ts';
