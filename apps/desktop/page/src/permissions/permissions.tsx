import type { Change, Footprint } from '@svc/contracts';
import { type ChangeText, changesOf, describeChanges, fieldOf } from '@svc/permissions';
import { isolated } from '../parts/isolated.ts';
import { visible } from '../parts/visible.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.permissions;

/** Entries of one kind that are shown at once, and from how many on the rest is folded: not for one or two. */
const SHOWN = 5;
const FOLD_FROM = 8;

/** What the app may do, in the words of its publisher: they are shown apart from ours, and marked as theirs. */
export function Sentences({ sentences, publisher }: { sentences: readonly string[]; publisher: string }) {
  if (sentences.length === 0) return <p className="soft">{MESSAGES.noSentences}</p>;
  return (
    <>
      <p className="soft">{MESSAGES.inWordsOf(isolated(publisher))}</p>
      <ul className="app-words">
        {sentences.map((sentence) => (
          <li key={sentence} dir="auto">
            {visible(sentence)}
          </li>
        ))}
      </ul>
    </>
  );
}

const wordsOf = ({ subject, after }: ChangeText): string =>
  [subject, after?.join(', ')].filter(Boolean).join(': ');

const Entries = ({ texts }: { texts: readonly ChangeText[] }) => (
  <ul>
    {texts.map((text) => (
      <li key={text.path}>
        <bdi>{visible(wordsOf(text))}</bdi>
      </li>
    ))}
  </ul>
);

function Kind({ label, texts }: { label: string; texts: readonly ChangeText[] }) {
  const shown = texts.length < FOLD_FROM ? texts.length : SHOWN;
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Entries texts={texts.slice(0, shown)} />
        {shown === texts.length ? null : (
          <details>
            <summary>{MESSAGES.more(texts.length - shown)}</summary>
            <Entries texts={texts.slice(shown)} />
          </details>
        )}
      </dd>
    </div>
  );
}

/** What svc allows, by its label: the label is ours, and each entry stands under one label alone. */
type AllowedKind = readonly [label: string, texts: readonly ChangeText[]];

export function kindsOf(changes: readonly Change[]): AllowedKind[] {
  const { widens, other } = describeChanges(changes);
  return [...Map.groupBy([...widens, ...other], ({ label }) => label)];
}

export function Kinds({ kinds }: { kinds: readonly AllowedKind[] }) {
  if (kinds.length === 0) return null;
  return (
    <dl className="allowed">
      {kinds.map(([label, texts]) => (
        <Kind key={label} label={label} texts={texts} />
      ))}
    </dl>
  );
}

/** What svc lets an app do, in our words. */
export const Allowed = ({ changes }: { changes: readonly Change[] }) => <Kinds kinds={kindsOf(changes)} />;

/** What matters before all else: where data goes, what the app may do, and with which accounts. */
const MATTERS = ['/remote/domains/*', '/grants/*', '/accounts/*/scopes/*', '/accounts/*'];

const SUMMARY_LINES = 3;

const weightOf = ([, [text]]: AllowedKind): number => {
  const at = MATTERS.indexOf((text && fieldOf(text.path)?.field) ?? '');
  return at < 0 ? MATTERS.length : at;
};

/** The three lines that matter, and the rest. No entry is in both, and none is lost. */
export function summaryOf(changes: readonly Change[]): { matters: AllowedKind[]; rest: AllowedKind[] } {
  const kinds = kindsOf(changes);
  const matters = kinds.toSorted((a, b) => weightOf(a) - weightOf(b)).slice(0, SUMMARY_LINES);
  return { matters, rest: kinds.filter((kind) => !matters.includes(kind)) };
}

/**
 * Everything that an app may do: what its publisher says of it, and then what svc lets it do.
 * @param heading level of the headings, by where they are shown
 */
export function Permissions({
  sentences,
  publisher,
  footprint,
  heading: Title = 'h3',
}: {
  sentences: readonly string[];
  publisher: string;
  footprint: Footprint;
  heading?: 'h2' | 'h3';
}) {
  return (
    <>
      <Title>{MESSAGES.title}</Title>
      <Sentences sentences={sentences} publisher={publisher} />
      <Title>{MESSAGES.allowed}</Title>
      <Allowed changes={changesOf(null, footprint)} />
    </>
  );
}
