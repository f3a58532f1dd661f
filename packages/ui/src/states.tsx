import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** What failed, announced immediately by screen readers. */
export const Fault = ({ hidden, children }: { hidden?: boolean; children: ReactNode }) => (
  <p role="alert" className="fault" hidden={hidden}>
    {children}
  </p>
);

/** The message of an error. */
export const ErrorMessage = ({ error }: { error: Error | null }) => (
  <Fault hidden={error === null}>{error?.message}</Fault>
);

/** What succeeded, announced by screen readers; empty before. */
export const Done = ({ children }: { children: ReactNode }) => (
  <p role="status" className="good">
    {children}
  </p>
);

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

/** `isFinal` where another try fails in the same way, as for a page that does not exist. */
type LoadFault = Error & { isFinal?: boolean };
type Query<T> = { data: T | undefined; error: LoadFault | null; refetch(): unknown };

/** The error of a query that has no data, with a button to retry it where that may help; nothing otherwise. For pages that show other data meanwhile. */
export function LoadError({ query: { data, error, refetch } }: { query: Query<unknown> }) {
  if (data !== undefined || error === null) return null;
  return (
    <>
      <ErrorMessage error={error} />
      {error.isFinal ? null : (
        <p>
          <Button label="Retry" onClick={() => refetch()} />
        </p>
      )}
    </>
  );
}

/** The bars that stand for content that is loading: a paragraph, and a list below it. */
const SKELETON = ['short', 'block', 'line'] as const;

/** What stands for a page or a list while it is loading. @param page the heading, for a page without another one */
export function Loading({ page }: { page?: string | undefined }) {
  return (
    <>
      {page === undefined ? null : <h1>{page}</h1>}
      <p role="status" className="unseen">
        Loading…
      </p>
      {SKELETON.map((line) => (
        <span key={line} className={`skeleton ${line}`} aria-hidden="true" />
      ))}
    </>
  );
}

type LoadedProps<T> = {
  query: Query<T>;
  /** The heading of the page while it has no data, for pages without another one. */
  page?: string;
  /** A link to the page above, for pages that may not exist. */
  back?: ReactNode;
  children: (data: T) => ReactNode;
};

/** Renders the data of a query, or its loading or error state. */
export function Loaded<T>({ query, page, back, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return <Loading page={page} />;
  return (
    <div className={page === undefined ? undefined : 'error-state'}>
      {page === undefined ? null : <h1>{page}</h1>}
      <LoadError query={query} />
      {query.error.isFinal ? back : null}
    </div>
  );
}
