import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** An error message, announced immediately by screen readers. */
export function ErrorMessage({ error }: { error: Error | null }) {
  return (
    <p role="alert" className="fault" hidden={error === null}>
      {error?.message}
    </p>
  );
}

type EmptyStateProps = {
  icon: IconName;
  title: string;
  /** The heading of the page if it has no other one. */
  isPage?: boolean;
  /** What the user can do next: a sentence, links, buttons. */
  children?: ReactNode;
};

/** A list or page without content, and the next step. */
export const EmptyState = ({ icon, title, isPage = false, children }: EmptyStateProps) => (
  <div className="empty-state">
    <Icon name={icon} />
    {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
    {children}
  </div>
);

type Query<T> = { data: T | undefined; error: Error | null; refetch(): unknown };

/** The error of a query that has no data, with a button to retry it; nothing otherwise. For pages that show other data meanwhile. */
export function LoadError({ query: { data, error, refetch } }: { query: Query<unknown> }) {
  if (data !== undefined || error === null) return null;
  return (
    <>
      <ErrorMessage error={error} />
      <button type="button" onClick={() => refetch()}>
        Retry
      </button>
    </>
  );
}

/** The bars that stand for content that is loading: a paragraph, and a list below it. */
const SKELETON = ['short', 'block', 'line'] as const;

type LoadedProps<T> = {
  query: Query<T>;
  /** The heading of the page while its data is loading, for pages without another one. */
  page?: string;
  children: (data: T) => ReactNode;
};

/** Renders the data of a query, or its loading or error state. */
export function Loaded<T>({ query, page, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  const heading = page === undefined ? null : <h1>{page}</h1>;
  if (query.error === null)
    return (
      <>
        {heading}
        <p role="status" className="unseen">
          Loading…
        </p>
        {SKELETON.map((line) => (
          <span key={line} className={`skeleton ${line}`} aria-hidden="true" />
        ))}
      </>
    );
  return (
    <div className={page === undefined ? undefined : 'error-state'}>
      {heading}
      <LoadError query={query} />
    </div>
  );
}
