import { Button, Icon, type IconName, TabNav } from '@svc/ui';
import { useEffect, useState } from 'react';
import { hashOf, PAGE_TITLES, type PageName } from '../routes.ts';
import { useCounts } from './use-counts.ts';

type Entries = Readonly<Partial<Record<PageName, IconName>>>;

const MAIN: Entries = { chat: 'message-circle', apps: 'layout-grid', store: 'store', activity: 'activity' };
const ADVANCED: Entries = { tools: 'wrench', connectors: 'plug', agents: 'bot', dev: 'code-xml' };
const LAST: Entries = { settings: 'settings' };

/** The entry under which a page without one is found. */
const UNDER: Readonly<Partial<Record<PageName, PageName>>> = { updates: 'apps', panels: 'apps' };

/** Pages that the phone's bar always shows, in addition to "More". */
const ALWAYS: ReadonlySet<PageName> = new Set(['chat', 'apps', 'store', 'activity']);

function Links({ entries, current }: { entries: Entries; current: PageName }) {
  const counts = useCounts();
  const countOf = (page: PageName) => counts[page] ?? (page === 'apps' ? counts.updates : undefined);
  return (Object.entries(entries) as [PageName, IconName][]).map(([page, icon]) => {
    const count = countOf(page);
    return (
      <a
        key={page}
        href={hashOf(page)}
        className={ALWAYS.has(page) ? 'always' : ''}
        {...(page === current && { 'aria-current': 'page' as const })}
        {...(page === UNDER[current] && { 'aria-current': 'true' as const })}
      >
        <Icon name={icon} /> {PAGE_TITLES[page]}
        {count === undefined ? null : (
          <span className={`badge ${count.look}`}>
            {count.count}
            <span className="unseen"> {count.label}</span>
          </span>
        )}
      </a>
    );
  });
}

/** The navigation, with the current page marked and a badge for waiting items. On a phone it is an expandable bar. */
export function Menu({ current }: { current: PageName }) {
  const [isOpen, setOpen] = useState(false);
  const [isUnfolded, setUnfolded] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the bar collapses after navigation
  useEffect(() => setOpen(false), [current]);
  const hasAdvanced = isUnfolded || current in ADVANCED;
  const isInBar = ALWAYS.has(UNDER[current] ?? current);
  return (
    <nav className={isOpen ? 'side open' : 'side'} aria-label="Pages">
      <div>
        <Links entries={MAIN} current={current} />
      </div>
      <div>
        <Button
          label="Advanced"
          className="side-advanced"
          aria-expanded={hasAdvanced}
          onClick={() => setUnfolded(!hasAdvanced)}
        />
        <div className={hasAdvanced ? '' : 'folded'}>
          <Links entries={ADVANCED} current={current} />
        </div>
      </div>
      <div>
        <Links entries={LAST} current={current} />
      </div>
      <Button
        className={isInBar ? 'side-more' : 'side-more now'}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="menu" /> More
      </Button>
    </nav>
  );
}

/** Links between the pages about installed apps. */
export function AppTabs({ current }: { current: 'apps' | 'updates' | 'panels' }) {
  const tabs = (['apps', 'updates', 'panels'] as const).map((page) => ({
    path: hashOf(page),
    label: page === 'apps' ? 'Installed' : PAGE_TITLES[page],
  }));
  return <TabNav label="Apps" tabs={tabs} current={hashOf(current)} />;
}
