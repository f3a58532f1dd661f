import { visible } from '@svc/text';

/** Multi-line text of a user, without markup; hidden characters are made visible. */
export function Lines({ text }: { text: string }) {
  return (
    <p className="plain">
      {text
        .split(/\r\n|\n|\r/)
        .map(visible)
        .join('\n')}
    </p>
  );
}

/** A text of an app as its page shows it, in a region that scrolls. The store has removed everything active. */
export function Rendered({ html, label }: { html: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="long" tabIndex={0} aria-label={label}>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: rendered by the store, as on the page of the app. */}
      <div dangerouslySetInnerHTML={{ __html: html }} />
    </section>
  );
}
