/** Links to the pages that belong together, the one that is open marked. */
export const TabNav = ({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: readonly { path: string; label: string }[];
  /** Address of the page that is open. */
  current: string;
}) => (
  <nav className="tabs" aria-label={label}>
    {tabs.map((tab) => (
      <a key={tab.path} href={tab.path} {...(tab.path === current && { 'aria-current': 'page' as const })}>
        {tab.label}
      </a>
    ))}
  </nav>
);
