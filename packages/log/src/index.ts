export * from './checkpoint.ts';
export * from './entries.ts';
export * from './hashes.ts';
export * from './note.ts';
export * from './proof-file.ts';
export * from './tiles.ts';
export * from './tree.ts';
export * from './witness-request.ts';
