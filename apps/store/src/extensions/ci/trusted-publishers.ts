import {
  type CiClaims,
  type CiKind,
  LIMITS,
  type NewTrustedPublisher,
  sourceName,
  type TrustedPublisher,
  type TrustedPublishers,
} from '@svc/contracts';
import { z } from 'zod';
import { type PersonCaller, requireOwner } from '../../core/domain/identity/caller.ts';
import type { CiIssuer } from '../../core/domain/identity/ci-issuer.ts';
import type { PostDeps } from '../../core/domain/mail/post-mail.ts';
import { recordPublisherChange } from '../../core/domain/mail/record-publisher-change.ts';
import type { Stores as CoreStores, Parts } from '../../core/domain/parts/parts.ts';
import { requireOwned } from '../../core/publishers/lives.ts';
import type { Sites } from '../../core/publishers/site.ts';
import { ApiError, invalidField } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { readAboutIssuer } from './ci-issuer.ts';
import type { TrustedPublisherRecord, TrustedPublisherStore } from './trusted-publisher-store.ts';

/** The stores of a transaction. */
export type Stores = CoreStores & { trustedPublishers: TrustedPublisherStore };

export type TrustedPublisherDeps = PostDeps &
  Pick<Parts, 'apps' | 'baseUrl'> & {
    trustedPublishers: TrustedPublisherStore;
    unitOfWork: UnitOfWork<Stores>;
    sites: Pick<Sites, 'file'>;
    ciIssuers: readonly CiIssuer[];
  };

const invalid = (field: keyof NewTrustedPublisher, message: string) => invalidField(field, message);

/** The claim `runner_environment` of jobs on the provider's own machines. */
export const HOSTED_RUNNERS = { github: 'github-hosted', gitlab: 'gitlab-hosted' } as const;

/** What a request must say about a repository. */
function repositoryOf(
  { repository, workflow, environment, hostedOnly }: NewTrustedPublisher,
  kind: keyof typeof HOSTED_RUNNERS,
) {
  if (
    repository === undefined ||
    !/^[\w.-]+(?:\/[\w.-]+)+$/.test(repository) ||
    /(?:^|\/)\.{1,2}(?:\/|$)/.test(repository)
  )
    throw invalid('repository', 'must be the path of the repository, such as owner/name');
  if (workflow !== undefined && (/[@\\]|\.\./.test(workflow) || workflow.startsWith('/')))
    throw invalid('workflow', 'must be a file of the repository, such as release.yml');
  return {
    ...{ repository, workflow },
    ...(environment !== undefined && { environment }),
    ...(hostedOnly && { runner_environment: HOSTED_RUNNERS[kind] }),
  };
}

/** The ids of a public repository, as the APIs of GitHub and GitLab return them. */
const Repository = z.union([
  z
    .object({ id: z.int(), owner: z.object({ id: z.int() }) })
    .transform(({ id, owner }) => ({ id, owner: owner.id })),
  z
    .object({ id: z.int(), namespace: z.object({ id: z.int() }) })
    .transform((of) => ({ id: of.id, owner: of.namespace.id })),
]);

/** Where an issuer describes a repository (docs.github.com, "Get a repository"; docs.gitlab.com, "Get a single project"). */
function describedAt({ kind, issuer }: CiIssuer, repository: string): [host: string, path: string] {
  const { host } = new URL(issuer);
  if (kind === 'gitlab') return [host, `/api/v4/projects/${encodeURIComponent(repository)}`];
  return host === 'token.actions.githubusercontent.com'
    ? ['api.github.com', `/repos/${repository}`]
    : [host, `/api/v3/repos/${repository}`];
}

/** The ids of a repository: those of the request, else those of the public repository with this path. */
async function idsOf(deps: TrustedPublisherDeps, of: CiIssuer, request: NewTrustedPublisher, path: string) {
  if (request.repositoryId !== undefined && request.ownerId !== undefined)
    return { id: request.repositoryId, owner: request.ownerId };
  const [host, address] = describedAt(of, path);
  const answer = await readAboutIssuer(deps, of.issuer, host, address);
  const found = 'json' in answer ? Repository.safeParse(answer.json).data : undefined;
  if (!found)
    throw invalid(
      'repositoryId',
      'and ownerId are needed: the store finds no public repository with this path. They are numbers that stay when a repository is renamed',
    );
  return { id: request.repositoryId ?? String(found.id), owner: request.ownerId ?? String(found.owner) };
}

type ReadClaims = (
  deps: TrustedPublisherDeps,
  of: CiIssuer,
  request: NewTrustedPublisher,
) => Promise<CiClaims>;

