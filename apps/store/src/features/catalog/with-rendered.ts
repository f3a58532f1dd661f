import type { AppDetail } from '@svc/contracts';
import type { SafeRenderer } from '../../platform/renderer.ts';

/** Versions whose changelog is rendered. A changelog usually covers the earlier versions as well. */
export const MAX_CHANGELOGS = 10;

/** Adds the README and the changelogs of the newest versions as HTML to the details of an app. */
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
