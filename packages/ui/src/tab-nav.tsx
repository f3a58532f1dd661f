/** On a phone the tabs are a strip, and the current one may stand outside of it. */
const bringIntoView = (tab: HTMLElement | null): void =>
  tab?.scrollIntoView({ block: 'nearest', inline: 'center' });

type TabNavProps = {
  label: string;
  tabs: readonly { path: string; label: string }[];
  /** Address of the page that is open. */
  current: string;
};

/** Links to the pages that belong together, the one that is open marked and in sight. */
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
