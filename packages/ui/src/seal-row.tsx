import { Icon, type IconName } from './icon.tsx';

type Seal = { kind: string; state: 'vouched' | 'open' | 'care'; label: string; evidence: string };

const ICONS = { vouched: 'seal-vouched', open: 'seal-open', care: 'seal-care' } satisfies Record<
  Seal['state'],
  IconName
>;

/**
 * What a store vouches for: the seals of `sealsOf`, which open to their evidence. The pages of the store render the same markup.
 * @param isShort only icons after the first label, for cards and rows
 */
export function SealRow({ seals, isShort = false }: { seals: readonly Seal[]; isShort?: boolean }) {
  if (isShort)
    return (
      <ul className="seals">
        {seals.map(({ kind, state, label }, n) => (
          <li key={kind} className={`seal ${state}`} title={label}>
            <Icon name={ICONS[state]} />
            <span className={n === 0 ? '' : 'unseen'}>{label}</span>
          </li>
        ))}
      </ul>
    );
  return (
    <ul className="seals">
      {seals.map(({ kind, state, label, evidence }) => (
        <li key={kind}>
          <details name="seal">
            <summary className={`seal ${state}`}>
              <Icon name={ICONS[state]} />
              {label}
            </summary>
            <p>{evidence}</p>
          </details>
        </li>
      ))}
    </ul>
  );
}

/** The badge of a verified publisher. It names the verified host. */
export function VerifiedBadge({
  verified,
  verifiedHost,
}: {
  verified: boolean;
  verifiedHost?: string | undefined;
}) {
  if (!verified) return null;
  return (
    <span className="badge good" title="Verified publisher">
      ✓ {verifiedHost || 'verified by this store'}
    </span>
  );
}
