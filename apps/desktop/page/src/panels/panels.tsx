import { visible } from '@svc/text';
import { Button, ButtonLink, EmptyState, Icon, Loaded, Rows } from '@svc/ui';
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { Guarded } from '../parts/guarded.tsx';
import { PanelIcon } from '../parts/icon.tsx';
import { Banner, Heading } from '../parts/parts.tsx';
import { hashOf, type Route } from '../routes.ts';
import { AppTabs } from '../shell/menu.tsx';
import { useProject } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopEvents, useDesktopQuery, useLiveState } from '../wire/use-desktop.ts';
import { PanelFrame, type View } from './panel-frame.tsx';
import { offeredPanels, type PanelPlace, useDock } from './use-dock.ts';

/** Width of a docked panel, in percent of the window. */
const MIN = 20;
const MAX = 70;
const DEFAULT = 40;
const STEP = 2;
const STORAGE_KEY = 'svc.dock.share';

const clamp = (share: number): number => Math.round(Math.min(MAX, Math.max(MIN, share)) * 10) / 10;

/** The edge that resizes a docked panel, with the pointer or the arrow keys. */
function Edge({ place }: { place: RefObject<HTMLElement | null> }) {
  const [share, setShare] = useState(() => clamp(Number(localStorage.getItem(STORAGE_KEY)) || DEFAULT));
  useEffect(() => {
    place.current?.parentElement?.style.setProperty('--dock', `${share}vw`);
    localStorage.setItem(STORAGE_KEY, String(share));
  }, [place, share]);
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const end = place.current?.getBoundingClientRect().right ?? 0;
    setShare(clamp(((end - event.clientX) / window.innerWidth) * 100));
  };
  const key = ({ key: pressed }: KeyboardEvent) => {
    const by = { ArrowLeft: STEP, ArrowRight: -STEP }[pressed];
    if (by !== undefined) setShare((now) => clamp(now + by));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an `hr` cannot be focused and moved, a separator with a value can
    <div
      className="dock-edge"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Resize panel"
      aria-valuenow={share}
      aria-valuetext={`${share} % of the window`}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={key}
    />
  );
}

