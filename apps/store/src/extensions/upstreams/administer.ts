import type {
  NewUpstream,
  PublicKey,
  PublicKeys,
  Upstream,
  UpstreamChange,
  UpstreamFound,
  UpstreamOffer,
} from '@svc/contracts';
import { mayBeOrigin } from '@svc/contracts/store-address';
import { firstKeys } from '@svc/signing';
import type { Actor } from '../../core/domain/audit/audit-log.ts';
import type { Parts, Stores } from '../../core/domain/parts/parts.ts';
import { ApiError, invalidField } from '../../platform/api-error.ts';
import type { Clock, UnitOfWork } from '../../platform/system.ts';
import { upstreamId } from './carry-version.ts';
import { createExportSource } from './export-source.ts';
import type { OpenedExport } from './open-export.ts';
import { openReader } from './sync.ts';
import type { KeptFile, KeptUpstream, UpstreamStore } from './upstream-store.ts';

export type AdministerDeps = Pick<Parts, 'baseUrl' | 'versions'> & {
  clock: Clock;
  upstreams: UpstreamStore;
  unitOfWork: UnitOfWork<Stores & { upstreams: UpstreamStore }>;
};

/** Runs a question to a store, for an administrator. @throws ApiError unavailable, which says why */
async function asked<T>(address: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof TypeError) throw invalidField('address', error.message, error.message);
    throw new ApiError('unavailable', `${address} does not answer as a store: ${(error as Error).message}`);
  }
}

/** The keys of a store, if they are one chain. @param file an export of it, which is read instead of the network @throws ApiError */
async function keysAt({ baseUrl }: Pick<AdministerDeps, 'baseUrl'>, given: string, file?: OpenedExport) {
  return asked(given, async () => {
    const reader = file ? (await createExportSource(baseUrl, file)).reader : await openReader(baseUrl, given);
    if (reader.store === baseUrl) throw invalidField('address', 'is the address of this store itself');
    // Clients would refuse what comes of it.
    if (!mayBeOrigin(reader.store, baseUrl))
      throw invalidField('address', 'is on this machine, and this store is not');
    const listed = await reader.keys();
    const keys = firstKeys(listed);
    if (!keys.ok) throw new ApiError('unavailable', `${given} cannot be trusted: ${keys.message}`);
    return { address: reader.store, keys: keys.keys, listed };
  });
}

/** The keys of a store that may become an upstream. @throws ApiError invalid_request, unavailable */
export async function offeredUpstream(
  deps: Pick<AdministerDeps, 'baseUrl'>,
  given: string,
  file?: OpenedExport,
): Promise<UpstreamOffer> {
  const { address, listed } = await keysAt(deps, given, file);
  return { address, keys: listed as PublicKeys['keys'] };
}

/**
 * The keys of a store to pin: its chain, if it ends with the key that the administrator compared. All of them are trusted, as versions outlive
 * their key.
 */
async function keysToPin(deps: AdministerDeps, given: string, keyId: string, file?: OpenedExport) {
  const { address, keys } = await keysAt(deps, given, file);
  const current = keys.at(-1) as PublicKey;
  if (current.keyId === keyId) return { address, keys };
  const other = `is not that of its current key, ${current.keyId}`;
  throw invalidField('keyId', other, `The current key of ${address} is ${current.keyId}, and not ${keyId}.`);
}

/** An export with which an upstream is added or pinned, and the id of the key of the store that made it, if that is another one. */
export type ByFile = { file: OpenedExport; signer: string | undefined };

/** What is kept of an upstream that is read from files. @throws ApiError when the administrator did not compare who signed the export */
function keptFile({ file, signer }: ByFile, keys: readonly PublicKey[]): KeptFile {
  if (file.verify(keys).ok) return { signers: [], last: null };
  const chain = firstKeys(file.root.keys);
  const current = chain.ok && file.verify(chain.keys).ok ? chain.keys.at(-1) : undefined;
  if (!chain.ok || !current)
    throw invalidField('signer', 'did not sign it', 'The export is not signed by a store.');
  if (current.keyId === signer) return { signers: chain.keys, last: null };
  const sentence = `The export is signed by the key ${current.keyId} of another store, which made it: compare that too, and name it with --signer.`;
  throw invalidField('signer', `is not ${current.keyId}`, sentence);
}

/** An upstream as administrators see it. */
export async function presentUpstream(
  { upstreams }: Pick<AdministerDeps, 'upstreams'>,
  { id, address, keys, choices, addedAt, reachedAt, failure, failingSince, file }: KeptUpstream,
): Promise<Upstream> {
  const slugs = await upstreams.publishersOf(address);
  return {
    ...{ id, address, choices, addedAt, reachedAt },
    keyIds: keys.map(({ keyId }) => keyId),
    failure: failure && { ...failure, since: failingSince ?? addedAt },
    isStopped: await upstreams.isHeld(slugs, 'silent'),
    apps: await upstreams.countApps(id),
    file: file && {
      signerIds: file.signers.map(({ keyId }) => keyId),
      last: file.last && {
        begunAt: file.last.at,
        importedAt: file.last.importedAt,
        missing: file.last.missing,
      },
    },
  };
}

