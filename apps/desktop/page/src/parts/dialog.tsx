import { type KeyboardEvent, type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from 'react';
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

/**
 * A question above the page. It is open for as long as it is shown; the focus starts on its title, so that no key that is
 * still pressed answers it, and goes back to where it was.
 */
export function Dialog({ title, leave, buttons, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    heading.current?.focus();
    return () => shown?.close();
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
