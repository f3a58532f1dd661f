import { createContext, useContext, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { AppView } from '../../../src/wire/views.ts';

/** The panels of the apps that are on. */
export const offeredPanels = (apps: readonly AppView[]) =>
  apps
    .filter(({ on, yanked }) => on && !yanked)
    .flatMap((app) => (app.manifest.contributes.panels ?? []).map(({ id, title }) => ({ app, id, title })));

/** A panel of an app, by its ids. */
export type PanelPlace = { appId: string; panelId: string };

export type Dock = {
  shown: PanelPlace | null;
  show(place: PanelPlace | null): void;
  /** Takes the title of the dock once it is there: its script may have to be loaded first. */
  opened(title: HTMLElement): void;
};

/** The panel docked next to the conversation. */
export const Docked = createContext<Dock>({ shown: null, show: () => {}, opened: () => {} });

export const useDock = (): Dock => useContext(Docked);

const keyOf = (project: string): string => `svc.dock.${project}`;

function read(project: string): PanelPlace | null {
  try {
    const { appId, panelId } = JSON.parse(
      localStorage.getItem(keyOf(project)) ?? '{}',
    ) as Partial<PanelPlace>;
    return typeof appId === 'string' && typeof panelId === 'string' ? { appId, panelId } : null;
  } catch {
    return null;
  }
}

/**
 * The panel docked in a project. It is stored in this browser, so that it survives a reload. The focus moves to it when the user opens it,
 * and back when they close it.
 */
export function useDockOf(project: string): Dock {
  const [shown, setShown] = useState(() => read(project));
  const opener = useRef<Element | null>(null);
  const isAwaited = useRef(false);
  useEffect(() => setShown(read(project)), [project]);
  return {
    shown,
    show(place) {
      if (place) localStorage.setItem(keyOf(project), JSON.stringify(place));
      else localStorage.removeItem(keyOf(project));
      if (place) opener.current = document.activeElement;
      flushSync(() => setShown(place));
      const next = place ? document.querySelector('.dock-bar h2') : opener.current;
      const field = document.querySelector<HTMLElement>('.composer textarea');
      isAwaited.current = place !== null && next === null;
      if (isAwaited.current) return;
      if (next instanceof HTMLElement && next.isConnected) next.focus();
      else field?.focus();
    },
    opened(title) {
      if (isAwaited.current) title.focus();
      isAwaited.current = false;
    },
  };
}
