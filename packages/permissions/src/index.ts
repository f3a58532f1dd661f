export * from './changes-of.ts';
export * from './fields.ts';
export * from './footprint-of.ts';
export * from './growth.ts';
export * from './manifest-field.ts';
export * from './permission-diff.ts';
export * from './pointer.ts';
export * from './words.ts';
