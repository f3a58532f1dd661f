import { visible } from '@svc/text';
import {
  Button,
  ButtonLink,
  ConfirmButton,
  durationText,
  EmptyState,
  ErrorMessage,
  Field,
  Loaded,
  Rows,
  Select,
  time,
  useDebounced,
  useMedia,
} from '@svc/ui';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { ActivityPage } from '../../../src/wire/calls.ts';
import type { ActivityEntry, ActivityFilter, AppView } from '../../../src/wire/views.ts';
import { AppIcon } from '../parts/icon.tsx';
import { Heading, Letter } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useApps } from '../shell/use-project.ts';
import { useDesktopClient, useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { type Day, daysOf, type ShownActivity, withNewest } from './activity-days.ts';

const askerText = (name: string) => (name === 'desktop' ? 'asked by you' : `asked by ${name}`);

const FILTERS = { app: 'App', kind: 'Kind', outcome: 'Outcome', asker: 'Asked by' };

const ALL = { app: 'All apps', kind: 'All kinds', outcome: 'All outcomes', asker: 'All callers' };

const KINDS = {
  tool: 'Tool calls',
  account: 'Accounts',
  install: 'Installations',
  server: 'Servers',
  yank: 'Yanks',
} satisfies Record<ActivityEntry['kind'], string>;

const OUTCOMES = {
  'under-way': 'running',
  interrupted: 'interrupted: its end is unknown',
  answered: 'done',
  installed: 'installed',
  updated: 'updated',
  failed: 'failed',
  ended: 'stopped',
  connected: 'connected',
  disconnected: 'disconnected',
  repaired: 'malformed answer of the server',
  dropped: 'disconnected by an update or removal',
  yanked: 'yanked by the store',
  restored: 'yank undone: on again',
  unyanked: 'yank undone: stays off',
} as Readonly<Record<string, string>>;

type Shown = ShownActivity & { key: string; page: ActivityPage | undefined };

const EMPTY: Shown = { key: '', page: undefined, entries: [], more: false };

/** The activity log: its newest page, kept up to date, and older pages on demand. */
function useActivity(filter: ActivityFilter) {
  const desktop = useDesktopClient();
  const key = JSON.stringify(filter);
  const newest = useDesktopQuery('activity.list', filter);
  const [stored, setStored] = useState<Shown>(EMPTY);
  const page = newest.data;
  let shown = stored.key === key ? stored : EMPTY;
  if (page !== undefined && shown.page !== page) {
    shown = { key, page, ...withNewest(shown, page) };
    setStored(shown);
  }
  const { mutate, isPending, error } = useMutation({
    mutationFn: (_asked: string) => {
      const before = shown.entries.at(-1)?.id;
      return desktop.request('activity.list', { ...filter, ...(before !== undefined && { before }) });
    },
    // The filter may have changed meanwhile.
    onSuccess: (next, asked) =>
      setStored((now) =>
        now.key === asked ? { ...now, entries: [...now.entries, ...next.entries], more: next.more } : now,
      ),
  });
  return { newest, ...shown, older: () => mutate(key), isPending, error };
}

type Apps = ReadonlyMap<string, AppView>;

const nameOf = (apps: Apps, appId: string): string => visible(apps.get(appId)?.manifest.name ?? appId);

const outcomeText = (outcome: string): string => OUTCOMES[outcome] ?? visible(outcome.replaceAll('-', ' '));

/** Outcomes shown as successful. */
const SUCCESSFUL = new Set(['answered', 'connected', 'installed', 'updated', 'restored', 'unyanked']);

/** The subject of an entry, by the name in the app's manifest. */
function subjectOf({ kind, name }: ActivityEntry, app: AppView | undefined): string {
  const named =
    kind === 'tool'
      ? app?.manifest.contributes.tools?.find(({ id }) => id === name)?.name
      : app?.manifest.accounts?.find(({ id }) => id === name)?.label;
  if (kind === 'server' || kind === 'yank') return visible(name);
  if (kind === 'install') return `Version ${visible(name)}`;
  const shown = visible(named ?? name);
  return kind === 'tool' ? shown : `Account ${shown}`;
}

/** The page on which a person repeats what was interrupted: there it asks again. Null for the call of an agent, which makes it. */
function retryOf({ kind, appId, name, asker, chat }: ActivityEntry): string | null {
  if (chat !== null) return hashOf('chat', chat);
  if (kind === 'account') return hashOf('apps', appId);
  if (kind === 'install') return hashOf('store', appId);
  return asker === 'desktop' ? hashOf('tools', appId, name) : null;
}

/** What a person can do about an entry that was interrupted. */
function Retry({ entry, called }: { entry: ActivityEntry; called: string }) {
  const { asker } = entry;
  const href = retryOf(entry);
  if (href !== null)
    return <ButtonLink label="Retry" aria-label={`Retry ${called}`} className="small" href={href} />;
  return asker === null ? null : <p className="soft">Ask {visible(asker)} to make this call again.</p>;
}

/** How long it worked, as in the conversation, and how long it waited for the user. */
function spanOf({ ms, waitedMs = 0 }: ActivityEntry): string | null {
  if (ms === null) return null;
  const worked = durationText(Math.max(0, ms - waitedMs));
  return waitedMs > 0 ? `${worked}, and waited ${durationText(waitedMs)} for you` : worked;
}

type EntryProps = { entry: ActivityEntry; app: AppView | undefined; only(chat: string): void };

function Entry({ entry, app, only }: EntryProps) {
  const { at, appId, kind, asker, chat, outcome, detail } = entry;
  const name = app?.manifest.name ?? appId;
  const facts = [asker === null ? null : askerText(visible(asker)), spanOf(entry)];
  return (
    <li className="activity-entry">
      {app ? <AppIcon appId={appId} version={app.version} name={name} /> : <Letter name={name} />}
      <div>
        {app ? <a href={hashOf('apps', appId)}>{visible(name)}</a> : visible(name)}{' '}
        <strong>{subjectOf(entry, app)}</strong>{' '}
        <span className={SUCCESSFUL.has(outcome) ? 'badge good' : 'badge mild'}>{outcomeText(outcome)}</span>
        <p className="soft">
          {kind === 'tool' ? 'began ' : ''}
          <time dateTime={at}>{time(at)}</time>
          {facts.map((fact) => (fact === null ? '' : `; ${fact}`))}
          {chat === null ? null : (
            <>
              ; <a href={hashOf('chat', chat)}>its conversation</a>,{' '}
              <button type="button" className="link" onClick={() => only(chat)}>
                only this one
              </button>
            </>
          )}
        </p>
        {outcome === 'interrupted' ? <Retry entry={entry} called={subjectOf(entry, app)} /> : null}
        {detail === '' ? null : (
          <details>
            <summary>Details</summary>
            <pre className="plain">{visible(detail)}</pre>
          </details>
        )}
      </div>
    </li>
  );
}

function DayEntries({
  day: { label, entries },
  apps,
  only,
}: { day: Day; apps: Apps } & Pick<EntryProps, 'only'>) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="activity-day">
        {label}
      </h2>
      <Rows of={entries}>
        {(entry) => <Entry key={entry.id} entry={entry} app={apps.get(entry.appId)} only={only} />}
      </Rows>
    </section>
  );
}

