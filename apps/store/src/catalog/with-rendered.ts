import type { AppDetail } from '@svc/contracts';
import type { SafeRenderer } from '../platform/renderer.ts';

/** Versions whose changelog is rendered. Each says all that came before it as well. */
export const MAX_CHANGELOGS = 10;

/** The detail of an app with its README and the changelogs of its newest versions as HTML beside their markdown. */
export async function withRendered(renderer: SafeRenderer, detail: AppDetail): Promise<AppDetail> {
  const readmeHtml = await renderer.markdown(detail.readme);
  const newest = detail.versions.slice(0, MAX_CHANGELOGS);
  const rendered = await Promise.all(
    newest.map(async (version) => ({
      ...version,
      changelogHtml: await renderer.markdown(version.changelog),
    })),
  );
  return { ...detail, readmeHtml, versions: [...rendered, ...detail.versions.slice(MAX_CHANGELOGS)] };
}
