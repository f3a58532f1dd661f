import type { ExtensionName } from '@svc/contracts';
import type { AnchorHTMLAttributes } from 'react';
import { hasExtension } from './has.ts';

/** The pages that only an extension of the store has, by their paths. */
const PAGES: readonly (readonly [at: RegExp, extension: ExtensionName])[] = [
  [/^\/(?:api\/)?docs\b/, 'docs'],
  [/^\/cli\b/, 'cli'],
  [/^\/(?:(?:apps|publishers|categories)\/|$)/, 'storefront'],
];

/** Whether the store has the page at a path, where an extension decides it. */
export const hasPage = (path: string): boolean =>
  PAGES.every(([at, extension]) => !at.test(path) || hasExtension(extension));

/** A link to a page of the store outside this application; its content alone where the store has no such page. */
export const StoreLink = ({
  href,
  children,
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) =>
  hasPage(href) ? (
    <a href={href} {...rest}>
      {children}
    </a>
  ) : (
    children
  );
