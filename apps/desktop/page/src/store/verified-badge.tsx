import type { CatalogEntry } from '@svc/contracts';
import { visible } from '@svc/text';

/** The badge of a verified publisher. It names the verified host of its website. */
export function VerifiedBadge({ publisher }: { publisher: CatalogEntry['publisher'] }) {
  const { verified, verifiedHost } = publisher;
  if (!verified) return null;
  return (
    <span className="badge good" title="Verified publisher">
      ✓ {verifiedHost ? visible(verifiedHost) : 'verified by the store'}
    </span>
  );
}
