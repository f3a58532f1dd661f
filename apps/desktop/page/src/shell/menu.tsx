import { Icon, type IconName } from '@svc/ui';
import { useEffect, useState } from 'react';
import { hashOf, type PageName } from '../routes.ts';
import { WORDS } from '../words.ts';
import { useCounts } from './use-counts.ts';

/** The pages in the groups of the menu, with their icons. */
const GROUPS: readonly Readonly<Partial<Record<PageName, IconName>>>[] = [
  { chat: 'message-circle' },
  { store: 'store', apps: 'layout-grid', updates: 'refresh-cw' },
  { tools: 'wrench', panels: 'panel-right', connectors: 'plug' },
  { activity: 'activity', agents: 'bot', dev: 'code-xml' },
  { settings: 'settings' },
];

/** Pages that the phone's bar always shows, in addition to "More". */
const ALWAYS: ReadonlySet<PageName> = new Set(['chat', 'store', 'apps', 'activity']);

/** The navigation, with the current page marked and a badge for waiting items. On a phone it is an expandable bar. */
export function Menu({ current }: { current: PageName }) {
  const [isOpen, setOpen] = useState(false);
  const counts = useCounts();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the bar collapses after navigation
  useEffect(() => setOpen(false), [current]);
  const hidden = Object.entries(counts).some(([page]) => !ALWAYS.has(page as PageName));
  return (
    <nav className={isOpen ? 'side open' : 'side'} aria-label={WORDS.menu}>
      {GROUPS.map((group) => (
        <div key={Object.keys(group).join(' ')}>
          {(Object.entries(group) as [PageName, IconName][]).map(([page, icon]) => (
            <a
              key={page}
              href={hashOf(page)}
              className={ALWAYS.has(page) ? 'always' : ''}
              {...(page === current && { 'aria-current': 'page' as const })}
            >
              <Icon name={icon} /> {WORDS.pages[page]}
              {counts[page] === undefined ? null : (
                <span className={`badge ${counts[page].look}`}>
                  {counts[page].count}
                  <span className="unseen"> {counts[page].label}</span>
                </span>
              )}
            </a>
          ))}
        </div>
      ))}
      <button
        type="button"
        className={ALWAYS.has(current) ? 'side-more' : 'side-more now'}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="menu" /> {WORDS.more}
        {hidden && !isOpen ? <span className="badge now">!</span> : null}
      </button>
    </nav>
  );
}
