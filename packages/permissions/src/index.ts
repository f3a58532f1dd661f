export * from './diff-footprints.ts';
export * from './footprint.ts';
export * from './footprint-of.ts';
