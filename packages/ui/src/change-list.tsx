import type { Change } from '@svc/contracts';
import {
  CHANGE_GROUPS,
  CHANGE_SIGNS,
  type ChangeGroups,
  type ChangeText,
  describeChanges,
  GROUP_TITLES,
  NO_VALUE,
  SIDE_TITLES,
  SIGN_WORDS,
} from '@svc/permissions';
import { modelSpeech, visible } from '@svc/text';
import type { ReactNode } from 'react';
import { count } from './text.ts';

/** The text of a tool; phrases that give orders to a model are marked. */
export const ModelText = ({ text }: { text: string }) => {
  let at = 0;
  return modelSpeech(text).map((part) => {
    const key = at;
    at += part.text.length;
    if (!part.speaks) return <bdi key={key}>{visible(part.text)}</bdi>;
    return (
      <mark key={key} className="speaks" title="This phrase gives orders to the model.">
        {visible(part.text)}
      </mark>
    );
  });
};

/** What a change means for users who agreed to the older version; `same` marks unchanged entries. */
export type Tone = keyof ChangeGroups | 'same';

export type Side = 'before' | 'after';

/** Renders the picture that a change is about; null when it is not available. Its hash is in the change. */
export type ShowPicture = (side: Side, picture: 'icon' | 'mark') => ReactNode;

const SAME = { sign: '=', word: 'same' } as const;

/** Texts of tools: models read them. */
const isOfTool = ({ path }: ChangeText): boolean => path.startsWith('/contributes/tools/');

const Lines = ({ lines, text }: { lines: readonly string[]; text: ChangeText }) => (
  <>
    {lines.length === 0 ? <span className="soft">{NO_VALUE}</span> : null}
    {lines.map((line) => (
      <bdi key={line} className="value">
        {isOfTool(text) ? <ModelText text={line} /> : visible(line)}
      </bdi>
    ))}
  </>
);

type SideProps = { side: Side; text: ChangeText; picture: ShowPicture | undefined };

/** The old or new value; with the picture when the value is the hash of an available one. */
function SideValue({ side, text, picture }: SideProps) {
  const lines = text[side];
  if (lines === null) return null;
  const shown = text.picture === null ? null : (picture?.(side, text.picture) ?? null);
  return (
    <div className={side}>
      <dt>{SIDE_TITLES[side]}</dt>
      <dd>
        {shown}
        <Lines lines={lines} text={text} />
      </dd>
    </div>
  );
}

/** The old and the new value side by side; one value when there is only one. */
function Values({ text, picture }: Omit<SideProps, 'side'>) {
  const { before, after } = text;
  if (before === null && after === null) return null;
  if (before === null || after === null) {
    return (
      <div className="sides">
        <div>
          <Lines lines={before ?? after ?? []} text={text} />
        </div>
      </div>
    );
  }
  return (
    <dl className="sides">
      <SideValue side="before" text={text} picture={picture} />
      <SideValue side="after" text={text} picture={picture} />
    </dl>
  );
}

/** One change, marked by sign, word and colour, with its old and new value. */
export function ChangeItem({
  text,
  tone,
  picture,
}: {
  text: ChangeText;
  tone: Tone;
  picture?: ShowPicture | undefined;
}) {
  const [sign, word] =
    tone === 'same' ? [SAME.sign, SAME.word] : [CHANGE_SIGNS[text.sign], SIGN_WORDS[text.sign]];
  return (
    <li className={`change ${tone} ${text.sign}`}>
      <span className="sign" aria-hidden="true">
        {sign}
      </span>
      <span className="word">{word}</span>
      <div className="told">
        <span className="label">{text.label}</span>{' '}
        {text.subject === '' ? null : (
          <code className="subject">
            <bdi>{visible(text.subject)}</bdi>
          </code>
        )}
        <Values text={text} picture={picture} />
      </div>
    </li>
  );
}

type GroupProps = {
  texts: readonly ChangeText[];
  tone: Tone;
  picture: ShowPicture | undefined;
};

const Items = ({ texts, tone, picture }: GroupProps) =>
  texts.map((text) => <ChangeItem key={text.path} text={text} tone={tone} picture={picture} />);

/** The list of a group; folded when it has many changes that add no permissions. */
function Group({ texts, tone, picture, foldFrom }: GroupProps & { foldFrom: number }) {
  const items = (
    <ul className="bare">
      <Items texts={texts} tone={tone} picture={picture} />
    </ul>
  );
  if (tone !== 'other' || texts.length < foldFrom) return items;
  return (
    <details>
      <summary>{count(texts.length, 'change')}</summary>
      {items}
    </details>
  );
}

/**
 * The changes of an update in groups: new permissions first, then how the app presents itself, then what agents read of its tools, then the
 * rest. Users consent by this list, and publishers and moderators read the same one.
 * @param heading level of the group headings
 * @param foldFrom from this number on, changes that add no permissions are folded
 */
export function ChangeList({
  changes,
  heading: Heading,
  picture,
  foldFrom = Number.POSITIVE_INFINITY,
}: {
  changes: readonly Change[];
  heading: 'h3' | 'h4';
  picture?: ShowPicture;
  foldFrom?: number;
}) {
  const groups = describeChanges(changes);
  return CHANGE_GROUPS.filter((group) => groups[group].length > 0).map((group) => (
    <section key={group} className={`changes ${group}`}>
      <Heading>
        {GROUP_TITLES[group]} ({groups[group].length})
      </Heading>
      <Group texts={groups[group]} tone={group} picture={picture} foldFrom={foldFrom} />
    </section>
  ));
}

/** Drops the old value. */
const withoutBefore = (text: ChangeText): ChangeText => ({ ...text, before: null });

/**
 * The permissions of a first version, without groups: all of them are new.
 * @param tone of those that users agree to: its publisher reads what the app asks for, and no warning
 */
export function FirstList({
  changes,
  tone = 'widens',
}: {
  changes: readonly Change[];
  tone?: 'widens' | 'other';
}) {
  const groups = describeChanges(changes);
  const widens = groups.widens.map(withoutBefore);
  const other = [...groups.instructions, ...groups.other].map(withoutBefore);
  return (
    <ul className="changes">
      <Items texts={widens} tone={tone} picture={undefined} />
      <Items texts={other} tone="other" picture={undefined} />
    </ul>
  );
}
