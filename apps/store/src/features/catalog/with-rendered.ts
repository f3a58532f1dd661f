import type { AppDetail } from '@svc/contracts';
import type { Addresses } from '../../domain/listings/present.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import type { PublicFile, VersionRef } from '../../domain/versions/version-record.ts';

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

const FENCE = /^ {0,3}(?:`{3}|~{3})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]/;

/** Whether a heading names a version: `## [1.2.0] - 2026-11-03`, but not `1.2.0-beta` or `11.2.0`. */
function names(heading: string, version: string): boolean {
  const at = heading.indexOf(version);
  const after = heading.slice(at + version.length);
  return at >= 0 && !/[\d.]/.test(heading[at - 1] ?? '') && !/^(?:\d|[.+-]\w)/.test(after);
}

/** The section of a version in its changelog, which usually has those of all earlier versions too; all of it where no heading names it. */
export function ownNotes(changelog: string, version: string): string {
  const lines = changelog.split('\n');
  let isCode = false;
  let from = -1;
  let level = 0;
  for (const [n, line] of lines.entries()) {
    if (FENCE.test(line)) isCode = !isCode;
    const [, signs] = isCode ? [] : (HEADING.exec(line) ?? []);
    if (signs === undefined) continue;
    if (from >= 0 && signs.length <= level) return lines.slice(from, n).join('\n');
    if (from >= 0 || !names(line, version)) continue;
    from = n;
    level = signs.length;
  }
  return from < 0 ? changelog : lines.slice(from).join('\n');
}

/** Adds the README and the changelogs of the newest versions as HTML to the details of an app. */
export async function withRendered(
  { renderer, versions, addresses }: Pick<Parts, 'renderer' | 'versions' | 'addresses'>,
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
      changelogHtml: await renderer.markdown(ownNotes(version.changelog, version.version)),
    })),
  );
  return { ...detail, readmeHtml, versions: [...rendered, ...detail.versions.slice(MAX_CHANGELOGS)] };
}
