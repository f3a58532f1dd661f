export * from './errors.ts';
export * from './issue.ts';
export * from './limits.ts';
export * from './manifest/contributes.ts';
export * from './manifest/manifest.ts';
export * from './manifest/parts.ts';
