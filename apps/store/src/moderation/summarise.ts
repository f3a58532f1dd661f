import type { Manifest, ManifestSummary, Reach } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';

/** What a version says of itself. */
export const summaryOf = (manifest: Manifest): ManifestSummary => ({
  name: manifest.name,
  description: manifest.description,
  permissions: manifest.permissions,
  categories: manifest.categories ?? [],
  homepage: manifest.homepage ?? null,
  support: manifest.support ?? null,
  author: manifest.author ?? null,
  tools: (manifest.contributes.tools ?? []).map(({ id, name, description }) => ({ id, name, description })),
  panels: (manifest.contributes.panels ?? []).map(({ id, title }) => ({ id, title })),
});

/** The footprint of a version, as JSON has it. */
export function reachOf(manifest: Manifest): Reach {
  const { tools, fileParams, endpoints, ...lists } = footprintOf(manifest);
  return {
    ...lists,
    tools: [...tools].map(([id, { account, confirms }]) => ({ id, account, confirms })),
    fileParams: [...fileParams].map(([param, reach]) => ({ param, ...reach })),
    endpoints: [...endpoints].map(([account, where]) => ({ account, ...where })),
  };
}
