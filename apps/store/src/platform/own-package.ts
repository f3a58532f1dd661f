import { findPackageJSON } from 'node:module';
import { dirname, extname, join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };

/** The version of this program. */
export const versionOf = (): string => manifest.version;

/** The folder of this package with its package.json, in the repository or where the packed store is installed. */
const FOLDER = dirname(findPackageJSON(import.meta.url) as string);

/** Sources are TypeScript, and a packed store is JavaScript, bundled into a few files. */
const IS_PACKED = extname(import.meta.filename) === '.js';

/** The folder of the bundled JavaScript in the packed store. */
export const PACKED_PROGRAMS = 'lib';

/** Programs that run in threads and processes of their own: the name in the packed store, and the source. */
export const CHILD_PROGRAMS = {
  'checkpoint-worker': 'src/adapters/sqlite/checkpoint-worker.ts',
  'draw-process': 'src/adapters/picture/draw-process.ts',
  'inspection-worker': 'src/adapters/worker/inspection-worker.ts',
  'render-worker': 'src/adapters/worker/render-worker.ts',
} as const;

/** The file of a program of `CHILD_PROGRAMS`. */
export const programFile = (name: keyof typeof CHILD_PROGRAMS): string =>
  join(FOLDER, IS_PACKED ? join(PACKED_PROGRAMS, `${name}.js`) : CHILD_PROGRAMS[name]);

/** Folders that the store reads at run time: the name in the packed store, and the folder in the repository. */
export const PARTS = {
  /** Scripts, styles and pictures of the pages that the store renders. */
  static: 'static',
  /** Tokens and components of all pages. */
  ui: '../../packages/ui/static',
  docs: '../../docs',
  /** The built pages of publishers, moderators and administrators. */
  web: '../web/dist',
  /** The packed CLI. */
  cli: '../cli/dist',
} as const;

/** The folder of one of `PARTS`, which need not be built. */
export const partFolder = (name: keyof typeof PARTS): string => join(FOLDER, IS_PACKED ? name : PARTS[name]);
