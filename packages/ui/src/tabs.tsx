import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { centreTab } from './tab-nav.tsx';

/** What waits in a tab, so that a closed one hides nothing: a short text beside its label, and the same in words. */
export type TabMark = { text: string; words: string; tone?: 'bad' | 'mild' };

export type Tab = { id: string; label: string; mark?: TabMark | null; panel: ReactNode };

/** The tab to which a key leads, as the pattern "Tabs" of WAI-ARIA has it; undefined for other keys. */
function targetOf(key: string, at: number, length: number): number | undefined {
  if (key === 'ArrowRight') return (at + 1) % length;
  if (key === 'ArrowLeft') return (at + length - 1) % length;
  if (key === 'Home') return 0;
  return key === 'End' ? length - 1 : undefined;
}

const Mark = ({ mark: { text, words, tone } }: { mark: TabMark }) => (
  <span className={`badge ${tone ?? ''}`.trim()} title={words}>
    <span aria-hidden="true">{text}</span>
    <span className="unseen">{words}</span>
  </span>
);

type PanelProps = { id: string; isChosen: boolean; choose(): void; children: ReactNode };

/** One part. While another is chosen it is hidden, but the search of the browser finds what is in it and chooses it. */
function Panel({ id, isChosen, choose, children }: PanelProps) {
  const own = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const panel = own.current;
    if (isChosen || !panel) return;
    panel.setAttribute('hidden', 'until-found');
    panel.addEventListener('beforematch', choose);
    return () => panel.removeEventListener('beforematch', choose);
  }, [isChosen, choose]);
  return (
    <div
      ref={own}
      id={`${id}-panel`}
      role="tabpanel"
      aria-labelledby={id}
      // It begins with a text, so that Tab leads to it (WAI-ARIA, pattern "Tabs").
      tabIndex={isChosen ? 0 : -1}
      // An element that is hidden until found has a box, without what is in it.
      aria-hidden={isChosen ? undefined : true}
      hidden={!isChosen}
    >
      {children}
    </div>
  );
}

type TabsProps = {
  label: string;
  tabs: readonly Tab[];
  /** Id of the chosen tab; the first one is shown for an unknown id. */
  current: string;
  choose(id: string): void;
  /** The line of tabs: its children are the tabs, and one that gets the focus is chosen. */
  line?: RefObject<HTMLDivElement | null>;
};

/**
 * Parts of one page of which one is shown. All are drawn, so that what was opened, written or run in one stays while another is shown. Pages with
 * paths of their own are linked by `TabNav`.
 */
export function Tabs({ label, tabs, current, choose, line: given }: TabsProps) {
  const id = useId();
  const own = useRef<HTMLDivElement>(null);
  const line = given ?? own;
  const at = Math.max(
    0,
    tabs.findIndex((tab) => tab.id === current),
  );
  useEffect(
    () => centreTab(line.current?.querySelectorAll<HTMLElement>('[role=tab]')[at] ?? null),
    [at, line],
  );
  const follow = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const target = targetOf(event.key, at, tabs.length);
    if (target === undefined) return;
    event.preventDefault();
    line.current?.querySelectorAll<HTMLElement>('[role=tab]')[target]?.focus();
  };
  return (
    <>
      <div ref={line} role="tablist" className="tabs" aria-label={label} onKeyDown={follow}>
        {tabs.map((tab, index) => (
          <Button
            key={tab.id}
            id={`${id}-${tab.id}`}
            role="tab"
            aria-selected={index === at}
            aria-controls={`${id}-${tab.id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onFocus={() => index !== at && choose(tab.id)}
            // Safari gives a button that is clicked no focus.
            onClick={() => index !== at && choose(tab.id)}
          >
            {tab.label} {tab.mark ? <Mark mark={tab.mark} /> : null}
          </Button>
        ))}
      </div>
      {tabs.map((tab, index) => (
        <Panel key={tab.id} id={`${id}-${tab.id}`} isChosen={index === at} choose={() => choose(tab.id)}>
          {tab.panel}
        </Panel>
      ))}
    </>
  );
}
