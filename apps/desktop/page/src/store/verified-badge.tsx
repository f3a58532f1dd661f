import type { CatalogEntry } from '@svc/contracts';
import { visible } from '../parts/visible.ts';
import { WORDS } from '../words.ts';

/** The badge of a verified publisher. It names the verified host of its website. */
export function VerifiedBadge({ publisher }: { publisher: CatalogEntry['publisher'] }) {
  const { verified, verifiedHost } = publisher;
  if (!verified) return null;
  const MESSAGES = WORDS.store;
  return (
    <span className="badge good" title={MESSAGES.verified}>
      ✓ {verifiedHost ? visible(verifiedHost) : MESSAGES.verifiedByStore}
    </span>
  );
}
