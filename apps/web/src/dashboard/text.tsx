import { visible } from '@svc/text';

/** Multi-line text of a user, without markup; hidden characters are made visible. */
export function Lines({ text }: { text: string }) {
  return (
    <p className="lines">
      {text
        .split(/\r\n|\n|\r/)
        .map(visible)
        .join('\n')}
    </p>
  );
}

/** A long text in a region that scrolls. */
export function LongText({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="long" tabIndex={0} aria-label={label}>
      <Lines text={text} />
    </section>
  );
}
