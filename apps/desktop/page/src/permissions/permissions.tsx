import type { Change, Footprint } from '@svc/contracts';
import { type ChangeText, changesOf, describeChanges } from '@svc/permissions';
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

/** What svc lets an app do, in our words. */
export function Allowed({ changes }: { changes: readonly Change[] }) {
  const { widens, other } = describeChanges(changes);
  const kinds = Map.groupBy([...widens, ...other], ({ label }) => label);
  return (
    <dl className="allowed">
      {[...kinds].map(([label, texts]) => (
        <Kind key={label} label={label} texts={texts} />
      ))}
    </dl>
  );
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
