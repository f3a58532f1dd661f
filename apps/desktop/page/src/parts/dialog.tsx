import {
  type KeyboardEvent,
  type ReactNode,
  type SyntheticEvent,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { WORDS } from '../words.ts';

type DialogProps = {
  title: string;
  /** Told when the person wants out: by Escape, or as a browser offers it. */
  leave(): void;
  /** Below all else, always in view. */
  buttons: ReactNode;
  children: ReactNode;
};

type DialogButtonsProps = {
  yes: string;
  /** What leaving it undone is called. */
  no?: string;
  canAct: boolean;
  canLeave?: boolean;
  /** Another way to do it, between the two. */
  another?: ReactNode;
  act(): void;
  leave(): void;
};

/** The ways out of a question: doing what it asks about, and leaving it undone. */
export function DialogButtons({
  yes,
  no = WORDS.cancel,
  canAct,
  canLeave = true,
  another,
  act,
  leave,
}: DialogButtonsProps) {
  return (
    <>
      <button type="button" className="main" disabled={!canAct} onClick={act}>
        {yes}
      </button>
      {another}
      <button type="button" disabled={!canLeave} onClick={leave}>
        {no}
      </button>
    </>
  );
}

/** Focuses what opened a dialog, or the heading of the page where it is gone: a keyboard does not begin at the top of the page again. */
function focusNear(opener: Element | null): void {
  const heading = () => document.querySelector<HTMLElement>('#main h1');
  // After what takes the dialog away was drawn.
  queueMicrotask(() => {
    if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) opener.focus();
    if (document.activeElement === document.body) heading()?.focus({ preventScroll: true });
  });
}

/**
 * A question above the page. It is open for as long as it is shown; the focus starts on its title, so that no key that is
 * still pressed answers it, and goes back to where it was.
 */
export function Dialog({ title, leave, buttons, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // Closed while it is still in the page: that gives the focus back. What opened it may be gone by then, or switched off.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const opener = document.activeElement;
    shown?.showModal();
    heading.current?.focus();
    return () => {
      shown?.close();
      if (document.activeElement === document.body) focusNear(opener);
    };
  }, []);
  // A file field within sends a `cancel` of its own.
  const own = (event: SyntheticEvent, act: () => void) => event.target === event.currentTarget && act();
  const cancel = (event: SyntheticEvent) =>
    own(event, () => {
      // It goes when its owner takes it away, and not by itself.
      event.preventDefault();
      leave();
    });
  const onKeyDown = (event: KeyboardEvent) => {
    // A key that is held down repeats: the press that led here must not answer.
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    leave();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={cancel}
      // Browsers close a dialog at the second try whatever its owner says.
      onClose={(event) => own(event, () => dialog.current?.open || leave())}
      onKeyDown={onKeyDown}
    >
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard */}
      <section className="dialog-body" tabIndex={0} aria-labelledby={id}>
        {children}
      </section>
      <div className="buttons dialog-buttons">{buttons}</div>
    </dialog>
  );
}
