import manifest from '../../../package.json' with { type: 'json' };

/** The version of this program. */
export const versionOf = (): string => manifest.version;
