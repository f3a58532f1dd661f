import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { compareVersions, UpstreamChoices } from '@svc/contracts';
import { systemActor } from '../../core/domain/audit/audit-log.ts';
import type { ExtensionCommand } from '../../core/domain/parts/extension-command.ts';
import type { Stores } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Database } from '../../platform/database/schema.ts';
import {
  addUpstream,
  changeUpstream,
  offeredUpstream,
  presentUpstream,
  removeUpstream,
} from './administer.ts';
import { type ExportReport, writeExport } from './export-apps.ts';
import {
  HELD,
  type HeldBundles,
  heldIn,
  heldText,
  MAX_BYTES,
  NO_BUNDLE,
  refuseExport,
} from './export-format.ts';
import { type OpenedExport, openExport } from './open-export.ts';
import { createUpstreamStore, type KeptUpstream } from './upstream-store.ts';

type Given = Parameters<ExtensionCommand['run']>[1];

/** The queries of the extension, on the database or on a transaction of it. */
export const upstreamQueries = (db: Database) => ({ upstreams: createUpstreamStore(db) });

const open = (parts: Given) =>
  withQueries<Stores, Given, ReturnType<typeof upstreamQueries>>(parts, upstreamQueries);

const OPERATOR = systemActor('operator');

const words = (given: unknown): string[] =>
  String(given ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** What the options of a command say. @throws ApiError invalid_request, which names the option */
function choicesIn(options: Readonly<Record<string, unknown>>): UpstreamChoices {
  const { which = 'chosen', how = 'review', apps, categories, grants } = options;
  const lists = { apps: words(apps), categories: words(categories), grants: words(grants) };
  const read = UpstreamChoices.safeParse({ which, how, ...lists });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ApiError(
    'invalid_request',
    `--${String(issue?.path[0] ?? 'which')}: ${issue?.message ?? 'is not valid'}.`,
  );
}

function keyIn({ key }: Readonly<Record<string, unknown>>): string {
  if (typeof key === 'string') return key;
  throw new ApiError(
    'invalid_request',
    'Name the id of its current key with --key, after you compared it: svc-store upstream keys URL shows it.',
  );
}

/** Whether an operand names a file, and not an address. */
const isFile = (operand: string): boolean => !operand.includes('://');

/** Runs work with the export that an operand names, if it names one. */
async function withFile<T>(
  operand: string,
  work: (file: OpenedExport | undefined) => Promise<T>,
): Promise<T> {
  const file = isFile(operand) ? await openExport(operand) : undefined;
  try {
    return await work(file);
  } finally {
    await file?.close();
  }
}

const textIn = (option: unknown): string | undefined => (typeof option === 'string' ? option : undefined);

/** What the other side has, from an export or a list that it printed. */
async function sinceIn(path: string): Promise<HeldBundles> {
  const file = await openExport(path).catch((error: unknown) => {
    if (error instanceof ApiError) return null;
    throw error;
  });
  if (!file) return heldIn(await readBounded(path));
  try {
    return heldIn(await file.held());
  } finally {
    await file.close();
  }
}

async function readBounded(path: string): Promise<Buffer> {
  const { size } = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw refuseExport(`${path} cannot be read: ${error.code}.`);
  });
  if (size > MAX_BYTES[HELD]) throw refuseExport(`${path} is no export, and too long for a list of apps.`);
  return readFile(path);
}

/** Apps that one query reads. */
const PAGE = 200;

/** The bundles of the apps of an upstream that are here: those of their newest versions. */
async function heldHere(parts: Given, { id, address, file }: KeptUpstream): Promise<HeldBundles> {
  const { upstreams } = open(parts);
  const bundles = new Map<string, string>();
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: string[] = (await upstreams.appsAfter(id, after, PAGE)).map(({ appId }) => appId);
    for (const appId of page) bundles.set(appId, NO_BUNDLE);
    const versions = await upstreams.bundlesOf(page);
    versions.sort((a, b) => compareVersions(a.version, b.version));
    for (const { appId, sha256 } of versions) bundles.set(appId, sha256);
    after = page.at(-1);
  }
  return { store: address, at: file?.last?.at ?? null, bundles };
}

const detailOf = ({ store: origin, at, id: sha256, apps, bundles }: ExportReport) => ({
  ...{ origin, at, sha256, apps, bundles },
});

/** @throws ApiError not_found */
async function named(parts: Given, address: string): Promise<KeptUpstream> {
  const isSame = (one: KeptUpstream) => [one.address, `${one.address}/`].includes(address);
  const found = (await open(parts).upstreams.list()).find(isSame);
  if (found) return found;
  throw new ApiError('not_found', `${address} is no upstream of this store.`);
}

const CHOICES = {
  which: { type: 'string' },
  how: { type: 'string' },
  apps: { type: 'string' },
  categories: { type: 'string' },
  grants: { type: 'string' },
} as const;

