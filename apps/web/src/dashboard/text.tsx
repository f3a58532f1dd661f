import { visible } from '../check/words.ts';

/** Text of several lines that a person wrote: as it stands, with nothing hidden in it and nothing made of it. */
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

/** A long text, in a place of its own that scrolls. */
export function LongText({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key.
    <section className="long" tabIndex={0} aria-label={label}>
      <Lines text={text} />
    </section>
  );
}
