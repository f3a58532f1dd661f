import type { Brand, Logo } from '../../../platform/brand.ts';
import { firstOf } from '../../../platform/database/queries.ts';
import type { Database } from '../../../platform/database/schema.ts';
import { sha256Of } from '../../../platform/sha256.ts';

/** What administrators chose; null where they chose nothing. `logo` is the SHA-256 of the drawing that the store serves. */
export type ChosenBrand = Record<'name' | 'accent' | 'logo', string | null>;

/** The changes of a brand; null removes a choice. `logo` is a PNG that the store drew. */
export type BrandChange = {
  name?: string | null;
  accent?: string | null;
  logo?: Uint8Array | null;
};

/** The name, the logo and the accent that an administrator chose, in the database: a backup has all of them. */
export function createBrandStore(db: Database) {
  async function set(part: string, value: string | null): Promise<void> {
    await db.deleteFrom('brand').where('part', '=', part).execute();
    if (value !== null) await db.insertInto('brand').values({ part, value }).execute();
  }
  return {
    async chosen(): Promise<ChosenBrand> {
      const parts = ['name', 'accent', 'logo'];
      const rows = await db.selectFrom('brand').selectAll().where('part', 'in', parts).execute();
      const of = (part: string) => rows.find((row) => row.part === part)?.value ?? null;
      return { name: of('name'), accent: of('accent'), logo: of('logo') };
    },
    /** The chosen logo, a PNG. */
    logo: (): Promise<Uint8Array | null> =>
      firstOf(db.selectFrom('brand').select('value').where('part', '=', 'picture'), ({ value }) =>
        Buffer.from(value, 'base64'),
      ),
    /** Call it in a transaction. */
    async choose({ name, accent, logo }: BrandChange): Promise<void> {
      if (name !== undefined) await set('name', name);
      if (accent !== undefined) await set('accent', accent);
      if (logo === undefined) return;
      await set('logo', logo && sha256Of(logo));
      await set('picture', logo && Buffer.from(logo).toString('base64'));
    },
  };
}

export type BrandStore = ReturnType<typeof createBrandStore>;

/** The name of a store for which neither a setting nor an administrator chose one. */
export const DEFAULT_NAME = 'svc app store';
/** The accent of such a store. */
export const DEFAULT_ACCENT = '#0b6b57';

const HASH_LENGTH = 12;

/** A file of the brand: its bytes and its media type. */
type BrandFile = { readonly body: Uint8Array; readonly type: string };

function hashed(name: string, extension: string, { body, type }: BrandFile): readonly [string, BrandFile] {
  const hash = sha256Of(body).slice(0, HASH_LENGTH);
  return [`assets/${name}-${hash}.${extension}`, { body, type }];
}

/** The accent, of which the tokens of all pages are mixed. */
const accentCss = (colour: string): string => `:root{--accent:${colour}}\n`;

const logoFile = ({ bytes, format }: Logo) =>
  hashed('logo', format, { body: bytes, type: `image/${format}` });

const accentFile = (colour: string) =>
  hashed('accent', 'css', { body: Buffer.from(accentCss(colour)), type: 'text/css; charset=utf-8' });

/** The brand in force, and the files of it that the store serves, by their path. */
type InForce = { brand: Brand; files: ReadonlyMap<string, BrandFile> };

function inForce(
  name: string,
  ownLogo: Logo | null,
  colour: string | null,
  { fallback, routeNames }: { fallback: OwnLogo; routeNames: Brand['routeNames'] },
): InForce {
  const logo = ownLogo && logoFile(ownLogo);
  const accent = colour === null ? null : accentFile(colour);
  return {
    brand: {
      name,
      logo: logo ? `/${logo[0]}` : fallback.path,
      logoType: logo ? logo[1].type : 'image/svg+xml',
      accent: accent && `/${accent[0]}`,
      routeNames,
    },
    files: new Map([logo, accent].filter((file) => file !== null)),
  };
}

/** The logo of svc, an SVG. */
type OwnLogo = { path: string; bytes: Uint8Array };

/** What the settings decide; null for what an administrator decides. */
export type BrandSettings = {
  storeName: string | null;
  storeLogo: Logo | null;
  storeAccent: string | null;
  /** Why the store is read-only; null when it is not. */
  readOnly: string | null;
  routeNames: Brand['routeNames'];
};

/**
 * Opens the brand in force: the value of a setting, else the choice of an administrator, else that of svc. It is cached in memory, as
 * every page shows it, and reloaded every few seconds, as another process may have changed it.
 */
export async function openBrand(
  { storeName, storeLogo, storeAccent, readOnly, routeNames }: BrandSettings,
  store: Pick<BrandStore, 'chosen' | 'logo'>,
  fallback: OwnLogo,
) {
  const given = { name: storeName !== null, logo: storeLogo !== null, accent: storeAccent !== null };
  const listeners: (() => void)[] = [];

  const open = async (chosen: ChosenBrand) => {
    const ownLogo = chosen.logo === null || given.logo ? null : await store.logo();
    return inForce(
      storeName ?? chosen.name ?? DEFAULT_NAME,
      storeLogo ?? (ownLogo && { bytes: ownLogo, format: 'png' }),
      storeAccent ?? chosen.accent,
      { fallback, routeNames },
    );
  };

  let chosen = await store.chosen();
  let now = await open(chosen);
  /** The files of the brand before: pages that name them are still open, and in caches. */
  let earlier: InForce['files'] = new Map();

  return {
    now: (): Brand =>
      readOnly === null
        ? now.brand
        : { ...now.brand, notice: `The store is read-only for now: ${readOnly}.` },
    /** The accent in force, as `#rrggbb`. */
    accent: (): string => storeAccent ?? chosen.accent ?? DEFAULT_ACCENT,
    /** The choices of administrators, also where a setting decides. */
    chosen: (): ChosenBrand => chosen,
    /** Whether a setting decides the part, which cannot be changed on a page. */
    given,
    files: (): InForce['files'] => new Map([...earlier, ...now.files]),
    logoBytes: (): Uint8Array => now.files.get(now.brand.logo.slice(1))?.body ?? fallback.bytes,
    /** Calls a function after each change. */
    onChange(listener: () => void): void {
      listeners.push(listener);
    },
    async refresh(): Promise<void> {
      const next = await store.chosen();
      if (JSON.stringify(next) === JSON.stringify(chosen)) return;
      const opened = await open(next);
      earlier = now.files;
      now = opened;
      chosen = next;
      for (const changed of listeners) changed();
    },
  };
}

export type BrandBook = Awaited<ReturnType<typeof openBrand>>;
