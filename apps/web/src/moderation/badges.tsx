import type { ReactNode } from 'react';

/** How many badges a row shows; the others are counted, and in the title and for screen readers. */
const NAMED = 2;

export type Badge = { key: string; look: string; text: string };

/** What a moderator should know of a case, what weighs most first. A number of others is never cut off. */
export function Badges({ badges, children }: { badges: readonly Badge[]; children?: ReactNode }) {
  const more = badges.slice(NAMED).map(({ text }) => text);
  return (
    <span className="badges">
      {badges.slice(0, NAMED).map(({ key, look, text }) => (
        <span key={key} className={`badge ${look}`} title={text}>
          {text}
        </span>
      ))}
      {more.length === 0 ? null : (
        <span className="badge others" title={more.join(', ')}>
          <span aria-hidden="true">{`+${more.length}`}</span>
          <span className="unseen">{`and ${more.join(', ')}`}</span>
        </span>
      )}
      {children}
    </span>
  );
}
