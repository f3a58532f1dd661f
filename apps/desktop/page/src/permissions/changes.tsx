import type { Change } from '@svc/contracts';
import {
  CHANGE_GROUPS,
  CHANGE_SIGNS,
  type ChangeGroups,
  type ChangeText,
  describeChanges,
  GROUP_TITLES,
  NO_VALUE,
  SIDE_TITLES,
  SIGN_WORDS,
} from '@svc/permissions';
import type { AppPictures, PicturePair } from '@svc/runtime';
import { visible } from '@svc/text';
import { count } from '@svc/ui/text';
import { BundlePicture } from '../parts/icon.tsx';

/** From this number on, changes that add no permissions are folded. */
const FOLD_FROM = 10;

const Lines = ({ lines }: { lines: readonly string[] }) => (
  <>
    {lines.length === 0 ? <span className="soft">{NO_VALUE}</span> : null}
    {lines.map((line) => (
      <div key={line} dir="auto">
        {visible(line)}
      </div>
    ))}
  </>
);

/** The value of one of the two versions. Picture fields show the picture. */
function Side({
  title,
  lines,
  kind,
  pictures,
}: {
  title: string;
  lines: readonly string[];
  kind: ChangeText['picture'];
  pictures: AppPictures | null;
}) {
  const path = kind && pictures?.[kind];
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {path ? <BundlePicture sha256={pictures.sha256} path={path} alt={title} /> : <Lines lines={lines} />}
      </dd>
    </div>
  );
}

type ItemProps = { group: keyof ChangeGroups; text: ChangeText; pictures: PicturePair | null };

function ChangeItem({ group, text, pictures }: ItemProps) {
  const { sign, label, subject, before, after, picture } = text;
  return (
    <li className={`change ${group} ${sign}`}>
      <span className="sign" aria-hidden="true">
        {CHANGE_SIGNS[sign]}
      </span>
      <div>
        <span className="unseen">{SIGN_WORDS[sign]}: </span>
        <strong>{label}</strong> {subject === '' ? null : <bdi className="subject">{visible(subject)}</bdi>}
        {before === null && after === null ? null : (
          <dl className="sides">
            {before === null ? null : (
              <Side
                title={SIDE_TITLES.before}
                lines={before}
                kind={picture}
                pictures={pictures?.before ?? null}
              />
            )}
            {after === null ? null : (
              <Side
                title={SIDE_TITLES.after}
                lines={after}
                kind={picture}
                pictures={pictures?.after ?? null}
              />
            )}
          </dl>
        )}
      </div>
    </li>
  );
}

function Group({
  group,
  texts,
  pictures,
}: {
  group: keyof ChangeGroups;
  texts: readonly ChangeText[];
  pictures: PicturePair | null;
}) {
  if (texts.length === 0) return null;
  const items = (
    <ul className={`changes ${group}`}>
      {texts.map((text) => (
        <ChangeItem key={text.path} group={group} text={text} pictures={pictures} />
      ))}
    </ul>
  );
  return (
    <>
      <h3>{GROUP_TITLES[group]}</h3>
      {group === 'other' && texts.length >= FOLD_FROM ? (
        <details>
          <summary>{count(texts.length, 'change')}</summary>
          {items}
        </details>
      ) : (
        items
      )}
    </>
  );
}

/** What an update changes in what the user agreed to, old and new side by side. */
export function Changes({ changes, pictures }: { changes: readonly Change[]; pictures: PicturePair | null }) {
  const groups = describeChanges(changes);
  return CHANGE_GROUPS.map((group) => (
    <Group key={group} group={group} texts={groups[group]} pictures={pictures} />
  ));
}
