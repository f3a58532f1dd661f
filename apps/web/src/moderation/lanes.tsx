import type { Change, QueueEntry, ServerDrift } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { CHANGE_SIGNS, describeChanges, SIGN_WORDS } from '@svc/permissions';
import { visible } from '@svc/text';
import { EmptyState, Loaded, When } from '@svc/ui';
import { type ReactNode, useState } from 'react';
import { send } from '../account/api.ts';
import { useRead, useSignedIn } from '../account/use-store.ts';
import { ChangeItem, ModelText } from '../changes/change-list.tsx';
import { TakeDown } from '../dashboard/yank.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { KeysHelp, useKeys } from './keys.tsx';
import { type Draft, NoteField, ReasonField } from './review/verdict-fields.tsx';
import { decideAll, Results } from './selection.tsx';
import { iconOf, pathOf } from './version-path.ts';
import { NOTE_TO_PUBLISHER, REJECT_HINT, span, versionsText } from './words.ts';

const LANES = [
  ['j', 'next change'],
  ['k', 'previous change'],
  ['a', 'approve the change'],
  ['A', 'approve all equal changes of its publisher'],
  ['x', 'reject the update, with a reason'],
  ['r', 'reload the list'],
] as const;

type Outcome = Awaited<ReturnType<typeof decideAll>>[number];

/** A decision about words alone. */
type Item = {
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
  accept(items: readonly Item[]): Promise<Outcome[]>;
  /** Rejects items with a reason; without it the lane cannot reject. */
  reject?: (items: readonly Item[], json: { note?: string; reason?: string }) => Promise<Outcome[]>;
  reload(): unknown;
};

type Asked = { items: readonly Item[] } | null;

const EMPTY: Draft = { note: '', reason: '' };

function RejectDialog({
  items,
  isBusy,
  send: reject,
  leave,
}: {
  items: readonly Item[];
  isBusy: boolean;
  send(json: { note?: string; reason?: string }): void;
  leave(): void;
}) {
  const [draft, setDraft] = useState(EMPTY);
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const note = draft.note.trim();
  return (
    <ConfirmDialog
      title={`Reject ${versionsText(items.length)} of ${items[0]?.publisher ?? ''}?`}
      hint={REJECT_HINT}
      confirm="Reject"
      tone="bad"
      canConfirm={note !== '' || draft.reason !== ''}
      busy={isBusy}
      error={null}
      act={() =>
        reject({ ...(note !== '' && { note }), ...(draft.reason !== '' && { reason: draft.reason }) })
      }
      leave={leave}
    >
      <ReasonField draft={draft} change={change} />
      <NoteField label={NOTE_TO_PUBLISHER} value={draft.note} change={(note) => change({ note })} />
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
      <div className="seen-opening">
        <img className="app-icon" src={iconOf(item)} alt="" width={36} height={36} loading="lazy" />
        <div>
          <h2 ref={(heading) => void (isActive && heading?.scrollIntoView({ block: 'nearest' }))}>
            <a href={pathOf(item)}>
              <bdi>{visible(name)}</bdi> {visible(version)}
            </a>
          </h2>
          <p className="soft">
            <code>{visible(appId)}</code> {visible(publisher)},{' '}
            {`waiting for ${span(Date.now() - Date.parse(since))}`}, <When at={since} />
          </p>
        </div>
      </div>
      {words}
      <div className="buttons">
        <button type="button" className="main" disabled={isBusy} onClick={buttons.accept}>
          Approve
          <span className="key"> (a)</span>
        </button>
        {equal > 1 ? (
          <button type="button" disabled={isBusy} onClick={buttons.acceptAll}>
            {`Approve all ${equal} equal changes of ${publisher}`}
            <span className="key"> (A)</span>
          </button>
        ) : null}
        {buttons.reject ? (
          <button type="button" className="bad" disabled={isBusy} onClick={buttons.reject}>
            Reject
            <span className="key"> (x)</span>
          </button>
        ) : null}
        {refuse}
      </div>
    </li>
  );
}

/** A queue of decisions about words alone, each taken with one key. */
function Lane({ title, lead, none, items, accept, reject, reload }: LaneProps) {
  const [active, setActive] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [asked, setAsked] = useState<Asked>(null);
  const [results, setResults] = useState<readonly Outcome[]>([]);
  const at = Math.max(0, Math.min(active, items.length - 1));
  const equals = (item: Item) => items.filter(({ group }) => group === item.group);
  const run = async (act: () => Promise<Outcome[]>) => {
    if (isBusy) return;
    setBusy(true);
    setResults(await act());
    await reload();
    setAsked(null);
    setBusy(false);
  };
  const buttonsOf = (item: Item) => ({
    accept: () => void run(() => accept([item])),
    acceptAll: () => void run(() => accept(equals(item))),
    ...(reject && { reject: () => setAsked({ items: [item] }) }),
  });
  const current = items[at];
  const buttons = current && buttonsOf(current);
  useKeys({
    j: () => setActive(Math.min(at + 1, items.length - 1)),
    k: () => setActive(Math.max(at - 1, 0)),
    r: () => void reload(),
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
          <KeysHelp keys={LANES} />
        </span>
      </div>
      <p className="soft">{lead}</p>
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
            choose={() => setActive(index)}
          />
        ))}
      </ol>
      {asked && reject ? (
        <RejectDialog
          items={asked.items}
          isBusy={isBusy}
          send={(json) => void run(() => reject(asked.items, json))}
          leave={() => setAsked(null)}
        />
      ) : null}
    </>
  );
}

