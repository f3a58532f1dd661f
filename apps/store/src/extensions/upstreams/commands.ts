import { UpstreamChoices } from '@svc/contracts';
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
    operands: ['URL'],
    options: {},
    summary: 'print the keys of the store at URL, to compare them with those that its operator publishes',
    async run({ operands: [address = ''] }, parts) {
      const { keys } = await offeredUpstream(parts, address);
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
    operands: ['URL'],
    options: { key: { type: 'string' }, ...CHOICES },
    summary:
      'carry apps of the store at URL, whose current key is --key; see docs/upstreams.md for the other options',
    async run({ operands: [address = ''], options }, parts) {
      const asked = { address, keyId: keyIn(options), choices: choicesIn(options) };
      const added = await addUpstream(open(parts), OPERATOR, asked);
      return `${added.address} is an upstream, with the key ${added.keyIds.at(-1)}. A running store reads it within a minute.`;
    },
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
    operands: ['URL'],
    options: { key: { type: 'string' } },
    summary: 'trust --key of an upstream from now on: after its old key was lost, or a fork was explained',
    async run({ operands: [address = ''], options }, parts) {
      const { id } = await named(parts, address);
      const { keyIds } = await changeUpstream(open(parts), OPERATOR, id, { keyId: keyIn(options) });
      return `${address} is trusted with the key ${keyIds.at(-1)}.`;
    },
  },
  {
    name: 'upstream list',
    operands: [],
    options: {},
    summary: 'print the upstreams, what is carried of each, and since when one fails',
    async run(_args, parts) {
      const own = open(parts);
      const all = await Promise.all((await own.upstreams.list()).map((one) => presentUpstream(own, one)));
      const lines = all.map(({ address, apps, failure, reachedAt }) => {
        const state = failure
          ? `${failure.code} since ${failure.since}: ${failure.message}`
          : `works, last reached ${reachedAt ?? 'never'}`;
        return `${address}  ${apps.carried} carried, ${apps.waiting} waiting, ${apps.refused} refused  ${state}\n`;
      });
      return { print: lines.length === 0 ? 'This store has no upstream.\n' : lines.join('') };
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