/** The commands of `svc-store` about the stores whose apps this store carries. */
export const upstreamCommands: readonly ExtensionCommand[] = [
  {
    name: 'upstream keys',
    operands: ['URL|FILE'],
    options: {},
    summary:
      'print the keys of the store at URL, or of which FILE is an export, to compare them with those that its operator publishes',
    async run({ operands: [address = ''] }, parts) {
      const { keys } = await withFile(address, (file) =>
        offeredUpstream(parts, file?.about.store ?? address, file),
      );
      const current = keys.at(-1)?.keyId;
      return {
        print: keys
          .map(
            ({ keyId, createdAt }) =>
              `${keyId}  since ${createdAt}${keyId === current ? '  (current)' : ''}\n`,
          )
          .join(''),
      };
    },
  },
  {
    name: 'upstream add',
    operands: ['URL|FILE'],
    options: { key: { type: 'string' }, signer: { type: 'string' }, ...CHOICES },
    summary:
      'carry apps of the store at URL, or of which FILE is an export, whose current key is --key; --signer is the key of the store that made the export, if that is another; see docs/upstreams.md for the other options',
    run: ({ operands: [operand = ''], options }, parts) =>
      withFile(operand, async (file) => {
        const asked = {
          address: file?.about.store ?? operand,
          keyId: keyIn(options),
          choices: choicesIn(options),
        };
        const byFile = file && { file, signer: textIn(options.signer) };
        const added = await addUpstream(open(parts), OPERATOR, asked, byFile);
        const then = file
          ? 'It is read from files alone: import the export with svc-store upstream import.'
          : 'A running store reads it within a minute.';
        return `${added.address} is an upstream, with the key ${added.keyIds.at(-1)}. ${then}`;
      }),
  },
  {
    name: 'upstream choose',
    operands: ['URL'],
    options: CHOICES,
    summary: 'change which apps of an upstream are carried, and how',
    async run({ operands: [address = ''], options }, parts) {
      const { id } = await named(parts, address);
      await changeUpstream(open(parts), OPERATOR, id, { choices: choicesIn(options) });
      return `What is carried of ${address} has changed.`;
    },
  },
  {
    name: 'upstream pin',
    operands: ['URL|FILE'],
    options: { key: { type: 'string' }, signer: { type: 'string' } },
    summary:
      'trust --key of an upstream from now on, and --signer for its exports: after an old key was lost, or a fork was explained',
    run: ({ operands: [operand = ''], options }, parts) =>
      withFile(operand, async (file) => {
        const { id, address } = await named(parts, file?.about.store ?? operand);
        const byFile = file && { file, signer: textIn(options.signer) };
        const { keyIds } = await changeUpstream(open(parts), OPERATOR, id, { keyId: keyIn(options) }, byFile);
        return `${address} is trusted with the key ${keyIds.at(-1)}.`;
      }),
  },
  {
    name: 'upstream list',
    operands: [],
    options: {},
    summary: 'print the upstreams, what is carried of each, and since when one fails',
    async run(_args, parts) {
      const own = open(parts);
      const all = await Promise.all((await own.upstreams.list()).map((one) => presentUpstream(own, one)));
      const lines = all.map(({ address, apps, failure, reachedAt, file }) => {
        const works = file
          ? `by file, last import ${file.last?.importedAt ?? 'not done'}, of an export of ${file.last?.begunAt ?? 'no time'}`
          : `works, last reached ${reachedAt ?? 'never'}`;
        const state = failure ? `${failure.code} since ${failure.since}: ${failure.message}` : works;
        return `${address}  ${apps.carried} carried, ${apps.waiting} waiting, ${apps.refused} refused  ${state}\n`;
      });
      return { print: lines.length === 0 ? 'This store has no upstream.\n' : lines.join('') };
    },
  },
  {
    name: 'upstream export',
    operands: ['URL'],
    options: {
      out: { type: 'string', short: 'o' },
      since: { type: 'string' },
      which: CHOICES.which,
      apps: CHOICES.apps,
      categories: CHOICES.categories,
    },
    summary:
      'write apps of the store at URL, signed by this store, to the file --out, for a store without a network; by default all its apps, without the bundles of an earlier export --since; one that was interrupted goes on',
    async run({ operands: [address = ''], options }, parts) {
      const out = textIn(options.out);
      if (out === undefined) throw refuseExport('Name the file to write: --out FILE.');
      const isAll = options.which === undefined && options.apps === undefined;
      const choices = choicesIn({ ...options, ...(isAll && { which: 'all' }) });
      const since = options.since === undefined ? null : await sinceIn(String(options.since));
      const own = open(parts);
      const keys = await parts.keys();
      const wanted = { address, out: resolve(out), choices, since };
      const { store, at, apps, bundles, bytes } = await writeExport(own, keys, wanted, (report) =>
        own.unitOfWork(({ audit }) =>
          audit.add(OPERATOR, parts.clock().toISOString(), {
            action: 'upstream.export',
            detail: detailOf(report),
          }),
        ),
      );
      return `${out} has ${apps} apps of ${store} and ${bundles} bundles: ${bytes} bytes. It began at ${at}, and is signed with ${keys.signingKey.keyId}.`;
    },
  },
  {
    name: 'upstream import',
    operands: ['FILE'],
    options: { with: { type: 'string', multiple: true } },
    summary:
      'carry what an export has, and do what its revocation list says; --with names an earlier export, for bundles that are missing; one that was interrupted goes on',
    run: (args, parts) => parts.inStore('upstream import', args),
  },
  {
    name: 'upstream apps',
    operands: ['URL'],
    options: {},
    summary:
      'print the apps of an upstream that are here, with the hashes of their bundles: a list for --since of an export',
    async run({ operands: [address = ''] }, parts) {
      return { print: heldText(await heldHere(parts, await named(parts, address))) };
    },
  },
  {
    name: 'upstream remove',
    operands: ['URL'],
    options: {},
    summary: 'carry nothing more of an upstream: users keep its apps, and new installs stop',
    async run({ operands: [address = ''] }, parts) {
      const { id } = await named(parts, address);
      await removeUpstream(open(parts), OPERATOR, id);
      return `${address} is no upstream any more.`;
    },
  },
];
