import { Icon, type IconName } from './icon.tsx';

/** A fact of `sealsOf` of `@svc/permissions`, which alone decides what is vouched for. */
type Seal = { kind: string; state: string; icon: IconName; label: string; evidence: string };

/** The four facts of an app, which open to their evidence. The pages of the store render the same markup. */
export function SealRow({ seals }: { seals: readonly Seal[] }) {
  return (
    <ul className="seals">
      {seals.map(({ kind, state, icon, label, evidence }) => (
        <li key={kind}>
          <details name="seal">
            <summary className={`seal ${state}`}>
              <Icon name={icon} />
              {label}
            </summary>
            <p>{evidence}</p>
          </details>
        </li>
      ))}
    </ul>
  );
}

/** The verdict on a publisher, in words: on cards, in rows, and beside the name of a publisher. */
export function Verdict({ of: { state, icon, label, evidence } }: { of: Seal }) {
  return (
    <span className={`seal verdict ${state}`} title={evidence}>
      <Icon name={icon} />
      <span>{label}</span>
    </span>
  );
}
