import parse from 'semver/functions/parse.js';

/**
 * What a version is called where each may exist once: without its build metadata, which makes no version new (Semantic
 * Versioning 2.0.0 section 10). What is no version stays as it is.
 */
export const versionKey = (version: string): string => parse(version)?.version ?? version;
