import type { Footprint, ManifestSummary, PermissionDiff, Review } from '@svc/contracts';
import { type ChangeText, changesOf, describeChanges } from '@svc/permissions';
import { ChangeItem, ChangeList, FirstList, type ShowPicture, type Tone } from '@svc/ui';
import { Card } from '../../account/parts.tsx';
import { OtherOrigins } from '../../changes/origins.tsx';
import { picturePath } from '../version-path.ts';

/** One permission of an app, and what an update does to it. */
type WholeEntry = { text: ChangeText; tone: Tone };

const entriesOf = (changes: Parameters<typeof describeChanges>[0]): WholeEntry[] => {
  const { widens, instructions, other } = describeChanges(changes);
  return [
    ...widens.map((text) => ({ text, tone: 'widens' as const })),
    ...instructions.map((text) => ({ text, tone: 'instructions' as const })),
    ...other.map((text) => ({ text, tone: 'other' as const })),
  ];
};

/**
 * All permissions of two versions of an app, in the order of the manifest: those that the update changes, and those that
 * stay the same.
 */
function wholeOf(base: Footprint, next: Footprint): WholeEntry[] {
  const changed = entriesOf(changesOf(base, next));
  const paths = new Set(changed.map(({ text }) => text.path));
  const same = entriesOf(changesOf(null, next))
    .filter(({ text }) => !paths.has(text.path))
    .map(({ text }): WholeEntry => ({ text: { ...text, before: null }, tone: 'same' }));
  return [...changed, ...same].sort((a, b) => (a.text.path < b.text.path ? -1 : 1));
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

/** The changes of an update to what users agreed to, new permissions first. */
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
    </section>
  );
}

/** All permissions of a version, changed or not. */
export function WholeList({ review }: { review: Review }) {
  const { base } = comparisonOf(review);
  if (!base) return null;
  return (
    <Card title="All permissions, before and after">
      <ul className="changes">
        {wholeOf(base.reach, review.reach).map((entry) => (
          <ChangeItem key={entry.text.path} {...entry} />
        ))}
      </ul>
    </Card>
  );
}
