/** A logo as it is served: the bytes of its file. */
export type Logo = { bytes: Uint8Array; format: 'png' | 'jpeg' | 'webp' };

/** What a store calls itself, and the picture beside its name. */
export type Brand = {
  name: string;
  /** Path of the logo, on the store itself, and its media type. */
  logo: string;
  logoType: string;
};
