/** Scrolls a line of tabs to the current one: on a phone it may be out of view. The page stays where it is. */
export function centreTab(tab: HTMLElement | null): void {
  const line = tab?.closest('.tabs');
  if (!tab || !line) return;
  const [inner, outer] = [tab.getBoundingClientRect(), line.getBoundingClientRect()];
  line.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}

type TabNavProps = {
  label: string;
  tabs: readonly { path: string; label: string }[];
  /** Path of the current page. */
  current: string;
};

/** Links to related pages, with the current one marked and scrolled into view. For parts of one page there are `Tabs`. */
export const TabNav = ({ label, tabs, current }: TabNavProps) => (
  <nav className="tabs" aria-label={label}>
    {tabs.map((tab) => (
      <a
        key={tab.path}
        href={tab.path}
        {...(tab.path === current && { 'aria-current': 'page' as const, ref: centreTab })}
      >
        {tab.label}
      </a>
    ))}
  </nav>
);
