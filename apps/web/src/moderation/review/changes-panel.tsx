import type { Footprint, ManifestSummary, PermissionDiff, Review } from '@svc/contracts';
import { type ChangeText, changesOf, describeChanges } from '@svc/permissions';
import { ChangeItem, ChangeList, count, FirstList, type ShowPicture } from '@svc/ui';
import { OtherOrigins } from '../../changes/origins.tsx';
import { picturePath } from '../version-path.ts';

/** What an update leaves as users agreed to it, in the order of the manifest. */
function unchangedIn(base: Footprint, next: Footprint): ChangeText[] {
  const paths = new Set(changesOf(base, next).map(({ path }) => path));
  const { widens, instructions, other } = describeChanges(changesOf(null, next));
  return [...widens, ...instructions, ...other]
    .filter(({ path }) => !paths.has(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map((text) => ({ ...text, before: null }));
}

/** A comparison with the latest published version, even if that was published after the check. */
export type Comparison = {
  version: string | null;
  diff: PermissionDiff;
  base: Pick<NonNullable<Review['base']>, 'manifest' | 'reach'> | null;
};

/** The latest version that users may have agreed to, and the difference to it. */
export function comparisonOf({ current, base, permissionDiff }: Review): Comparison {
  if (current) return { version: current.version, diff: current.permissionDiff, base: current };
  return { version: base?.version ?? null, diff: permissionDiff, base };
}

/** Explains the base of the comparison when the check compared with another version, or it is not published any more. */
function BaseNote({ review: { current, base } }: { review: Review }) {
  if (current) {
    const words = base
      ? `${current.version} was published after the check. This list compares with ${current.version}; the check compared with ${base.version}.`
      : `${current.version} was published after the check. This list compares with ${current.version}; the check had no version to compare with.`;
    return <p className="callout">{words}</p>;
  }
  if (base && base.status !== 'published')
    return (
      <p className="callout">{`The check compared with ${base.version}, which is ${base.status} now. This list shows that comparison.`}</p>
    );
  return null;
}

/** Shows the pictures of the two versions, in any state. */
function picturesOf(review: Review, { version, base }: Comparison): ShowPicture {
  const sides = {
    before: { version, manifest: base?.manifest },
    after: { version: review.version, manifest: review.manifest },
  } satisfies Record<string, { version: string | null; manifest: ManifestSummary | undefined }>;
  return (side, picture) => {
    const { version: of, manifest } = sides[side];
    const path = manifest?.[picture];
    if (of === null || path === null || path === undefined) return null;
    return (
      <img
        src={picturePath({ appId: review.appId, version: of }, path)}
        alt={`${picture === 'icon' ? 'Icon' : 'Mark'} of ${of}`}
      />
    );
  };
}

/** The most important change, in one line. */
function titleOf({ version, diff }: Comparison): { sign: string; title: string } {
  if (version === null) return { sign: '+', title: 'First version: all permissions are new' };
  const widens = diff.changes.filter((change) => change.widens).length;
  if (widens > 0)
    return {
      sign: '+',
      title: `Asks for ${widens} new ${widens === 1 ? 'permission' : 'permissions'} since ${version}`,
    };
  if (diff.changes.length > 0) return { sign: '~', title: `No new permissions since ${version}` };
  return { sign: '=', title: `Permissions and presentation are the same as in ${version}` };
}

function Body({ review, comparison }: { review: Review; comparison: Comparison }) {
  const { version, diff } = comparison;
  if (version !== null) {
    return <ChangeList changes={diff.changes} heading="h3" picture={picturesOf(review, comparison)} />;
  }
  return (
    <>
      <p className="soft">No user has agreed to these permissions yet.</p>
      <FirstList changes={diff.changes} />
    </>
  );
}

/** More than so many permissions that stay the same are folded. */
const MAX_OPEN = 8;

/** The permissions that an update leaves as they were: with its changes these are all. */
function Unchanged({ base, next }: { base: Footprint; next: Footprint }) {
  const same = unchangedIn(base, next);
  if (same.length === 0) return null;
  return (
    <details open={same.length <= MAX_OPEN}>
      <summary>{`${count(same.length, 'permission')} unchanged`}</summary>
      <ul className="changes">
        {same.map((text) => (
          <ChangeItem key={text.path} text={text} tone="same" />
        ))}
      </ul>
    </details>
  );
}

/** All permissions of a version: the changes of an update to what users agreed to, new ones first, and the rest. */
export function ChangesPanel({ review }: { review: Review }) {
  const comparison = comparisonOf(review);
  const { sign, title } = titleOf(comparison);
  const widens = comparison.version !== null && comparison.diff.widens;
  return (
    <section className={`card changes-panel ${widens ? 'widened' : ''}`}>
      <h2>
        <span aria-hidden="true">{sign} </span>
        {title}
      </h2>
      <BaseNote review={review} />
      {review.base === null ? null : <OtherOrigins before={review.base} after={review} />}
      <Body review={review} comparison={comparison} />
      {comparison.base === null ? null : <Unchanged base={comparison.base.reach} next={review.reach} />}
    </section>
  );
}
