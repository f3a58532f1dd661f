import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Rows made beyond what is seen, so that a turn of the wheel meets no empty place. */
const BEYOND = 10;

const remPx = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The rows that can be seen, from one to another. */
export type Span = { readonly from: number; readonly to: number };

const spanOf = (box: HTMLElement, height: number): Span => ({
  from: Math.max(0, Math.floor(box.scrollTop / height) - BEYOND),
  to: Math.ceil((box.scrollTop + box.clientHeight) / height) + BEYOND,
});

/** Which rows of a long list can be seen. */
function useSpan(box: RefObject<HTMLElement | null>, height: number): Span {
  const [span, setSpan] = useState<Span>({ from: 0, to: 2 * BEYOND });
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

/** Scrolls a row into what can be seen, and no further. */
function reveal(box: HTMLElement, index: number, height: number): void {
  const top = index * height;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
}

type WindowProps = {
  count: number;
  /** Height of a row, in rem: all are alike. */
  rowRem: number;
  /** A row that is kept although it is out of sight, as what has the focus must not go away. */
  kept?: number;
  /** Brings a row into view when it changes. */
  shown?: number;
  label: string;
  className?: string;
  /** Whether the rows are there to be read alone. */
  isText?: boolean;
  row(index: number): ReactNode;
  onSpan?(span: Span): void;
};

/**
 * A list of any length of which only the rows that can be seen are made. Places are given by script, as the policy of the
 * page allows no style in markup.
 */
export function Window({
  count,
  rowRem,
  kept,
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
  useLayoutEffect(() => {
    if (box.current && shown !== undefined) reveal(box.current, shown, height);
  }, [shown, height]);
  const place = (top: number, tall: number) => (element: HTMLElement | null) => {
    if (!element) return;
    element.style.setProperty('--top', `${top}px`);
    element.style.setProperty('--tall', `${tall}px`);
  };
  useLayoutEffect(() => box.current?.style.setProperty('--full', `${count * height}px`), [count, height]);
  const seen = Array.from(
    { length: Math.max(0, Math.min(span.to, count) - span.from) },
    (_, i) => span.from + i,
  );
  const made = kept !== undefined && kept < count && !seen.includes(kept) ? [...seen, kept] : seen;
  return (
    // What scrolls and holds nothing to press is scrolled by keys once it has the focus.
    <div
      ref={box}
      className={`window ${className}`}
      {...(isText && { tabIndex: 0, role: 'region', 'aria-label': label })}
    >
      <ul ref={place(0, count * height)} className="window-rows" aria-label={label}>
        {made.map((index) => (
          <li
            key={index}
            ref={place(index * height, height)}
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
