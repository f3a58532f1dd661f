import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type SyntheticEvent,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { ActionButton } from './action-button.tsx';
import { Boundary } from './boundary.tsx';
import { Button } from './button.tsx';
import { focusHeading } from './focus-heading.ts';
import { ErrorMessage, Fault } from './states.tsx';

type DialogProps = {
  title: string;
  /** Called when the user closes the dialog with Escape or a gesture of the browser. */
  leave(): void;
  /** False while Escape does nothing, as in the moment in which the dialog opens under a key meant for something else. */
  canEscape?: boolean;
  /** At the bottom, always visible. */
  buttons: ReactNode;
  /** Why the last press of a button failed, beside them: a long body may be scrolled. */
  error?: Error | null;
  /** Starts the focus in the first field instead of on the title, for dialogs that ask for input. */
  focusField?: boolean;
  children: ReactNode;
};

type DialogButtonsProps = {
  yes: string;
  /** Label of the button that declines or cancels. */
  no?: string;
  /** `bad` for an action that takes something away. */
  tone?: 'main' | 'bad';
  /** Why the first button does nothing now, as in `ActionButton`. */
  why: string | null;
  canLeave?: boolean;
  /** Another button, between the two. */
  another?: ReactNode;
  act(event: MouseEvent): void;
  leave(): void;
};

export function DialogButtons({
  yes,
  no = 'Cancel',
  tone = 'main',
  why,
  canLeave = true,
  another,
  act,
  leave,
}: DialogButtonsProps) {
  return (
    <>
      <ActionButton className={tone} why={why} onClick={act}>
        {yes}
      </ActionButton>
      {another}
      <Button label={no} disabled={!canLeave} onClick={leave} />
    </>
  );
}

/**
 * Returns the focus to the element that opened the dialog, or to the page heading if it is gone, so that keyboard users keep their
 * place. Does nothing if the focus is elsewhere by then.
 */
function focusNear(opener: Element | null): void {
  // After the render that removes the dialog.
  queueMicrotask(() => {
    if (document.activeElement !== document.body) return;
    if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) opener.focus();
    focusHeading();
  });
}

function OpenDialog({
  title,
  leave,
  canEscape = true,
  buttons,
  error = null,
  focusField = false,
  children,
}: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // Closing while still in the document restores the focus. The opener may be removed or disabled by then.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const opener = document.activeElement;
    shown?.showModal();
    const field = focusField && shown?.querySelector<HTMLElement>('input, select, textarea');
    (field || heading.current)?.focus();
    return () => {
      shown?.close();
      const { activeElement } = document;
      // A button of the dialog keeps the focus until it is removed, where the opener is gone.
      if (activeElement === document.body || shown?.contains(activeElement)) focusNear(opener);
    };
  }, [focusField]);
  // A file input inside the dialog sends `cancel` events too.
  const own = (event: SyntheticEvent, act: () => void) => event.target === event.currentTarget && act();
  const cancel = (event: SyntheticEvent) =>
    own(event, () => {
      // The parent unmounts the dialog; the browser must not close it.
      event.preventDefault();
      leave();
    });
  const onKeyDown = (event: KeyboardEvent) => {
    // Ignore repeats of the key press that opened the dialog.
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (canEscape) leave();
  };
  return (
    <dialog
      ref={dialog}
      className="modal"
      aria-labelledby={id}
      onCancel={cancel}
      // Browsers close a dialog at the second Escape, even after preventDefault.
      onClose={(event) => own(event, () => dialog.current?.open || leave())}
      onKeyDown={onKeyDown}
    >
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children === null ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
        <section className="dialog-body" tabIndex={0} aria-labelledby={id}>
          {children}
        </section>
      )}
      <div className="buttons dialog-buttons">
        <ErrorMessage error={error} />
        {buttons}
      </div>
    </dialog>
  );
}

/**
 * A modal dialog, open while mounted. One that cannot be drawn can only be closed: what is not seen cannot be approved. The focus starts on the title, so that a key that is still pressed does nothing, and
 * returns to where it was.
 */
export const Dialog = (props: DialogProps) => (
  <Boundary
    instead={() => (
      <OpenDialog
        title={props.title}
        leave={props.leave}
        buttons={<Button label="Close" onClick={props.leave} />}
      >
        <Fault>This dialog could not be drawn.</Fault>
      </OpenDialog>
    )}
  >
    <OpenDialog {...props} />
  </Boundary>
);
