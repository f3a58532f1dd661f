import type { Stores } from '../adapters/database/stores.ts';
import { appealRoutes } from '../features/appeals/routes.ts';
import { auditRoutes } from '../features/audit/routes.ts';
import { featuredRoutes } from '../features/catalog/featured-routes.ts';
import { catalogRoutes } from '../features/catalog/routes.ts';
import { cliRoutes } from '../features/cli/routes.ts';
import { docsRoutes } from '../features/docs/routes.ts';
import { emergencyRoutes } from '../features/emergencies/routes.ts';
import { moderationRoutes } from '../features/moderation/routes.ts';
import { operationsRoutes } from '../features/operations/routes.ts';
import { peopleRoutes } from '../features/people/routes.ts';
import { ownAppsRoutes } from '../features/publishers/apps/routes.ts';
import { isOpenInvitation } from '../features/publishers/invitations/accept.ts';
import { publisherRoutes } from '../features/publishers/routes.ts';
import { publishingRoutes } from '../features/publishing/routes.ts';
import { ratingRoutes } from '../features/ratings/routes.ts';
import { registryRoutes } from '../features/registry/routes.ts';
import { relayRoutes } from '../features/relay/routes.ts';
import { reportRoutes } from '../features/reports/routes.ts';
import { revocationRoutes } from '../features/revocations/routes.ts';
import { serverRoutes } from '../features/servers/routes.ts';
import { storefrontRoutes } from '../features/storefront/routes.ts';
import { deviceRoutes } from '../features/tokens/device-routes.ts';
import { tokenRoutes } from '../features/tokens/routes.ts';
import { webRoutes } from '../features/web/routes.ts';
import { webhookRoutes } from '../features/webhooks/routes.ts';
import type { StoreParts } from './open-parts.ts';
import type { SharedParts } from './shared-parts.ts';

/** All parts of a store. Where a setting has the name of a store, the setting is not among them. */
type AllParts = Omit<StoreParts, keyof Stores> & Stores & SharedParts;

/** Builds the routes of every feature. The parameter type of each names the parts that it uses. */
export const featureRoutes = (parts: AllParts) => ({
  ...catalogRoutes(parts),
  ...featuredRoutes(parts),
  ...storefrontRoutes(parts),
  ...registryRoutes(parts),
  ...ratingRoutes(parts),
  ...publishingRoutes(parts),
  ...serverRoutes(parts),
  ...revocationRoutes(parts),
  ...moderationRoutes(parts),
  ...emergencyRoutes(parts),
  ...reportRoutes(parts),
  ...appealRoutes(parts),
  ...publisherRoutes(parts),
  ...ownAppsRoutes(parts),
  ...tokenRoutes(parts),
  ...deviceRoutes(parts),
  ...peopleRoutes({ ...parts, isInvitation: (link) => isOpenInvitation(parts, link) }),
  ...auditRoutes(parts),
  ...relayRoutes(parts),
  ...docsRoutes(parts),
  ...webRoutes(parts),
  ...webhookRoutes(parts),
  ...cliRoutes(parts),
  ...operationsRoutes(parts),
});
