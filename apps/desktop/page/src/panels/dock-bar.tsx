import { visible } from '@svc/text';
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useState } from 'react';

/** Width of a docked panel, in pixels. */
const MIN = 280;
const MAX = 960;
const DEFAULT = 416;
const STEP = 32;
const STORAGE_KEY = 'svc.dock.width';

const clamp = (width: number): number => Math.round(Math.min(MAX, Math.max(MIN, width)));

/** The edge that resizes a docked panel, with the pointer or the arrow keys. */
function Edge({ place }: { place: RefObject<HTMLElement | null> }) {
  const [width, setWidth] = useState(() => clamp(Number(localStorage.getItem(STORAGE_KEY)) || DEFAULT));
  useEffect(() => {
    place.current?.parentElement?.style.setProperty('--dock', `${width}px`);
    localStorage.setItem(STORAGE_KEY, String(width));
  }, [place, width]);
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const end = place.current?.getBoundingClientRect().right ?? 0;
    setWidth(clamp(end - event.clientX));
  };
  const key = ({ key: pressed }: KeyboardEvent) => {
    const by = { ArrowLeft: STEP, ArrowRight: -STEP }[pressed];
    if (by !== undefined) setWidth((now) => clamp(now + by));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an `hr` cannot be focused and moved, a separator with a value can
    <div
      className="dock-edge"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Resize panel"
      aria-valuenow={width}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={key}
    />
  );
}

/** The frame of a docked panel: edge, title and close button. */
export function DockBar({
  place,
  title,
  close,
}: {
  place: RefObject<HTMLElement | null>;
  title: string;
  close(): void;
}) {
  return (
    <>
      <Edge place={place} />
      <header className="dock-bar">
        <h2>{visible(title)}</h2>
        <button type="button" aria-label={`Close ${visible(title)}`} onClick={close}>
          ✕
        </button>
      </header>
    </>
  );
}
