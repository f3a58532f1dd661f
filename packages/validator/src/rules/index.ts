import { accountEndpointRules } from './account-endpoints.ts';
import { accountRules } from './accounts.ts';
import { brandingRules } from './branding.ts';
import { bundleRules } from './bundle.ts';
import { grantRules } from './grants.ts';
import { identityRules } from './identity.ts';
import { levelRules } from './level.ts';
import { listingRules } from './listing.ts';
import { manifestRules } from './manifest.ts';
import { mediaRules } from './media.ts';
import { mediaParameterRules } from './media-parameters.ts';
import { networkRules } from './network.ts';
import { panelRules } from './panels.ts';
import { pictureRules } from './pictures.ts';
import { remoteRules } from './remote.ts';
import { requiresRules } from './requires.ts';
import { toolFileRules } from './tool-files.ts';
import { toolRules } from './tools.ts';

/**
 * Every validation code, one entry each. The rules of one target are tried in this order up to the first that fails;
 * otherwise the order has no meaning.
 */
export const RULES = [
  ...manifestRules,
  ...identityRules,
  ...levelRules,
  ...remoteRules,
  ...grantRules,
  ...networkRules,
  ...brandingRules,
  ...pictureRules,
  ...accountRules,
  ...accountEndpointRules,
  ...listingRules,
  ...requiresRules,
  ...toolRules,
  ...toolFileRules,
  ...mediaRules,
  ...mediaParameterRules,
  ...panelRules,
  ...bundleRules,
] as const;

/** A code of the table. */
export type Code = (typeof RULES)[number]['code'];