/** Whether the sheet of a docked panel is folded to its title: the user did, or a question of the conversation arrived. */
function useFold({ page, rest: [chat] }: Route, current: PanelPlace | null) {
  const { cards } = useLiveState();
  const [isFolded, setFolded] = useState(false);
  const asked = page === 'chat' ? cards.findLast((card) => card.chat === chat)?.id : undefined;
  const shown = current && `${current.appId} ${current.panelId}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another panel is shown unfolded
  useEffect(() => setFolded(false), [shown]);
  useEffect(() => {
    if (asked !== undefined) setFolded(true);
  }, [asked]);
  return { isFolded, fold: () => setFolded((now) => !now) };
}

/** The frame of a docked panel: edge, title, and the buttons that fold and close it. */
function DockBar({
  place,
  title,
  isFolded,
  fold,
  close,
}: {
  place: RefObject<HTMLElement | null>;
  title: string;
  isFolded: boolean;
  fold(): void;
  close(): void;
}) {
  const dock = useDock();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (heading.current) dock.opened(heading.current);
  }, [dock]);
  return (
    <>
      <Edge place={place} />
      <header className="dock-bar">
        <h2 ref={heading} tabIndex={-1}>
          {visible(title)}
        </h2>
        <Button
          className="quiet icon-button dock-fold"
          aria-label={`${isFolded ? 'Unfold' : 'Fold'} ${visible(title)}`}
          aria-expanded={!isFolded}
          onClick={fold}
        >
          <Icon name={isFolded ? 'chevron-up' : 'chevron-down'} />
        </Button>
        <Button
          className="quiet icon-button"
          aria-label={`Close ${visible(title)}`}
          title="Close"
          onClick={close}
        >
          <Icon name="x" />
        </Button>
      </header>
    </>
  );
}

/** A panel with a tab. Reopening it increments `edition`, which remounts it. */
type Tab = PanelPlace & { edition: number };

const isSame = (a: PanelPlace, b: PanelPlace): boolean => a.appId === b.appId && a.panelId === b.panelId;

/** The panels with a tab, in the order in which they were opened. */
function useTabs(shown: PanelPlace | null) {
  const [tabs, setTabs] = useState<readonly Tab[]>([]);
  const { opened } = useLiveState();
  const [appId, panelId] = [shown?.appId, shown?.panelId];
  useEffect(() => {
    if (appId === undefined || panelId === undefined) return;
    const tab = { appId, panelId, edition: 0 };
    setTabs((before) => (before.some((open) => isSame(open, tab)) ? before : [...before, tab]));
  }, [appId, panelId]);
  const reopen = (which: (tab: Tab) => boolean) =>
    setTabs((before) => before.map((tab) => (which(tab) ? { ...tab, edition: tab.edition + 1 } : tab)));
  // Messages lost with the connection are not sent again, so panels are reopened.
  useEffect(() => {
    if (opened > 1) setTabs((before) => before.map((tab) => ({ ...tab, edition: tab.edition + 1 })));
  }, [opened]);
  useDesktopEvents((event) => {
    if (event.type !== 'runtime' || event.event.type !== 'developer-app-changed') return;
    const changed = event.event.appId;
    reopen((tab) => tab.appId === changed);
  });
  return {
    tabs,
    reopen,
    close: (closed: Tab) => setTabs((before) => before.filter((tab) => !isSame(tab, closed))),
  };
}

function panelOf(apps: readonly AppView[], { appId, panelId }: PanelPlace) {
  const app = apps.find((app) => app.appId === appId);
  const panel = app?.manifest.contributes.panels?.find(({ id }) => id === panelId);
  return {
    app,
    title: panel ? `${app?.manifest.name}: ${panel.title}` : `${appId}: ${panelId}`,
    views: panel?.views ?? [],
  };
}

/** Notice, until closed, that panels get no tokens in this browser. */
function TokensNotice() {
  const [isShown, setShown] = useState(false);
  const [isDismissed, setDismissed] = useState(false);
  useDesktopEvents((event) => {
    if (event.type === 'runtime' && event.event.type === 'panel-tokens-withheld') setShown(true);
  });
  if (!isShown || isDismissed) return null;
  return (
    <Banner>
      <span role="status">
        Panels get no access tokens in this browser, because it cannot restrict them to the app’s hosts. They
        can still use the app’s tools. For tokens in panels, use Chrome or Chromium 152 or newer.
      </span>
      <Button label="Close" onClick={() => setDismissed(true)} />
    </Banner>
  );
}

/** The panels of the apps that are on, with links that open them. */
function PanelList({ apps }: { apps: readonly AppView[] }) {
  const offered = offeredPanels(apps);
  if (offered.length === 0)
    return (
      <EmptyState icon="panel-right" title="No panels">
        <p>No app with panels is on in this project.</p>
      </EmptyState>
    );
  return (
    <Rows of={offered}>
      {({ app, id, title }) => (
        <li key={`${app.appId} ${id}`}>
          <div>
            <PanelIcon app={app} panelId={id} /> {visible(title)}{' '}
            <span className="soft">{visible(app.manifest.name)}</span>
          </div>
          <ButtonLink label={`Open ${visible(title)}`} href={hashOf('panels', app.appId, id)} />
        </li>
      )}
    </Rows>
  );
}

function Tabs({
  tabs,
  apps,
  current,
  leave,
}: {
  tabs: readonly Tab[];
  apps: readonly AppView[];
  current: PanelPlace | null;
  leave(tab: Tab): void;
}) {
  if (tabs.length === 0) return null;
  return (
    <nav className="tabs" aria-label="Open panels">
      {tabs.map((tab) => {
        const { app, title } = panelOf(apps, tab);
        return (
          <span key={`${tab.appId} ${tab.panelId}`} className="closable">
            <a
              href={hashOf('panels', tab.appId, tab.panelId)}
              {...(current && isSame(current, tab) && { 'aria-current': 'page' as const })}
            >
              {app ? <PanelIcon app={app} panelId={tab.panelId} /> : null} {visible(title)}
            </a>
            <Button
              label={<Icon name="x" />}
              className="quiet icon-button"
              aria-label={`Close ${visible(title)}`}
              onClick={() => leave(tab)}
            />
          </span>
        );
      })}
    </nav>
  );
}

/** The panel in front: the one in the route, or the one docked next to a conversation. */
function useCurrentPanel({ page, rest: [appId, panelId] }: Route) {
  const { shown } = useDock();
  if (page === 'panels') return appId !== undefined && panelId !== undefined ? { appId, panelId } : null;
  return page === 'chat' ? shown : null;
}

/**
 * The open panels, on their page or next to a conversation. They stay in the document while other pages are open: an iframe that is
 * moved or removed reloads.
 */
export function PanelsPage({ route }: { route: Route }) {
  const project = useProject();
  const place = useRef<HTMLDivElement>(null);
  const dock = useDock();
  const listed = useDesktopQuery('apps.list', { project: project.id });
  const apps = listed.data?.apps;
  const isPage = route.page === 'panels';
  const current = useCurrentPanel(route);
  const isDocked = !isPage && current !== null;
  const { isFolded, fold } = useFold(route, current);
  const { tabs, reopen, close } = useTabs(current);
  const leave = (tab: Tab) => {
    close(tab);
    if (dock.shown && isSame(dock.shown, tab)) dock.show(null);
    if (isPage && current && isSame(current, tab)) go(hashOf('panels'));
  };
  const leaveDock = () => {
    const tab = tabs.find((tab) => current && isSame(current, tab));
    if (tab) leave(tab);
  };
  return (
    <div
      ref={place}
      hidden={!isPage && !isDocked}
      className={isDocked ? (isFolded ? 'dock folded' : 'dock') : 'panel-page'}
    >
      {isPage ? <Heading>Panels</Heading> : null}
      {isPage ? <AppTabs current="panels" /> : null}
      {isDocked ? (
        <DockBar
          {...{ place, isFolded, fold }}
          title={panelOf(apps ?? [], current).title}
          close={leaveDock}
        />
      ) : null}
      <TokensNotice />
      {isPage ? <Tabs {...{ tabs, apps: apps ?? [], current, leave }} /> : null}
      {isPage && !(current && apps) ? (
        <Loaded query={listed}>{({ apps }) => <PanelList apps={apps} />}</Loaded>
      ) : null}
      {apps
        ? tabs.map((tab) => {
            const { title, views }: { title: string; views: readonly View[] } = panelOf(apps, tab);
            return (
              <div key={`${tab.appId} ${tab.panelId}`} hidden={!(current && isSame(current, tab))}>
                <Guarded
                  what="panel"
                  of={tab.edition}
                  text={() => title}
                  actions={<Button label="Open again" onClick={() => reopen((open) => isSame(open, tab))} />}
                >
                  <PanelFrame
                    key={tab.edition}
                    appId={tab.appId}
                    panelId={tab.panelId}
                    project={project.id}
                    title={title}
                    views={views}
                    reopen={() => reopen((open) => isSame(open, tab))}
                  />
                </Guarded>
              </div>
            );
          })
        : null}
    </div>
  );
}
