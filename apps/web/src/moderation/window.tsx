import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Rows rendered beyond the visible ones, so that fast scrolling shows no gap. */
const OVERSCAN = 10;

const remPx = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** A range of rows: `from` inclusive, `to` exclusive. */
export type Span = { readonly from: number; readonly to: number };

const spanOf = (box: HTMLElement, height: number): Span => ({
  from: Math.max(0, Math.floor(box.scrollTop / height) - OVERSCAN),
  to: Math.ceil((box.scrollTop + box.clientHeight) / height) + OVERSCAN,
});

/** The range of rows to render. */
function useSpan(box: RefObject<HTMLElement | null>, height: number): Span {
  const [span, setSpan] = useState<Span>({ from: 0, to: 2 * OVERSCAN });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      const seen = spanOf(element, height);
      setSpan((last) => (last.from === seen.from && last.to === seen.to ? last : seen));
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const resized = new ResizeObserver(look);
    resized.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      resized.disconnect();
    };
  }, [box, height]);
  return span;
}

/** Scrolls just far enough to show a row. */
function reveal(box: HTMLElement, index: number, height: number): void {
  const top = index * height;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
}

type WindowProps = {
  count: number;
  /** Height of each row, in rem. */
  rowRem: number;
  /** A row that stays rendered while out of sight: the element with the focus must not be removed. */
  pinned?: number;
  /** A row that is scrolled into view when this index changes. */
  shown?: number;
  label: string;
  className?: string;
  /** Whether the rows are text without controls. */
  isText?: boolean;
  row(index: number): ReactNode;
  onSpan?(span: Span): void;
};

/**
 * A virtualized list: only the visible rows are rendered. Positions are set by script, since the content security policy of
 * the page allows no inline styles.
 */
export function Window({
  count,
  rowRem,
  pinned,
  shown,
  label,
  className = '',
  isText = false,
  row,
  onSpan,
}: WindowProps) {
  const box = useRef<HTMLDivElement>(null);
  const height = rowRem * remPx();
  const span = useSpan(box, height);
  useLayoutEffect(() => onSpan?.(span), [span, onSpan]);
  const setPosition = (top: number, tall: number) => (element: HTMLElement | null) => {
    if (!element) return;
    element.style.setProperty('--top', `${top}px`);
    element.style.setProperty('--tall', `${tall}px`);
  };
  // The height first: a box without one shows no row, and would be scrolled past the first.
  useLayoutEffect(() => box.current?.style.setProperty('--full', `${count * height}px`), [count, height]);
  useLayoutEffect(() => {
    if (box.current && shown !== undefined) reveal(box.current, shown, height);
  }, [shown, height]);
  const seen = Array.from(
    { length: Math.max(0, Math.min(span.to, count) - span.from) },
    (_, i) => span.from + i,
  );
  const rendered =
    pinned !== undefined && pinned < count && !seen.includes(pinned) ? [...seen, pinned] : seen;
  return (
    // A scrolling region without controls must take the focus itself to be scrolled by keyboard.
    <div
      ref={box}
      className={`window ${className}`}
      {...(isText && { tabIndex: 0, role: 'region', 'aria-label': label })}
    >
      <ul ref={setPosition(0, count * height)} className="window-rows" aria-label={label}>
        {rendered.map((index) => (
          <li
            key={index}
            ref={setPosition(index * height, height)}
            className="window-row"
            aria-setsize={count}
            aria-posinset={index + 1}
          >
            {row(index)}
          </li>
        ))}
      </ul>
    </div>
  );
}