/** @throws ApiError not_found */
export async function requireUpstream(
  { upstreams }: Pick<AdministerDeps, 'upstreams'>,
  id: string,
): Promise<KeptUpstream> {
  const found = await upstreams.find(id);
  if (found) return found;
  throw new ApiError('not_found', 'There is no such upstream.');
}

/**
 * Adds an upstream, and pins its key.
 * @param byFile an export of it: it is read from such files alone
 * @throws ApiError invalid_request for another key than its current one; already_handled when it is one already; unavailable
 */
export async function addUpstream(
  deps: AdministerDeps,
  actor: Actor,
  { address: given, keyId, choices }: NewUpstream,
  byFile?: ByFile,
): Promise<Upstream> {
  const { address, keys } = await keysToPin(deps, given, keyId, byFile?.file);
  const at = deps.clock().toISOString();
  const fresh = {
    list: null,
    listTag: null,
    readUntil: null,
    addedAt: at,
    reachedAt: null,
    failure: null,
    failingSince: null,
    file: byFile ? keptFile(byFile, keys) : null,
  };
  const upstream = { id: upstreamId(address), address, keys, choices, ...fresh };
  await deps.unitOfWork(async ({ upstreams, audit }) => {
    if (!(await upstreams.add(upstream)))
      throw new ApiError('already_handled', `${address} is an upstream already.`);
    const detail = { origin: address, keyId, choices: JSON.stringify(choices) };
    await audit.add(actor, at, { action: 'upstream.add', detail });
  });
  return presentUpstream(deps, upstream);
}

/** Changes what is carried of an upstream, or pins its key again. @throws ApiError not_found, invalid_request, unavailable */
export async function changeUpstream(
  deps: AdministerDeps,
  actor: Actor,
  id: string,
  { choices, keyId }: UpstreamChange,
  byFile?: ByFile,
): Promise<Upstream> {
  const { address, file } = await requireUpstream(deps, id);
  if (keyId !== undefined && (file === null) !== (byFile === undefined))
    throw invalidField(
      'keyId',
      'is pinned in another way',
      file === null
        ? `${address} is read over the network: pin its key by its address.`
        : `${address} is read from files: pin its key with svc-store upstream pin FILE --key ID.`,
    );
  const pinned = keyId === undefined ? null : (await keysToPin(deps, address, keyId, byFile?.file)).keys;
  const kept = byFile && pinned ? keptFile(byFile, pinned) : null;
  await deps.unitOfWork(async ({ upstreams, audit }) => {
    await requireUpstream({ upstreams }, id);
    if (choices) await upstreams.choose(id, choices);
    if (pinned) await upstreams.pin(id, pinned, kept);
    const detail = {
      origin: address,
      ...(choices && { choices: JSON.stringify(choices) }),
      ...(keyId !== undefined && { keyId }),
    };
    await audit.add(actor, deps.clock().toISOString(), { action: 'upstream.change', detail });
  });
  return presentUpstream(deps, await requireUpstream(deps, id));
}

/** Removes an upstream: its apps stay with those who have them, and new installs stop. @throws ApiError not_found */
export async function removeUpstream(deps: AdministerDeps, actor: Actor, id: string): Promise<void> {
  await deps.unitOfWork(async ({ upstreams, audit }) => {
    const { address } = await requireUpstream({ upstreams }, id);
    const held = await upstreams.holdAll(await upstreams.publishersOf(address), null, 'silent');
    await upstreams.remove(id);
    const detail = { origin: address, apps: held.length };
    await audit.add(actor, deps.clock().toISOString(), { action: 'upstream.remove', detail });
  });
}

/** Apps of a search that an administrator sees. */
const FOUND = 20;

/** Searches the catalogue of an upstream, and says of each app what it is here. @throws ApiError not_found, unavailable */
export async function searchUpstream(
  deps: AdministerDeps & Pick<Parts, 'apps'>,
  id: string,
  q: string,
): Promise<UpstreamFound> {
  const { address, file } = await requireUpstream(deps, id);
  if (file) throw new ApiError('unavailable', `${address} is read from files: choose its apps by their ids.`);
  const { apps } = await asked(address, async () =>
    (await openReader(deps.baseUrl, address)).search({ ...(q.trim() !== '' && { q }), limit: FOUND }),
  );
  const known = new Map(
    (
      await deps.upstreams.appsOf(
        id,
        apps.map(({ appId }) => appId),
      )
    ).map((app) => [app.appId, app.state]),
  );
  const slugs = new Set(await deps.upstreams.publishersOf(address));
  return {
    apps: await Promise.all(
      apps.map(async ({ appId, name, tagline, publisher, version, grants }) => {
        const here = await deps.apps.find(appId);
        const isOwn = here !== null && !slugs.has(here.publisher);
        const state = isOwn ? 'own' : (known.get(appId) ?? null);
        return {
          ...{ appId, name, tagline, version, grants, state },
          ...{ publisher: publisher.name, verified: publisher.verified },
        };
      }),
    ),
  };
}
