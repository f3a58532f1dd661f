import { ROOMS } from '../architecture.ts';
import { withBlock } from './block.ts';

const short = (path: string): string => `\`${path.split('/').at(-1)}\``;

const table = (): string =>
  [
    '| room | what it is for | may import |',
    '|---|---|---|',
    ...ROOMS.map(
      ({ path, purpose, mayImport }) =>
        `| \`${path}\` | ${purpose} | ${mayImport.map(short).join(', ') || 'no other room'} |`,
    ),
  ].join('\n');

/** ARCHITECTURE.md with the table of rooms that the architecture test enforces. */
export const generateArchitecture = async (): Promise<Map<string, string>> =>
  new Map([await withBlock('ARCHITECTURE.md', 'rooms', table())]);
