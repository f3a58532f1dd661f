import { createHash } from 'node:crypto';
import type { Database } from '../../platform/database/schema.ts';

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
    async logo(): Promise<Uint8Array | null> {
      const row = await db
        .selectFrom('brand')
        .select('value')
        .where('part', '=', 'picture')
        .executeTakeFirst();
      return row ? Buffer.from(row.value, 'base64') : null;
    },
    /** Call it in a transaction. */
    async choose({ name, accent, logo }: BrandChange): Promise<void> {
      if (name !== undefined) await set('name', name);
      if (accent !== undefined) await set('accent', accent);
      if (logo === undefined) return;
      await set('logo', logo && createHash('sha256').update(logo).digest('hex'));
      await set('picture', logo && Buffer.from(logo).toString('base64'));
    },
  };
}

export type BrandStore = ReturnType<typeof createBrandStore>;
