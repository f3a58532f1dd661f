import type { VersionState } from '@svc/contracts';
import { visibleLines } from '@svc/text';

export const STATE_WORDS: Readonly<Record<VersionState, string>> = {
  submitted: 'uploaded',
  checking: 'being checked',
  in_review: 'in review',
  approved: 'approved',
  rejected: 'rejected',
  published: 'published',
  yanked: 'yanked',
};

const LOOKS: { readonly [state in VersionState]?: string } = {
  published: 'badge good',
  rejected: 'badge fault',
  yanked: 'badge fault',
};

export const StateBadge = ({ state, retracted = false }: { state: VersionState; retracted?: boolean }) =>
  retracted ? (
    <span className="badge">retracted</span>
  ) : (
    <span className={LOOKS[state] ?? 'badge'}>{STATE_WORDS[state]}</span>
  );

/** The path of the drawing of a public icon. */
export const drawingOf = (url: string | null): string | null =>
  url === null ? null : `${new URL(url).pathname}?raster=192`;

/** The icon of an app, or the first letter of its name while the app has no public version. */
export const Icon = ({ path, name, side }: { path: string | null; name: string; side: 44 | 64 }) =>
  path === null ? (
    <span className={`app-icon letter-${side}`} aria-hidden="true">
      {Array.from(name.trim())[0] ?? '?'}
    </span>
  ) : (
    <img className="app-icon" src={path} alt="" width={side} height={side} loading="lazy" />
  );

/** Multi-line text of a user, without markup; hidden characters are made visible. */
export const Lines = ({ text }: { text: string }) => <p className="plain">{visibleLines(text)}</p>;

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
