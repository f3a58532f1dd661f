import type { Publisher } from '@svc/contracts';

/** The badge of a verified publisher. It names the verified host. */
export function VerifiedBadge({ verified, verifiedHost }: Pick<Publisher, 'verified' | 'verifiedHost'>) {
  if (!verified) return null;
  return (
    <span className="badge good" title="Verified publisher">
      ✓ {verifiedHost || 'verified by this store'}
    </span>
  );
}
