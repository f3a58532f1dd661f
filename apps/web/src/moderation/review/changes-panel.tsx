import type { ManifestSummary, PermissionDiff, Review } from '@svc/contracts';
import { Card } from '../../account/parts.tsx';
import { ChangeItem, ChangeList, FirstList, type ShowPicture } from '../../changes/change-list.tsx';
import { type WholeEntry, wholeOf } from '../../changes/whole-list.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.changes;

/** What a version is compared with: the latest published one, also when that came after the check. */
export type Compared = {
  version: string | null;
  diff: PermissionDiff;
  base: Pick<NonNullable<Review['base']>, 'manifest' | 'reach'> | null;
};

/** The version that users agreed to last, as far as the store knows, and the difference to it. */
export function comparedOf({ current, base, permissionDiff }: Review): Compared {
  if (current) return { version: current.version, diff: current.permissionDiff, base: current };
  return { version: base?.version ?? null, diff: permissionDiff, base };
}

/** With what a version is compared, where that is not as one would think. */
function AboutBase({ review: { current, base } }: { review: Review }) {
  if (current) {
    const words = base ? MESSAGES.since(current.version, base.version) : MESSAGES.sinceFirst(current.version);
    return <p className="note">{words}</p>;
  }
  if (base && base.status !== 'published')
    return <p className="note">{MESSAGES.baseGone(base.version, base.status)}</p>;
  return null;
}

const pictureAddress = (appId: string, version: string, path: string): string =>
  `/api/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}/files/${path
    .split('/')
    .map(encodeURIComponent)
    .join('/')}`;

/** Shows the pictures of the two versions, whatever their state. */
function picturesOf(review: Review, { version, base }: Compared): ShowPicture {
  const sides = {
    before: { version, manifest: base?.manifest },
    after: { version: review.version, manifest: review.manifest },
  } satisfies Record<string, { version: string | null; manifest: ManifestSummary | undefined }>;
  return (side, picture) => {
    const { version: of, manifest } = sides[side];
    const path = manifest?.[picture];
    if (of === null || path === null || path === undefined) return null;
    return <img src={pictureAddress(review.appId, of, path)} alt={MESSAGES.picture(picture, of)} />;
  };
}

/** What matters most, in a line. */
function titleOf({ version, diff }: Compared): { sign: string; title: string } {
  if (version === null) return { sign: '+', title: MESSAGES.firstTitle };
  const widens = diff.changes.filter((change) => change.widens).length;
  if (widens > 0) return { sign: '+', title: MESSAGES.widensTitle(widens, version) };
  if (diff.changes.length > 0) return { sign: '~', title: MESSAGES.sameTitle(version) };
  return { sign: '=', title: MESSAGES.nothingTitle(version) };
}

function Body({ review, compared }: { review: Review; compared: Compared }) {
  const { version, diff } = compared;
  if (version !== null) {
    return <ChangeList changes={diff.changes} heading="h3" picture={picturesOf(review, compared)} />;
  }
  return (
    <>
      <p className="soft">{MESSAGES.firstHint}</p>
      <FirstList changes={diff.changes} />
    </>
  );
}

/** What an update changes about what users agreed to, new permissions first. */
export function ChangesPanel({ review }: { review: Review }) {
  const compared = comparedOf(review);
  const { sign, title } = titleOf(compared);
  const widens = compared.version !== null && compared.diff.widens;
  return (
    <section className={`card changes-panel ${widens ? 'widened' : ''}`}>
      <h2>
        <span aria-hidden="true">{sign} </span>
        {title}
      </h2>
      <AboutBase review={review} />
      <Body review={review} compared={compared} />
    </section>
  );
}

const Entry = ({ entry: { text, tone } }: { entry: WholeEntry }) => <ChangeItem text={text} tone={tone} />;

/** Everything that a version may do, changed or not. */
export function WholeList({ review }: { review: Review }) {
  const { base } = comparedOf(review);
  if (!base) return null;
  return (
    <Card title={MESSAGES.all}>
      <ul className="changes">
        {wholeOf(base.reach, review.reach).map((entry) => (
          <Entry key={entry.text.path} entry={entry} />
        ))}
      </ul>
    </Card>
  );
}
