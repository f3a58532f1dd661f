import type { RouteName } from '@svc/contracts';

/** A logo: the bytes of its file, which are served unchanged. */
export type Logo = { bytes: Uint8Array; format: 'png' | 'jpeg' | 'webp' };

/** What the frame of every page shows of a store: its name and logo, and which pages it has. */
export type Brand = {
  name: string;
  /** Path of the logo, on the store itself, and its media type. */
  logo: string;
  logoType: string;
  /** Path of the style sheet with its accent; null for that of svc. */
  accent?: string | null;
  /** The routes that the store has: the frame links to no page of another. */
  routeNames: ReadonlySet<RouteName>;
  /** What users of every page must know, such as that the store is read-only. */
  notice?: string;
};
