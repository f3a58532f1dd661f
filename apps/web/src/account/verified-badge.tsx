import type { Publisher } from '@svc/contracts';

/** The badge of a verified publisher: it says what was verified, which is the host of its website. */
export function VerifiedBadge({ verified, verifiedHost }: Pick<Publisher, 'verified' | 'verifiedHost'>) {
  if (!verified) return null;
  return (
    <span className="badge good" title="Verified publisher">
      ✓ {verifiedHost || 'verified by this store'}
    </span>
  );
}