const groupOf = (publisher: string, changes: readonly Pick<Change, 'path' | 'before' | 'after'>[]): string =>
  JSON.stringify([publisher, ...changes.map(({ path, before, after }) => [path, before, after])]);

function itemOfUpdate(entry: QueueEntry): Item {
  const { appId, version, name, publisher, submittedAt, permissionDiff } = entry;
  const { instructions, other } = describeChanges(permissionDiff.changes);
  return {
    ...{ appId, version, name, publisher, since: submittedAt },
    group: groupOf(publisher, permissionDiff.changes),
    words: (
      <>
        {permissionDiff.baseVersion === null ? null : (
          <p className="soft">{`Compared with ${visible(permissionDiff.baseVersion)}.`}</p>
        )}
        <ul className="changes instructions">
          {instructions.map((text) => (
            <ChangeItem key={text.path} text={text} tone="instructions" />
          ))}
          {other.map((text) => (
            <ChangeItem key={text.path} text={text} tone="other" />
          ))}
        </ul>
      </>
    ),
  };
}

/** Updates that wait only because words that agents read change: old and new side by side, decided with one key. */
export function Instructions() {
  const { csrf } = useSignedIn();
  const query = useRead(
    apiRequest('GET /api/moderation/queue', {
      query: { reason: 'flagged:tools.changed', soleReason: true, superseded: false },
    }),
  );
  return (
    <Loaded query={query}>
      {({ entries }) => (
        <Lane
          title="Instructions"
          lead="Updates that change only words that agents read: names and descriptions of tools. Marked phrases give orders to the model."
          none="No changed instructions waiting"
          items={entries.map(itemOfUpdate)}
          accept={(items) => decideAll(csrf, items, 'approve', {})}
          reject={(items, json) => decideAll(csrf, items, 'reject', json)}
          reload={query.refetch}
        />
      )}
    </Loaded>
  );
}

/** A value of a server as text: one line for a text, JSON for anything else. */
const shown = (value: unknown): string =>
  value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value, null, 1);

function Differences({ drift }: Pick<ServerDrift, 'drift'>) {
  return (
    <ul className="changes">
      {drift.map(({ tool, path, kind, before, after, widens }) => (
        <li key={`${tool} ${path}`} className={`change ${widens ? 'widens' : 'other'} ${kind}`}>
          <span className="sign" aria-hidden="true">
            {CHANGE_SIGNS[kind]}
          </span>
          <span className="word">{SIGN_WORDS[kind]}</span>
          <div className="told">
            <code className="subject">{visible(tool)}</code> <code>{visible(path)}</code>
            <dl className="sides">
              {([before, after] as const).map((value, index) => (
                <div key={String(index)} className={index === 0 ? 'before' : 'after'}>
                  <dt>{index === 0 ? 'Reviewed' : 'Now'}</dt>
                  <dd className="value">
                    <ModelText text={shown(value)} />
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        </li>
      ))}
    </ul>
  );
}

const itemOfDrift = ({ drift, reasons: _reasons, ...entry }: ServerDrift): Item & { checkedAt: string } => ({
  ...entry,
  group: JSON.stringify([entry.publisher, drift]),
  words: (
    <>
      {entry.suspended ? <p className="callout">The app is suspended until a moderator decides.</p> : null}
      <Differences drift={drift} />
    </>
  ),
  refuse: <TakeDown own={{ slug: entry.publisher, appId: entry.appId }} version={entry.version} />,
});

/** Servers that list other tools than those that were reviewed. */
export function Servers() {
  const { csrf } = useSignedIn();
  const query = useRead(apiRequest('GET /api/moderation/drift'));
  return (
    <Loaded query={query}>
      {({ entries }) => {
        const checkedAt = new Map(entries.map((entry) => [entry.appId, entry.checkedAt]));
        const accept = async (items: readonly Item[]) => {
          const results: Outcome[] = [];
          for (const { appId, version, name } of items) {
            const json = { checkedAt: checkedAt.get(appId) ?? '' };
            const request = apiRequest('POST /api/moderation/apps/:appId/drift/accept', {
              params: { appId },
              json,
            });
            const outcome = await send(csrf, request).then(
              () => ({ message: 'Accepted: this is the record now.', isRefused: false }),
              (error: Error) => ({ message: error.message, isRefused: true }),
            );
            results.push({ appId, version, name, ...outcome });
          }
          return results;
        };
        return (
          <Lane
            title="Servers"
            lead="Servers that now list other tools than those that were reviewed. Clients keep using what was reviewed until you accept. To refuse, yank the version."
            none="No changed servers"
            items={entries.map(itemOfDrift)}
            accept={accept}
            reload={query.refetch}
          />
        );
      }}
    </Loaded>
  );
}
