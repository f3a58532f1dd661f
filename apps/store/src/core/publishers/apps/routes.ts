import { pictureHeaders } from '../../../http/send.ts';
import type { Handlers } from '../../access/bind-route.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import {
  type AnswerDeps,
  answerOffer,
  appOffers,
  deleteApp,
  deletePublisher,
  deprecateVersion,
  offerApp,
  ownAppLife,
  reassignApp,
  setAppState,
} from '../lives.ts';
import { type ChartDeps, installChart, listOwnApps, type OwnAppDeps, ownApp } from './own-apps.ts';
import {
  compareVersions,
  listOwnVersions,
  type OwnVersionDeps,
  ownPicture,
  ownVersion,
} from './own-versions.ts';

/** Content for the members of a publisher must not be cached. */
const NO_STORE = { 'Cache-Control': 'no-store' };

/** The routes by which apps and publishers move and end. */
const lifeRoutes = (deps: AnswerDeps & Pick<Parts, 'db' | 'apps' | 'people'>) =>
  ({
    ownAppLife: ({ caller, params }) => ownAppLife(deps, caller, params),
    setAppState: ({ caller, params, body }) => setAppState(deps, caller, params, body),
    deprecateVersion: ({ caller, params, body }) => deprecateVersion(deps, caller, params, body.note),
    offerApp: ({ caller, params, body }) => offerApp(deps, caller, params, body.to),
    appOffers: ({ caller, params }) => appOffers(deps, caller, params.slug),
    answerOffer: async ({ caller, params, body }) => {
      await answerOffer(deps, caller, params, body.accept);
      return { appId: params.appId, publisher: body.accept ? params.slug : null };
    },
    reassignApp: async ({ caller, params, body }) => {
      await reassignApp(deps, caller, params.appId, body);
      return { appId: params.appId, publisher: body.publisher };
    },
    deleteApp: async ({ caller, params }) => {
      await deleteApp(deps, caller, params);
      return { appId: params.appId, publisher: null };
    },
    deletePublisher: async ({ caller, params }) => {
      await deletePublisher(deps, caller, params.slug);
      return { slug: params.slug };
    },
  }) satisfies Handlers;

/** The routes of members for the apps of their publisher. */
export const ownAppsRoutes = (
  deps: OwnAppDeps &
    OwnVersionDeps &
    ChartDeps &
    AnswerDeps &
    Pick<Parts, 'db' | 'apps' | 'people' | 'blobs' | 'linkIssues'>,
) =>
  ({
    ...lifeRoutes(deps),
    installChart: ({ caller, params, query }) => installChart(deps, caller, params, query),
    ownApps: ({ caller, params, query }) => listOwnApps(deps, caller, params.slug, query),
    ownApp: ({ caller, params }) => ownApp(deps, caller, params.slug, params.appId),
    ownVersions: ({ caller, params, query }) => listOwnVersions(deps, caller, params, query),
    ownVersion: async ({ caller, params }) => {
      const detail = await ownVersion(deps, caller, params, params.version);
      return deps.linkIssues(detail);
    },
    ownPicture: async ({ caller, params }, c) => {
      const { file, blob } = await ownPicture(deps, caller, params, params);
      return c.body(blob.stream(), 200, {
        ...pictureHeaders(file.type),
        ...NO_STORE,
        'Content-Length': String(blob.size),
      });
    },
    compareVersions: ({ caller, params, query }) => compareVersions(deps, caller, params, query),
  }) satisfies Handlers;
