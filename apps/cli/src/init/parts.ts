import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The files of the example Pinboard that the tutorial builds on, by their paths in a new app: its sign-in, and the client library of panels. */
export const PARTS: Readonly<Record<string, string>> = {
  'server/database.ts': 'examples/pinboard/server/database.ts',
  'server/http/access.ts': 'examples/pinboard/server/http/access.ts',
  'server/http/listen.ts': 'examples/pinboard/server/http/listen.ts',
  'server/sign-in/interactions.ts': 'examples/pinboard/server/sign-in/interactions.ts',
  'server/sign-in/pages.ts': 'examples/pinboard/server/sign-in/pages.ts',
  'server/sign-in/provider.ts': 'examples/pinboard/server/sign-in/provider.ts',
  'server/sign-in/records.ts': 'examples/pinboard/server/sign-in/records.ts',
  'server/this-machine.ts': 'packages/contracts/src/this-machine.ts',
  'app/ui/connect-panel.js': 'examples/pinboard/app/ui/connect-panel.js',
};

/** The folder of the parts in the packed command line. */
export const PACKED_PARTS = 'parts';

/** Sources are TypeScript, and the packed command line is JavaScript in `lib`, with the parts beside it. */
const IS_PACKED = extname(import.meta.filename) === '.js';

/** The parts as text: imports of packages of this repository, which no registry has, become imports of files beside them. */
export const readParts = (): [name: string, text: string][] =>
  Object.entries(PARTS).map(([name, source]) => {
    const file = IS_PACKED
      ? join(import.meta.dirname, '..', PACKED_PARTS, name)
      : join(import.meta.dirname, '../../../..', source);
    return [
      name,
      readFileSync(file, 'utf8').replace("'@svc/contracts/this-machine'", "'../this-machine.ts'"),
    ];
  });
