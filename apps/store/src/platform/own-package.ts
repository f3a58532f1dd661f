import { findPackageJSON } from 'node:module';
import { dirname, extname, join } from 'node:path';

/** The folder of this package, with its package.json: in the repository, and where the packed store is installed. */
const FOLDER = dirname(findPackageJSON(import.meta.url) as string);

/** Sources are TypeScript, and a packed store is JavaScript, bundled into a few files. */
const IS_PACKED = extname(import.meta.filename) === '.js';

/** Where the bundled JavaScript lies in the packed store. */
export const PACKED_PROGRAMS = 'lib';

/** What Node runs apart from the program, in threads and processes: the name in the packed store, and the source. */
export const APART = {
  'checkpoint-worker': 'src/adapters/sqlite/checkpoint-worker.ts',
  'draw-process': 'src/adapters/picture/draw-process.ts',
  'inspection-worker': 'src/adapters/worker/inspection-worker.ts',
  'render-worker': 'src/adapters/worker/render-worker.ts',
} as const;

/** The file of a program of `APART`. */
export const programFile = (name: keyof typeof APART): string =>
  join(FOLDER, IS_PACKED ? join(PACKED_PROGRAMS, `${name}.js`) : APART[name]);

/** Folders of files that the store reads: the name in the packed store, and where they stand or are built in the repository. */
export const PARTS = {
  /** Scripts, styles and pictures of the pages that the store renders. */
  static: 'static',
  /** Tokens and components of all pages. */
  ui: '../../packages/ui/static',
  docs: '../../docs',
  /** The built pages of publishers, moderators and administrators. */
  web: '../web/dist',
  /** The packed command line. */
  cli: '../cli/dist',
} as const;

/** The folder of one of `PARTS`, which need not be built. */
export const partFolder = (name: keyof typeof PARTS): string => join(FOLDER, IS_PACKED ? name : PARTS[name]);
