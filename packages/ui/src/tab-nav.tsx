/** On a phone the tabs scroll, and the current one may be out of view. */
const bringIntoView = (tab: HTMLElement | null): void =>
  tab?.scrollIntoView({ block: 'nearest', inline: 'center' });

type TabNavProps = {
  label: string;
  tabs: readonly { path: string; label: string }[];
  /** Path of the current page. */
  current: string;
};

/** Links to related pages, with the current one marked and scrolled into view. */
export const TabNav = ({ label, tabs, current }: TabNavProps) => (
  <nav className="tabs" aria-label={label}>
    {tabs.map((tab) => (
      <a
        key={tab.path}
        href={tab.path}
        {...(tab.path === current && { 'aria-current': 'page' as const, ref: bringIntoView })}
      >
        {tab.label}
      </a>
    ))}
  </nav>
);
