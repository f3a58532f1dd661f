import { createHash } from 'node:crypto';
import { addressOfOwn, OWN_FILES } from '../../http/own-files.ts';
import type { Brand, Logo } from '../../platform/brand.ts';
import type { WebFiles } from './read-web-files.ts';

const HASH_LENGTH = 12;

/** The brand of a store from its settings, and the file of its logo. */
export function brandOf({ storeName: name, storeLogo }: { storeName: string; storeLogo: Logo | null }): {
  brand: Brand;
  files: WebFiles;
} {
  if (storeLogo === null) {
    return { brand: { name, logo: addressOfOwn('icon.svg'), logoType: 'image/svg+xml' }, files: new Map() };
  }
  const { bytes: body, format } = storeLogo;
  const hash = createHash('sha256').update(body).digest('hex').slice(0, HASH_LENGTH);
  const [path, type] = [`assets/logo-${hash}.${format}`, `image/${format}`];
  return { brand: { name, logo: `/${path}`, logoType: type }, files: new Map([[path, { body, type }]]) };
}

/** The bytes of the logo: of the settings, or the default. */
export const logoOf = ({ storeLogo }: { storeLogo: Logo | null }): Uint8Array =>
  storeLogo?.bytes ?? OWN_FILES.get('icon.svg')?.body ?? new Uint8Array();
