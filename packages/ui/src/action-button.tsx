import { type ComponentProps, useId } from 'react';

type ActionButtonProps = ComponentProps<'button'> & {
  /** Why it does nothing now, shown beside it. Empty where its label says so, such as "Saving…"; null while it acts. */
  why: string | null;
};

/** A button that may have to wait. It takes the focus meanwhile, so that Tab does not pass it by, and says why. */
export function ActionButton({ why, onClick, ...button }: ActionButtonProps) {
  const id = useId();
  return (
    <>
      <button
        type="button"
        {...button}
        aria-disabled={why !== null}
        aria-describedby={why ? id : button['aria-describedby']}
        onClick={(event) => (why === null ? onClick?.(event) : event.preventDefault())}
      />
      {why ? (
        <span id={id} className="soft">
          {why}
        </span>
      ) : null}
    </>
  );
}
