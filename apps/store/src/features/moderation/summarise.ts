import type { Manifest, ManifestSummary } from '@svc/contracts';

/** The summary of a manifest. */
export const summaryOf = (manifest: Manifest): ManifestSummary => ({
  name: manifest.name,
  description: manifest.description,
  permissions: manifest.permissions,
  categories: manifest.categories ?? [],
  homepage: manifest.homepage ?? null,
  support: manifest.support ?? null,
  author: manifest.author ?? null,
  icon: manifest.branding.icon,
  mark: manifest.branding.mark ?? null,
  screenshots: manifest.branding.screenshots ?? [],
  tools: (manifest.contributes.tools ?? []).map(({ id, name, description }) => ({ id, name, description })),
  panels: (manifest.contributes.panels ?? []).map(({ id, title }) => ({ id, title })),
});
