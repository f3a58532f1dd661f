import { type Seal, type SealFacts, sealsOf, verdictOf } from '../../packages/permissions/src/index.ts';
import { withBlocks } from './block.ts';

/** The marks of the table, one for each state. */
const MARKS: Readonly<Record<Seal['state'], string>> = {
  ...{ vouched: '● ', stated: '✓ ', open: '○ ', care: '▲ ', plain: '' },
};

/** Every kind of publisher. */
export const PUBLISHERS = {
  'website verified': { verified: true, verifiedHost: 'harbor.example' },
  'verified by an administrator': { verified: true },
  'not verified': { verified: false },
} satisfies Record<string, SealFacts['publisher']>;

const PUBLISHED = '2026-11-03T10:00:00.000Z';

/** Every way in which a version was, or was not, reviewed. */
export const REVIEWS = {
  'reviewed by a moderator': { publishedAt: PUBLISHED, reviewed: true },
  'update without a reason to review': { publishedAt: PUBLISHED, reviewed: false },
  'from a store that does not say': { publishedAt: PUBLISHED },
  'not published': { publishedAt: null },
} satisfies Record<string, Pick<SealFacts, 'publishedAt' | 'reviewed'>>;

/** Kinds of what an app gets and contacts. */
export const EXTENTS = {
  nothing: { grants: [], domains: [], accounts: [] },
  'one host': { grants: [], domains: ['a.example'], accounts: [] },
  'files, accounts, hosts': {
    ...{
      grants: ['files:receive'],
      domains: ['a.example', 'b.example'],
      accounts: ['notes', 'mail'].map((id) => ({ id, label: id, scopes: [], required: false })),
    },
  },
  'all hosts of a domain': { grants: [], domains: ['*.a.example'], accounts: [] },
} satisfies Record<string, Pick<SealFacts, 'grants' | 'domains' | 'accounts'>>;

const cell = ({ state, label }: Seal): string => `${MARKS[state]}${label}`;

function table(): string {
  const rows = Object.entries(PUBLISHERS).flatMap(([who, publisher]) =>
    Object.entries(REVIEWS).map(([review, version]) => {
      const seals = sealsOf({ publisher, ...version, ...EXTENTS.nothing });
      const facts = seals.filter(({ kind }) => kind !== 'extent').map(cell);
      return `| ${who} | ${review} | ${cell(verdictOf({ publisher }))} | ${facts.join(', ')} |`;
    }),
  );
  return [
    '| publisher | version | card, row, publisher | app page, consent sheet, review, `svc info` |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function extents(): string {
  const rows = Object.entries(EXTENTS).map(([name, extent]) => {
    const seals = sealsOf({ publisher: { verified: false }, ...REVIEWS['not published'], ...extent });
    return `| ${name} | ${seals.at(-1)?.label} |`;
  });
  return ['| app | shown |', '|---|---|', ...rows].join('\n');
}

/** Generates the tables of docs/project/seals.md: what each page shows of each publisher, version and extent. */
export const generateSeals = async (): Promise<Map<string, string>> =>
  new Map([await withBlocks('docs/project/seals.md', { seals: table(), extents: extents() })]);
