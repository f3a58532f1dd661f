import type { PermissionDiff } from '@svc/contracts';
import { ChangeList, FirstList, type ShowPicture } from '../changes/change-list.tsx';
import { WORDS } from './words.ts';

const { diff: words } = WORDS;

type DiffProps = {
  diff: PermissionDiff;
  /** API path of the app under its publisher. */
  path: string;
  /** The newer version. */
  version: string;
  /** Level of the group headings. */
  heading: 'h3' | 'h4';
};

/** The changes of a version to what users agreed to, in the same words that moderators and users read. */
export function DiffView({ diff: { baseVersion, changes }, path, version, heading }: DiffProps) {
  if (baseVersion === null) return <FirstList changes={changes} />;
  if (changes.length === 0) return <p>{words.nothing}</p>;
  const picture: ShowPicture = (side, name) => {
    const shown = encodeURIComponent(side === 'before' ? baseVersion : version);
    return <img src={`${path}/versions/${shown}/pictures/${name}`} alt={words.picture(side, name)} />;
  };
  return <ChangeList changes={changes} heading={heading} picture={picture} />;
}
