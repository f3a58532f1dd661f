/** A logo: the bytes of its file, which are served unchanged. */
export type Logo = { bytes: Uint8Array; format: 'png' | 'jpeg' | 'webp' };

/** The name of a store, and its logo. */
export type Brand = {
  name: string;
  /** Path of the logo, on the store itself, and its media type. */
  logo: string;
  logoType: string;
  /** Path of the style sheet with its accent; null for that of svc. */
  accent?: string | null;
  /** What users of every page must know, such as that the store is read-only. */
  notice?: string;
};
