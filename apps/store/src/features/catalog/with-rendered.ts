import type { AppDetail } from '@svc/contracts';
import type { Addresses } from '../../domain/listings/present.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import type { PublicFile, VersionRef } from '../../domain/versions/version-store.ts';

type RenderDeps = Pick<Parts, 'renderer' | 'versions' | 'addresses'>;

/** Versions whose changelog is rendered. A changelog usually covers the earlier versions as well. */
export const MAX_CHANGELOGS = 10;

/** The addresses of the pictures of a version, from the root of the store, by their path in the bundle. */
const picturesOf = (to: Addresses, ref: VersionRef, files: readonly PublicFile[]): Record<string, string> =>
  Object.fromEntries(
    files.map(({ path, inReadme }) => [
      path,
      new URL(inReadme ? to.readmePicture(ref, path) : to.file(ref, path)).pathname,
    ]),
  );

/** Adds the README and the changelogs of the newest versions as HTML to the details of an app. */
export async function withRendered(
  { renderer, versions, addresses }: RenderDeps,
  detail: AppDetail,
): Promise<AppDetail> {
  const ref = { appId: detail.appId, version: detail.version };
  const { files = [] } = (await versions.find(ref)) ?? {};
  const pictures = picturesOf(addresses, ref, files);
  const readmeHtml = await renderer.markdown(detail.readme, { anchor: 'readme', pictures });
  const newest = detail.versions.slice(0, MAX_CHANGELOGS);
  const rendered = await Promise.all(
    newest.map(async (version) => ({
      ...version,
      changelogHtml: await renderer.markdown(version.changelog),
    })),
  );
  return { ...detail, readmeHtml, versions: [...rendered, ...detail.versions.slice(MAX_CHANGELOGS)] };
}
