import parse from 'semver/functions/parse.js';

/**
 * The key by which a version is unique: the version without build metadata, which is not compared (Semantic
 * Versioning 2.0.0 section 10). Invalid versions are returned unchanged.
 */
export const versionKey = (version: string): string => parse(version)?.version ?? version;
