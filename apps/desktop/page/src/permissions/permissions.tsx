import type { Change, Footprint } from '@svc/contracts';
import { ALLOWED_TITLE, type ChangeText, changesOf, describeAllowed, fieldOf } from '@svc/permissions';
import { visible } from '@svc/text';
import { ended, Icon, type IconName } from '@svc/ui';
import { isolated } from '../parts/isolated.ts';
import { useListed } from './card-head.tsx';

/** Entries of one kind that are shown, and the number from which the rest is folded. Folding one or two would not help. */
const SHOWN = 5;
const FOLD_FROM = 8;

type SentencesProps = {
  sentences: readonly string[];
  /** Its name, or its slug. */
  publisher: string;
  /** Of an app of the store, which knows the name of the publisher. */
  appId?: string | undefined;
};

/** The publisher's own sentences about permissions, marked as theirs and apart from the texts of svc. */
export const Sentences = ({ appId, ...said }: SentencesProps) =>
  appId === undefined ? <Said {...said} /> : <SaidInStore appId={appId} {...said} />;

function SaidInStore({ appId, ...said }: SentencesProps & { appId: string }) {
  const { publisher } = said;
  return <Said {...said} publisher={useListed({ appId, publisher })?.publisher.name ?? publisher} />;
}

function Said({ sentences, publisher }: SentencesProps) {
  if (sentences.length === 0) return <p className="soft">The publisher describes no permissions.</p>;
  // By their number alone: a publisher must not choose by its words what is folded.
  const shown = sentences.length < FOLD_FROM ? sentences.length : SHOWN;
  return (
    <>
      <p className="soft">{`In the words of the publisher, ${ended(isolated(publisher))} svc does not check them.`}</p>
      <Words sentences={sentences.slice(0, shown)} />
      {shown === sentences.length ? null : (
        <details>
          <summary>{`and ${sentences.length - shown} more`}</summary>
          <Words sentences={sentences.slice(shown)} />
        </details>
      )}
    </>
  );
}

const Words = ({ sentences }: Pick<SentencesProps, 'sentences'>) => (
  <ul className="app-words">
    {sentences.map((sentence) => (
      <li key={sentence} dir="auto">
        {visible(sentence)}
      </li>
    ))}
  </ul>
);

/** The field of the manifest that entries of one kind come from. */
const fieldOfKind = ([text]: readonly ChangeText[]): string => (text && fieldOf(text.path)?.field) ?? '';

const entryText = ({ subject, after }: ChangeText): string =>
  [subject, after?.join(', ')].filter(Boolean).join(': ');

const Entries = ({ texts }: { texts: readonly ChangeText[] }) => (
  <ul className="bare">
    {texts.map((text) => (
      <li key={text.path}>
        <bdi>{visible(entryText(text))}</bdi>
      </li>
    ))}
  </ul>
);

/** What each kind is about, at a glance; other kinds are rules of svc. */
const ICONS: Readonly<Record<string, IconName>> = {
  '/remote/domains/*': 'globe',
  '/grants/*': 'file-text',
  '/accounts/*/scopes/*': 'key-round',
  '/accounts/*': 'user-round',
};

function Kind({ label, texts }: { label: string; texts: readonly ChangeText[] }) {
  const shown = texts.length < FOLD_FROM ? texts.length : SHOWN;
  return (
    <div>
      <dt>
        <Icon name={ICONS[fieldOfKind(texts)] ?? 'shield-check'} />
        {label}
      </dt>
      <dd>
        <Entries texts={texts.slice(0, shown)} />
        {shown === texts.length ? null : (
          <details>
            <summary>{`and ${texts.length - shown} more`}</summary>
            <Entries texts={texts.slice(shown)} />
          </details>
        )}
      </dd>
    </div>
  );
}

/** What svc allows, grouped by a label of svc. Each entry has one label. */
type AllowedKind = readonly [label: string, texts: readonly ChangeText[]];

export function kindsOf(changes: readonly Change[]): AllowedKind[] {
  return [...Map.groupBy(describeAllowed(changes), ({ label }) => label)];
}

export function Kinds({ kinds }: { kinds: readonly AllowedKind[] }) {
  if (kinds.length === 0) return null;
  return (
    <dl className="facts allowed">
      {kinds.map(([label, texts]) => (
        <Kind key={label} label={label} texts={texts} />
      ))}
    </dl>
  );
}

/** What svc allows an app, in the words of svc. */
export const Allowed = ({ changes }: { changes: readonly Change[] }) => <Kinds kinds={kindsOf(changes)} />;

/** Fields of the summary, most important first: where data goes, grants, accounts. */
const SUMMARY_FIELDS = ['/remote/domains/*', '/grants/*', '/accounts/*/scopes/*', '/accounts/*'];

const SUMMARY_LINES = 3;

const rankOf = ([, texts]: AllowedKind): number => {
  const at = SUMMARY_FIELDS.indexOf(fieldOfKind(texts));
  return at < 0 ? SUMMARY_FIELDS.length : at;
};

/** Where an account signs in, and where its tokens are issued. */
const SIGN_IN_FIELDS = ['/accounts/*/authorizeUrl', '/accounts/*/tokenUrl'];

const isSignIn = (path: string): boolean => SIGN_IN_FIELDS.includes(fieldOf(path)?.field ?? '');

/** Whether tokens of an account are issued at another host than that of its sign-in page. */
function hasTokensElsewhere(changes: readonly Change[]): boolean {
  const addresses = changes.filter(({ path, after }) => isSignIn(path) && typeof after === 'string');
  const byAccount = Map.groupBy(addresses, ({ path }) => path.slice(0, path.lastIndexOf('/')));
  return [...byAccount.values()].some(
    (both) => new Set(both.map(({ after }) => URL.parse(String(after))?.host)).size > 1,
  );
}

/** Splits the permissions into the most important kinds and the rest: three, and the addresses of sign-ins whose hosts differ. */
export function summaryOf(changes: readonly Change[]): { matters: AllowedKind[]; rest: AllowedKind[] } {
  const kinds = kindsOf(changes);
  const most = kinds.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, SUMMARY_LINES);
  const isShown = ([, [text]]: AllowedKind) => isSignIn(text?.path ?? '') && hasTokensElsewhere(changes);
  const matters = [...most, ...kinds.filter((kind) => !most.includes(kind) && isShown(kind))];
  return { matters, rest: kinds.filter((kind) => !matters.includes(kind)) };
}

/**
 * All permissions of an app: what svc allows, then the publisher's sentences.
 * @param heading level of the headings
 */
export function Permissions({
  footprint,
  heading: Title = 'h3',
  ...said
}: SentencesProps & {
  footprint: Footprint;
  heading?: 'h2' | 'h3';
}) {
  return (
    <>
      <Title>{ALLOWED_TITLE}</Title>
      <Allowed changes={changesOf(null, footprint)} />
      <Title>Permissions</Title>
      <Sentences {...said} />
    </>
  );
}
