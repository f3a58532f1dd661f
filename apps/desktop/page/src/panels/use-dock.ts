import { createContext, useContext, useEffect, useState } from 'react';

/** A panel by its app. */
export type PanelPlace = { appId: string; panelId: string };

export type Dock = { shown: PanelPlace | null; show(place: PanelPlace | null): void };

/** The panel beside the conversation. */
export const Docked = createContext<Dock>({ shown: null, show: () => {} });

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

/** Which panel is docked in a project: kept in this browser, so that it is there after a reload. */
export function useDockOf(project: string): Dock {
  const [shown, setShown] = useState(() => read(project));
  useEffect(() => setShown(read(project)), [project]);
  return {
    shown,
    show(place) {
      if (place) localStorage.setItem(keyOf(project), JSON.stringify(place));
      else localStorage.removeItem(keyOf(project));
      setShown(place);
    },
  };
}
