import { PACKAGES, STORE_LAYERS } from '../../scripts/architecture.ts';
import { withBlocks } from './block.ts';

const short = (path: string): string => `\`${path.split('/').at(-1)}\``;

const table = (): string =>
  [
    '| package | what it is for | may import |',
    '|---|---|---|',
    ...PACKAGES.map(
      ({ path, purpose, mayImport }) =>
        `| \`${path}\` | ${purpose} | ${mayImport.map(short).join(', ') || 'no other package'} |`,
    ),
  ].join('\n');

const layers = (): string =>
  [
    '| layer | what it is for | folders |',
    '|---|---|---|',
    ...STORE_LAYERS.toReversed().map(({ name, purpose, folders }) => {
      const shown = folders.map((folder) => `\`${folder}\``);
      return `| ${name} | ${purpose} | ${shown.join(', ')} |`;
    }),
  ].join('\n');

/** Generates the tables of ARCHITECTURE.md, which the architecture test enforces. */
export const generateArchitecture = async (): Promise<Map<string, string>> =>
  new Map([await withBlocks('ARCHITECTURE.md', { packages: table(), layers: layers() })]);
