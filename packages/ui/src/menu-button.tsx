import { type ReactNode, type ToggleEvent, useId, useRef } from 'react';
import { Button } from './button.tsx';

/** Space between a menu and the edge of the window, and between a menu and its button, in pixels. */
const EDGE = 8;
const GAP = 4;
/** A menu with less space below its button opens above it, if there is more. */
const ENOUGH = 240;

/** Puts a menu beside its button, inside the window. Its sheet has no positions, because CSS anchors are missing in Firefox 140. */
function placeBeside(menu: HTMLElement, button: HTMLElement): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  const isAtEnd = left + right > width;
  const isAbove = height - bottom < ENOUGH && top > height - bottom;
  Object.assign(menu.style, {
    left: isAtEnd ? 'auto' : `${Math.max(EDGE, left)}px`,
    right: isAtEnd ? `${Math.max(EDGE, width - right)}px` : 'auto',
    top: isAbove ? 'auto' : `${bottom + GAP}px`,
    bottom: isAbove ? `${height - top + GAP}px` : 'auto',
    maxHeight: `${Math.max(ENOUGH / 2, (isAbove ? top : height - bottom) - GAP - EDGE)}px`,
  });
}

/**
 * A button that opens a menu. The menu closes on Escape, on a click outside and when another opens; the focus then returns to the button.
 * @param name for screen readers, if the label is a sign
 * @param look the class of the menu
 */
export function MenuButton({
  label,
  name,
  className = '',
  look = 'menu pop',
  children,
}: {
  label: ReactNode;
  name?: string;
  className?: string;
  look?: string;
  children(close: () => void): ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const opening = ({ newState }: ToggleEvent) => {
    if (newState === 'open' && menu.current && button.current) placeBeside(menu.current, button.current);
  };
  return (
    <div className={`pop-menu ${className}`}>
      <Button
        label={label}
        className="quiet"
        ref={button}
        popoverTarget={id}
        {...(name !== undefined && { 'aria-label': name, title: name })}
      />
      <div id={id} ref={menu} popover="auto" className={look} onBeforeToggle={opening}>
        {children(() => menu.current?.hidePopover())}
      </div>
    </div>
  );
}
