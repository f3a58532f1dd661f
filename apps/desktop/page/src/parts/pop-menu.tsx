import { type ReactNode, type ToggleEvent, useId, useRef } from 'react';

/** Space between a menu and the edge of the window, in pixels. */
const EDGE = 8;
const WIDTH = 272;

/** Puts a menu under its button, inside the window. Its sheet has no positions, because CSS anchors are missing in Firefox 140. */
function placeUnder(menu: HTMLElement, button: HTMLElement): void {
  const { left, bottom } = button.getBoundingClientRect();
  const most = document.documentElement.clientWidth - WIDTH - EDGE;
  menu.style.left = `${Math.max(EDGE, Math.min(left, most))}px`;
  menu.style.top = `${bottom + 4}px`;
  menu.style.maxHeight = `${Math.max(120, window.innerHeight - bottom - 4 - EDGE)}px`;
}

/**
 * A button that opens a menu. The menu closes on Escape, on a click outside and when another opens; the focus then returns to the button.
 * @param name for screen readers, if the label is a sign
 */
export function PopMenu({
  label,
  name,
  className = '',
  children,
}: {
  label: ReactNode;
  name?: string;
  className?: string;
  children(close: () => void): ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const opening = ({ newState }: ToggleEvent) => {
    if (newState === 'open' && menu.current && button.current) placeUnder(menu.current, button.current);
  };
  return (
    <div className={`pop-menu ${className}`}>
      <button
        type="button"
        className="quiet"
        ref={button}
        popoverTarget={id}
        {...(name !== undefined && { 'aria-label': name, title: name })}
      >
        {label}
      </button>
      <div id={id} ref={menu} popover="auto" className="pop-menu-body" onBeforeToggle={opening}>
        {children(() => menu.current?.hidePopover())}
      </div>
    </div>
  );
}