/** The date of a time on this computer, as a field for dates has it. */
function dateOf(time: string): string {
  const day = new Date(time);
  const [month, date] = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${day.getFullYear()}-${month}-${date}`;
}

/** The beginning of a day of this computer, or of the one after it; null for an empty field. */
function startOf(date: string, later: 0 | 1): string | null {
  const [year = Number.NaN, month = 1, day = 1] = date.split('-').map(Number);
  return Number.isNaN(year) || date === '' ? null : new Date(year, month - 1, day + later).toISOString();
}

type FilterName = keyof typeof FILTERS;

function Filter({
  name,
  value,
  options,
  choose,
}: {
  name: FilterName;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  choose(value: string): void;
}) {
  return <Select label={FILTERS[name]} of={[['', ALL[name]], ...options]} value={value} choose={choose} />;
}

type FiltersProps = {
  page: ActivityPage;
  apps: Apps;
  filter: ActivityFilter;
  change(filter: ActivityFilter): void;
};

function Filters({ page, apps, filter, change }: FiltersProps) {
  const { appId = '', kind = '', outcome = '', asker = '', from, to, chat } = filter;
  const chosen = [appId, kind, outcome, asker].filter((value) => value !== '').length;
  const isWide = useMedia('(min-width: 48rem)');
  /** Changes one value of the filter. An empty value removes it. */
  const choose = (name: keyof ActivityFilter) => (value: string) => {
    const { [name]: _before, ...rest } = filter;
    change(value === '' ? rest : { ...rest, [name]: value });
  };
  const rest = (
    <>
      <Filter
        name="app"
        value={appId}
        options={page.apps.map((id) => [id, nameOf(apps, id)])}
        choose={choose('appId')}
      />
      <Filter name="kind" value={kind} options={Object.entries(KINDS)} choose={choose('kind')} />
      <Filter
        name="outcome"
        value={outcome}
        options={page.outcomes.map((id) => [id, outcomeText(id)])}
        choose={choose('outcome')}
      />
      <Filter
        name="asker"
        value={asker}
        options={page.askers.map((name) => [name, name === 'desktop' ? 'This page' : visible(name)])}
        choose={choose('asker')}
      />
    </>
  );
  return (
    <div className="filters">
      <Field
        label="From"
        type="date"
        value={from === undefined ? '' : dateOf(from)}
        onChange={({ target }: { target: HTMLInputElement }) =>
          choose('from')(startOf(target.value, 0) ?? '')
        }
      />
      <Field
        label="To"
        type="date"
        // The filter ends where the next day begins.
        value={to === undefined ? '' : dateOf(new Date(Date.parse(to) - 1).toISOString())}
        onChange={({ target }: { target: HTMLInputElement }) => choose('to')(startOf(target.value, 1) ?? '')}
      />
      {isWide ? (
        rest
      ) : (
        <details className="more-filters rare-filters" open={chosen > 0}>
          <summary>{chosen === 0 ? 'More filters' : `More filters: ${chosen}`}</summary>
          <div className="filters">{rest}</div>
        </details>
      )}
      {chat === undefined ? null : <Button label="All conversations" onClick={() => choose('chat')('')} />}
    </div>
  );
}

/** Time without typing after which the log is searched, in milliseconds. */
const DEBOUNCE_MS = 200;

/** What apps and agents did on this computer, by day, newest first. The user can clear it. */
export function Activity() {
  const listed = useApps() ?? [];
  const apps: Apps = new Map(listed.map((app) => [app.appId, app]));
  const [chosen, setFilter] = useState<ActivityFilter>({});
  const [written, write] = useState('');
  const text = useDebounced(written.trim(), DEBOUNCE_MS);
  const filter = text === '' ? chosen : { ...chosen, text };
  const { newest, entries, more, older, isPending, error } = useActivity(filter);
  const clear = useDesktopMutation('activity.clear');
  const { appId } = filter;
  const isFiltered = Object.keys(filter).length > 0;
  const showAll = () => {
    write('');
    setFilter({});
  };
  const clearShown = () => clear.mutate(appId === undefined ? {} : { appId }, { onSuccess: showAll });
  return (
    <>
      <Heading>Activity</Heading>
      <p className="soft">
        What apps did for you and for agents in the last 90 days. Call details are kept until svc desktop
        quits, with tokens masked.
      </p>
      <search className="cluster find">
        <input
          type="search"
          aria-label="Search activity"
          placeholder="App, tool, account or agent"
          value={written}
          maxLength={200}
          onChange={({ target }) => write(target.value)}
        />
      </search>
      <Loaded query={newest}>
        {(page) => (
          <>
            {page.apps.length === 0 && !isFiltered ? null : (
              <Filters page={page} apps={apps} filter={chosen} change={setFilter} />
            )}
            {entries.length > 0 ? null : isFiltered ? (
              <p>
                No activity matches these filters. <Button label="Clear filters" onClick={showAll} />
              </p>
            ) : (
              <EmptyState icon="activity" title="No activity yet">
                <p>What apps and agents do is listed here.</p>
              </EmptyState>
            )}
          </>
        )}
      </Loaded>
      {daysOf(entries, new Date()).map((day) => (
        <DayEntries
          key={day.label}
          day={day}
          apps={apps}
          only={(chat) => setFilter((now) => ({ ...now, chat }))}
        />
      ))}
      <div className="buttons">
        {more ? <Button label="Show older" disabled={isPending} onClick={older} /> : null}
        {entries.length === 0 ? null : (
          <ConfirmButton
            key={appId ?? ''}
            label={appId === undefined ? 'Clear all activity' : `Clear activity of ${nameOf(apps, appId)}`}
            sure={
              appId === undefined
                ? 'Clear all activity? This cannot be undone.'
                : `Clear all activity of ${nameOf(apps, appId)}? This cannot be undone.`
            }
            act={clearShown}
          />
        )}
      </div>
      <ErrorMessage error={error ?? clear.error} />
    </>
  );
}