/** The claims that a job must have, by kind: ids, which stay, and the names and the file that people recognise. */
const CLAIMS: Readonly<Record<CiKind, ReadClaims>> = {
  async github(deps, of, request) {
    const { repository, workflow, ...more } = repositoryOf(request, 'github');
    if (workflow === undefined)
      throw invalid('workflow', 'must name the file of the workflow, such as release.yml');
    const { id, owner } = await idsOf(deps, of, request, repository);
    return {
      repository,
      repository_id: id,
      repository_owner_id: owner,
      workflow_ref: `${repository}/.github/workflows/${workflow}`,
      ...more,
    };
  },
  async gitlab(deps, of, request) {
    const { repository, workflow = '.gitlab-ci.yml', ...more } = repositoryOf(request, 'gitlab');
    const { id, owner } = await idsOf(deps, of, request, repository);
    return {
      project_path: repository,
      project_id: id,
      namespace_id: owner,
      ci_config_ref_uri: `${new URL(of.issuer).host}/${repository}//${workflow}`,
      ...more,
    };
  },
  async other(_deps, _of, { subject }) {
    if (subject === undefined) throw invalid('subject', 'must be the exact claim sub of the jobs');
    return { sub: subject };
  },
};

const present = (record: TrustedPublisherRecord, pending: boolean): TrustedPublisher => ({
  ...{ id: record.id, appId: record.appId, issuer: record.issuer, kind: record.kind, claims: record.claims },
  createdAt: record.createdAt,
  ...(record.lastUsedAt !== null && { lastUsedAt: record.lastUsedAt }),
  pending,
});

/**
 * The CI workflows that may publish apps of a publisher.
 * @throws ApiError not_a_member, forbidden
 */
export async function listTrustedPublishers(
  { trustedPublishers, apps, ciIssuers, baseUrl }: TrustedPublisherDeps,
  caller: PersonCaller,
  publisher: string,
  appId: string | undefined,
): Promise<TrustedPublishers> {
  requireOwner(caller, publisher);
  const records = (await trustedPublishers.of(publisher)).filter(
    (one) => appId === undefined || one.appId === appId,
  );
  const named = await apps.namesOf([...new Set(records.map((record) => record.appId))]);
  const ruled = await apps.withRules(publisher);
  return {
    trustedPublishers: records.map((record) => present(record, !named.has(record.appId))),
    trustedOnly: ruled.flatMap((app) => (app.trustedOnly ? [app.appId] : [])),
    confirmed: ruled.flatMap((app) => (app.confirmUploads ? [app.appId] : [])),
    issuers: ciIssuers.map(({ issuer, kind }) => ({ issuer, kind })),
    audience: baseUrl,
  };
}

/**
 * Lets a CI workflow publish an app, which does not have to exist yet.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, invalid_request, id_taken, already_exists, limit_reached
 */
export async function addTrustedPublisher(
  deps: TrustedPublisherDeps,
  caller: PersonCaller,
  publisher: string,
  request: NewTrustedPublisher,
): Promise<TrustedPublisher> {
  requireOwner(caller, publisher);
  const { appId } = request;
  const of = deps.ciIssuers.find(({ issuer }) => issuer === request.issuer);
  if (!of) throw invalid('issuer', 'must be one of the issuers that this store accepts');
  const claims = await CLAIMS[of.kind](deps, of, request);
  return deps.unitOfWork(async (stores) => {
    await requireOwned(stores, caller, publisher, 'addTrustedPublisher');
    const app = await stores.apps.find(appId);
    if (app && app.publisher !== publisher)
      throw new ApiError('id_taken', `The app id ${appId} belongs to another publisher: choose another id.`);
    const { max } = LIMITS.trustedPublishing;
    if ((await stores.trustedPublishers.of(publisher)).length >= max)
      throw new ApiError(
        'limit_reached',
        `There are already ${max} workflows, which is the maximum: remove one first.`,
      );
    const createdAt = deps.clock().toISOString();
    const record = {
      ...{ id: deps.newId(), publisher, appId, ...of, claims, createdAt },
      ...{ madeBy: caller.person.id, lastUsedAt: null },
    };
    if (!(await stores.trustedPublishers.add(record)))
      throw new ApiError('already_exists', 'This workflow may publish this app already.');
    const detail = { workflow: sourceName(record), issuer: of.issuer };
    const event = { action: 'ci.add', appId, publisher, detail } as const;
    await recordPublisherChange(deps, stores, caller, createdAt, event);
    return present(record, app === null);
  });
}

/**
 * Removes a CI workflow. When this resolves, no token of its jobs is accepted any more.
 * @throws ApiError not_a_member, forbidden, not_found
 */
export function removeTrustedPublisher(
  deps: TrustedPublisherDeps,
  caller: PersonCaller,
  publisher: string,
  id: string,
): Promise<TrustedPublisher> {
  requireOwner(caller, publisher);
  return deps.unitOfWork(async (stores) => {
    const { trustedPublishers, tokens, apps } = stores;
    const record = await trustedPublishers.remove(publisher, id);
    if (!record) throw new ApiError('not_found', 'There is no such workflow: it was removed already.');
    const at = deps.clock().toISOString();
    await tokens.revokeOfWorkflow(id, at);
    const { appId, issuer } = record;
    const detail = { workflow: sourceName(record), issuer };
    const event = { action: 'ci.remove', appId, publisher, detail } as const;
    await recordPublisherChange(deps, stores, caller, at, event);
    return present(record, (await apps.find(appId)) === null);
  });
}
