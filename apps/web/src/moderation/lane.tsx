import { visible } from '@svc/text';
import { count, spanText } from '@svc/text/quantity';
import { Button, EmptyState, ErrorMessage, ReloadButton, useReload, When } from '@svc/ui';
import { type ReactNode, useState } from 'react';
import { Named } from '../account/parts.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { KeysHelp, useKeys, useMark, useTarget } from './keys.tsx';
import { type Given, givenFor, missingFor, ReasonFields, useVerdictDraft } from './review/verdict-fields.tsx';
import { type Result, Results } from './selection.tsx';
import { iconOf, pathOf } from './version-path.ts';
import { REJECT_HINT } from './words.ts';

const LANES = [
  ['j', 'next change'],
  ['k', 'previous change'],
  ['a', 'approve the change'],
  ['A', 'approve all equal changes of its publisher'],
  ['x', 'reject the update, with a reason'],
  ['r', 'reload the list'],
] as const;

/** A decision about words alone. */
export type Item = {
  appId: string;
  version: string;
  name: string;
  publisher: string;
  since: string;
  /** The same for equal changes of one publisher, which are decided at once. */
  group: string;
  words: ReactNode;
  /** Other ways to decide than to accept. */
  refuse?: ReactNode;
};

type LaneProps = {
  title: string;
  lead: string;
  none: string;
  items: readonly Item[];
  accept(items: readonly Item[]): Promise<Result[]>;
  /** Rejects an item with a reason; without it the lane cannot reject. */
  reject?: (item: Item, json: Given) => Promise<Result[]>;
  query: Parameters<typeof useReload>[0];
};

function RejectDialog({
  item,
  isBusy,
  send: reject,
  leave,
}: {
  item: Item;
  isBusy: boolean;
  send(json: Given): void;
  leave(): void;
}) {
  const { draft, change } = useVerdictDraft();
  return (
    <ConfirmDialog
      title={`Reject ${count(1, 'version')} of ${item.publisher}?`}
      hint={REJECT_HINT}
      confirm="Reject"
      tone="bad"
      missing={missingFor('reject', draft)}
      busy={isBusy}
      error={null}
      act={() => reject(givenFor('reject', draft))}
      leave={leave}
    >
      <ReasonFields draft={draft} change={change} />
    </ConfirmDialog>
  );
}

type EntryProps = {
  item: Item;
  equal: number;
  isActive: boolean;
  isBusy: boolean;
  buttons: { accept(): void; acceptAll(): void; reject?: () => void };
  choose(): void;
};

function Entry({ item, equal, isActive, isBusy, buttons, choose }: EntryProps) {
  const { appId, version, name, publisher, since, words, refuse } = item;
  return (
    <li className="card lane" aria-current={isActive ? 'true' : undefined} onFocus={choose}>
      <Named
        picture={<img className="app-icon" src={iconOf(item)} alt="" width={44} height={44} loading="lazy" />}
      >
        <h2 ref={(heading) => void (isActive && heading?.scrollIntoView({ block: 'nearest' }))}>
          <a href={pathOf(item)}>
            <bdi>{visible(name)}</bdi> {visible(version)}
          </a>
        </h2>
        <p className="soft">
          <code>{visible(appId)}</code> {visible(publisher)},{' '}
          {`waiting for ${spanText(Date.now() - Date.parse(since))}`}, <When at={since} />
        </p>
      </Named>
      {words}
      <div className="buttons">
        <Button className="main" disabled={isBusy} onClick={buttons.accept}>
          Approve
          <span className="key"> (a)</span>
        </Button>
        {equal > 1 ? (
          <Button disabled={isBusy} onClick={buttons.acceptAll}>
            {`Approve all ${equal} equal changes of ${publisher}`}
            <span className="key"> (A)</span>
          </Button>
        ) : null}
        {buttons.reject ? (
          <Button className="bad" disabled={isBusy} onClick={buttons.reject}>
            Reject
            <span className="key"> (x)</span>
          </Button>
        ) : null}
        {refuse}
      </div>
    </li>
  );
}

/** A queue of decisions about words alone, each taken with one key. */
export function Lane({ title, lead, none, items, accept, reject, query }: LaneProps) {
  const [isBusy, setBusy] = useState(false);
  const [asked, setAsked] = useState<Item | null>(null);
  const [results, setResults] = useState<readonly Result[]>([]);
  const reload = useReload(query);
  const { at, set, go } = useMark(items.length);
  useTarget(
    items.map(({ appId }) => appId),
    go,
  );
  const equals = (item: Item) => items.filter(({ group }) => group === item.group);
  const run = async (act: () => Promise<Result[]>) => {
    if (isBusy) return;
    setBusy(true);
    setResults(await act());
    await query.refetch();
    setAsked(null);
    setBusy(false);
  };
  const buttonsOf = (item: Item) => ({
    accept: () => void run(() => accept([item])),
    acceptAll: () => void run(() => accept(equals(item))),
    ...(reject && { reject: () => setAsked(item) }),
  });
  const current = items[at];
  const buttons = current && buttonsOf(current);
  useKeys({
    j: () => go(at + 1),
    k: () => go(at - 1),
    r: reload.reload,
    ...(buttons && { a: buttons.accept, A: buttons.acceptAll }),
    ...(buttons?.reject && { x: buttons.reject }),
  });
  return (
    <>
      <div className="cluster head">
        <h1>{title}</h1>
        <p role="status" className="soft">
          {items.length === 1 ? '1 waiting' : `${items.length} waiting`}
        </p>
        <span className="buttons">
          <ReloadButton {...reload} />
          <KeysHelp keys={LANES} />
        </span>
      </div>
      <p className="soft">{lead}</p>
      <ErrorMessage error={query.error} />
      {results.length > 0 ? <Results results={results} /> : null}
      {items.length === 0 ? <EmptyState icon="inbox" title={none} /> : null}
      <ol className="lane-list">
        {items.map((item, index) => (
          <Entry
            key={pathOf(item)}
            item={item}
            equal={equals(item).length}
            isActive={index === at}
            isBusy={isBusy}
            buttons={buttonsOf(item)}
            choose={() => set(index)}
          />
        ))}
      </ol>
      {asked && reject ? (
        <RejectDialog
          item={asked}
          isBusy={isBusy}
          send={(json) => void run(() => reject(asked, json))}
          leave={() => setAsked(null)}
        />
      ) : null}
    </>
  );
}
