import type { PermissionDiff } from '@svc/contracts';
import { visible } from '../check/words.ts';
import { DIFF_WORDS, WORDS } from './words.ts';

const { diff: words } = WORDS;
const SIGNS = { added: '+', removed: '−', changed: '~' } as const;

type Line = { how: keyof typeof SIGNS; what: string; value: string };

function linesOf(diff: PermissionDiff): Line[] {
  const lists = Object.entries(DIFF_WORDS).flatMap(([key, { how, what }]) =>
    diff[key as keyof typeof DIFF_WORDS].map((value) => ({ how, what, value: visible(value) })),
  );
  return diff.mcpUrlChanged ? [{ how: 'changed', what: words.mcpUrl, value: '' }, ...lists] : lists;
}

/** What a version may do beyond another, a line for each thing that came, went or changed. */
export function DiffView({ diff }: { diff: PermissionDiff }) {
  const lines = linesOf(diff);
  if (lines.length === 0) return <p>{words.nothing}</p>;
  return (
    <>
      {diff.widens && diff.baseVersion !== null ? <p className="fault">{words.widens}</p> : null}
      <ul className="diff">
        {lines.map(({ how, what, value }) => (
          <li key={`${how} ${what} ${value}`} className={how}>
            <span aria-hidden="true">{SIGNS[how]}</span>
            <span>
              {what} <code>{value}</code>
              <span className="unseen"> ({words[how]})</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
