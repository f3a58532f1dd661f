import type { PermissionDiff, Reach, Review } from '@svc/contracts';
import { Card } from '../../account/parts.tsx';
import { WORDS } from '../words.ts';
import { narrower, otherwise, type ReachChange, reachLines, wider } from './reach-changes.ts';

const SAY = WORDS.reach;

type Tone = 'wider' | 'narrower' | 'other' | 'same';

const TONE_WORDS: Readonly<Record<Tone, string>> = {
  wider: SAY.added,
  narrower: SAY.removed,
  other: SAY.changed,
  same: SAY.kept,
};

type LineProps = { tone: Tone; change: ReachChange; word?: string };

/** One change, told by sign, by word and by colour. */
function Line({ tone, change, word = TONE_WORDS[tone] }: LineProps) {
  const sign = tone === 'wider' && word === SAY.changed ? SAY.signs.moved : SAY.signs[tone];
  return (
    <li className={`reach ${tone}`}>
      <span className="sign" aria-hidden="true">
        {sign}
      </span>
      <span className="word">{word}</span>
      <span className="kind">{change.kind}</span>
      <code>{change.what}</code>
      {change.about === '' ? null : <span className="about">{change.about}</span>}
    </li>
  );
}

/** The changes of one tone; what they have in common is said once. */
function Lines({ tone, changes, word }: { tone: Tone; changes: readonly ReachChange[]; word?: string }) {
  return (
    <ul className="reaches">
      {changes.map((change) => (
        <Line
          key={`${change.kind} ${change.what} ${change.about}`}
          tone={tone}
          change={change}
          {...(word !== undefined && { word })}
        />
      ))}
    </ul>
  );
}

/** What a version is compared with: the latest published one, also when that came after the check. */
export type Compared = {
  version: string | null;
  diff: PermissionDiff;
  base: Pick<NonNullable<Review['base']>, 'manifest' | 'reach'> | null;
};

export function comparedOf({ current, base, permissionDiff }: Review): Compared {
  if (current) return { version: current.version, diff: current.permissionDiff, base: current };
  return { version: base?.version ?? null, diff: permissionDiff, base };
}

/** With what a version is compared, where that is not as one would think. */
function AboutBase({ review: { current, base } }: { review: Review }) {
  if (current) {
    const words = base ? SAY.since(current.version, base.version) : SAY.sinceFirst(current.version);
    return <p className="note">{words}</p>;
  }
  if (base && base.status !== 'published')
    return <p className="note">{SAY.baseGone(base.version, base.status)}</p>;
  return null;
}

/** A changed address is no new one: the word says which it is. */
const isMove = ({ kind }: ReachChange): boolean =>
  [SAY.kinds.mcpUrl, SAY.kinds.endpoint, SAY.kinds.confirm, SAY.kinds.fileLimit].some((one) => one === kind);

function Wider({ changes, base }: { changes: readonly ReachChange[]; base: string | null }) {
  if (changes.length === 0 && base === null) return <p>{SAY.nothing}</p>;
  if (changes.length === 0) {
    return (
      <>
        <h2>
          <span aria-hidden="true">= </span>
          {SAY.sameTitle(base ?? '')}
        </h2>
        <p className="soft">{SAY.sameHint}</p>
      </>
    );
  }
  return (
    <>
      <h2>
        <span aria-hidden="true">+ </span>
        {base === null ? SAY.firstTitle : SAY.widensTitle(changes.length, base)}
      </h2>
      {base === null ? <p className="soft">{SAY.firstHint}</p> : null}
      <Lines tone="wider" changes={changes.filter(isMove)} word={SAY.changed} />
      <Lines tone="wider" changes={changes.filter((change) => !isMove(change))} />
    </>
  );
}

/** How far an update reaches, first of all what it reaches beyond what users consented to. */
export function ReachPanel({ review }: { review: Review }) {
  const { version, diff, base } = comparedOf(review);
  const was = base?.reach ?? null;
  const changes = wider(diff, review.reach, was);
  const [less, others] = [narrower(diff, review.reach, was), otherwise(diff)];
  return (
    <section className={`card reach-panel ${changes.length > 0 && version !== null ? 'widened' : ''}`}>
      <Wider changes={changes} base={version} />
      <AboutBase review={review} />
      {less.length > 0 ? (
        <>
          <h3>{SAY.narrower}</h3>
          <Lines tone="narrower" changes={less} />
        </>
      ) : null}
      {others.length > 0 && version !== null ? (
        <>
          <h3>{SAY.other}</h3>
          <Lines tone="other" changes={others} />
        </>
      ) : null}
    </section>
  );
}

/** All that a version may reach, changed or not. */
export function WholeReach({ next, base }: { next: Reach; base: Reach }) {
  return (
    <Card title={SAY.all}>
      <ul className="reaches">
        {reachLines(next, base).map(({ sign, change }) => (
          <Line key={`${sign} ${change.kind} ${change.what} ${change.about}`} tone={sign} change={change} />
        ))}
      </ul>
    </Card>
  );
}
