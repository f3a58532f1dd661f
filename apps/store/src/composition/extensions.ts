import type { ExtensionName } from '@svc/contracts';
import { appeals } from '../extensions/appeals/extension.ts';
import { brand } from '../extensions/brand/extension.ts';
import { cases } from '../extensions/cases/extension.ts';
import { ci } from '../extensions/ci/extension.ts';
import { cli } from '../extensions/cli/extension.ts';
import { docs } from '../extensions/docs/extension.ts';
import { emergencies } from '../extensions/emergencies/extension.ts';
import { featured } from '../extensions/featured/extension.ts';
import { feeds } from '../extensions/feeds/extension.ts';
import { groups } from '../extensions/groups/extension.ts';
import { log } from '../extensions/log/extension.ts';
import { managed } from '../extensions/managed/extension.ts';
import { ratings } from '../extensions/ratings/extension.ts';
import { recovery } from '../extensions/recovery/extension.ts';
import { registry } from '../extensions/registry/extension.ts';
import { reports } from '../extensions/reports/extension.ts';
import { scim } from '../extensions/scim/extension.ts';
import { servers } from '../extensions/servers/extension.ts';
import { siem } from '../extensions/siem/extension.ts';
import { storefront } from '../extensions/storefront/extension.ts';
import { transparency } from '../extensions/transparency/extension.ts';
import { upstreams } from '../extensions/upstreams/extension.ts';
import { webhooks } from '../extensions/webhooks/extension.ts';

/** The extensions of the store. To leave one out, delete its folder and its line here; an operator leaves it out with `SVC_WITHOUT`. */
export const EXTENSIONS = [
  reports,
  appeals,
  transparency,
  servers,
  scim,
  ci,
  ratings,
  webhooks,
  registry,
  emergencies,
  featured,
  managed,
  feeds,
  log,
  siem,
  upstreams,
  docs,
  cli,
  storefront,
  recovery,
  brand,
  groups,
  cases,
] as const;

/** The names of the extensions that a store has. */
export const extensionsOn = (without: readonly ExtensionName[]): ReadonlySet<ExtensionName> =>
  new Set(EXTENSIONS.map(({ name }) => name).filter((name) => !without.includes(name)));
