import type { AppDetail } from '@svc/contracts';
import type { Addresses } from '../domain/listings/present.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { PublicFile, VersionRef } from '../domain/versions/version-record.ts';

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

/** The text of a heading that is underlined (CommonMark, 4.3): no list, quotation, table or rule; and its line. */
const UNDERLINED = /^ {0,3}(?!\d+[.)]\s)[^\s\-*+>|=]/;
const UNDERLINE = /^ {0,3}(?:(=+)|-+)[ \t\r]*$/;

/** The level of the heading that begins with a line; 0 when none does. */
function levelOf(line: string, next = ''): number {
  const [, signs] = HEADING.exec(line) ?? [];
  if (signs !== undefined) return signs.length;
  const [underline, isFirst] = (UNDERLINED.test(line) && UNDERLINE.exec(next)) || [];
  return underline === undefined ? 0 : isFirst === undefined ? 2 : 1;
}

/** Whether a heading names a version: `## [1.2.0] - 2026-11-03`, but not `1.2.0-beta` or `11.2.0`, nor in the address of a link. */
function names(line: string, version: string): boolean {
  const heading = line.replaceAll(/\]\([^()]*\)/g, ']');
  const at = heading.indexOf(version);
  const after = heading.slice(at + version.length);
  return at >= 0 && !/[\d.]/.test(heading[at - 1] ?? '') && !/^(?:\d|[.+-]\w)/.test(after);
}

/** The first and the last line of the section of a version; null where no heading names it. */
function sectionOf(lines: readonly string[], version: string): { from: number; end: number } | null {
  let isCode = false;
  let from = -1;
  let level = 0;
  for (const [n, line] of lines.entries()) {
    if (FENCE.test(line)) isCode = !isCode;
    const own = isCode ? 0 : levelOf(line, lines[n + 1]);
    if (own === 0) continue;
    if (from >= 0 && own <= level) return { from, end: n };
    if (from >= 0 || !names(line, version)) continue;
    from = n;
    level = own;
  }
  return from < 0 ? null : { from, end: lines.length };
}

/** An address at the end of a changelog, to which headings such as `## [1.2.0]` refer (CommonMark, 4.7). */
const DEFINITION = /^ {0,3}\[[^\]]+\]:[ \t]+\S/;

/**
 * The section of a version in its changelog, which usually has those of all earlier versions too, with the addresses that its links refer to;
 * all of it where no heading names it.
 */
export function ownNotes(changelog: string, version: string): string {
  const lines = changelog.split('\n');
  const section = sectionOf(lines, version);
  if (section === null) return changelog;
  const { from, end } = section;
  const addresses = [...lines.slice(0, from), ...lines.slice(end)].filter((line) => DEFINITION.test(line));
  const own = lines.slice(from, end).join('\n');
  return addresses.length === 0 ? own : `${own}\n\n${addresses.join('\n')}`;
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
