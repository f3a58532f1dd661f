import { createHash } from 'node:crypto';
import { addressOfOwn, OWN_FILES } from '../../http/own-files.ts';
import type { Brand, Logo } from '../../platform/brand.ts';
import type { WebFile, WebFiles } from './read-web-files.ts';

const HASH_LENGTH = 12;

function hashed(name: string, extension: string, { body, type }: WebFile): readonly [string, WebFile] {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, HASH_LENGTH);
  return [`assets/${name}-${hash}.${extension}`, { body, type }];
}

/** The tokens of an accent: on dark pages it is mixed with white, and its tint with the page. */
const accentCss = (colour: string): string =>
  `:root{--link:light-dark(${colour},color-mix(in oklab,${colour},white 58%));--link-strong:light-dark(color-mix(in oklab,${colour},black 25%),color-mix(in oklab,${colour},white 75%));--tint:light-dark(color-mix(in oklab,${colour},white 90%),color-mix(in oklab,${colour},#0d1311 78%))}\n`;

type BrandSettings = { storeName: string; storeLogo: Logo | null; storeAccent?: string | null };

export function brandOf({ storeName: name, storeLogo, storeAccent = null }: BrandSettings): {
  brand: Brand;
  files: WebFiles;
} {
  const logo =
    storeLogo &&
    hashed('logo', storeLogo.format, { body: storeLogo.bytes, type: `image/${storeLogo.format}` });
  const accent =
    storeAccent === null
      ? null
      : hashed('accent', 'css', {
          body: Buffer.from(accentCss(storeAccent)),
          type: 'text/css; charset=utf-8',
        });
  return {
    brand: {
      name,
      logo: logo ? `/${logo[0]}` : addressOfOwn('icon.svg'),
      logoType: logo ? logo[1].type : 'image/svg+xml',
      accent: accent && `/${accent[0]}`,
    },
    files: new Map([logo, accent].filter((file) => file !== null)),
  };
}

/** The bytes of the logo: of the settings, or the default. */
export const logoOf = ({ storeLogo }: { storeLogo: Logo | null }): Uint8Array =>
  storeLogo?.bytes ?? OWN_FILES.get('icon.svg')?.body ?? new Uint8Array();
