import type { PermissionDiff } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { ChangeList, FirstList, type ShowPicture } from '@svc/ui';

/** An app, and its publisher. */
export type OwnRef = { slug: string; appId: string };

type DiffProps = {
  diff: PermissionDiff;
  own: OwnRef;
  /** The newer version. */
  version: string;
  /** Level of the group headings. */
  heading: 'h3' | 'h4';
};

/** The changes of a version to what users agreed to, in the same words that moderators and users read. */
export function DiffView({ diff: { baseVersion, changes }, own, version, heading }: DiffProps) {
  if (baseVersion === null) return <FirstList changes={changes} tone="other" />;
  if (changes.length === 0) return <p>Permissions and presentation are the same.</p>;
  const picture: ShowPicture = (side, name) => {
    const { path } = apiRequest('GET /api/publishers/:slug/apps/:appId/versions/:version/pictures/:picture', {
      params: { ...own, version: side === 'before' ? baseVersion : version, picture: name },
    });
    return <img src={path} alt={`${name === 'icon' ? 'Icon' : 'Mark'} ${side} the update`} />;
  };
  return <ChangeList changes={changes} heading={heading} picture={picture} />;
}
